r"""Read a reply: which option it settles on, or why none can be counted.

The last explicit answer wins, and a boxed letter after "I cannot choose" is that letter. Markup is blanked
without moving a character, so that every span is verbatim. Then the rules of `CUES` and the functions of
`FINDERS` propose findings, each of one `Weight`:

- stated: "Answer: C", a box, "I choose C", "C is the answer", a line that is only an option;
- opening: the first line opens with an option and goes on to explain it;
- hinted: "most likely C", "C is correct", "if forced, C"; a refusal after it or a cut outweighs it;
- mentioned: the one option named at all; any refusal or cut outweighs it.

The heaviest that stands decides, the last of its weight. `_judge` says which stand: what others said counts
only where the reply goes on to agree, and what is denied, doubted, asked, merely supposed or taken back does
not count. What a reply turns to ("wait, no. C", "on reflection C", "not A but C") is as firm as what it left.

Known limits: irony; roman or ordinal answers ("the second option"); a letter beside another option's text
is read by its letter; a peer who is not called a colleague, a doctor or the like is not known for one.
"""

import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum
from typing import IO, Any

from medagents.types import LETTERS, Answer, MedagentsError, Status

FLOOR = 0.9
"""Least likeness of a misspelt option text: one slip in ten letters. A forced best match would be wrong
with confidence, so anything less like an option is not read as one."""

OPENING = 4
"""Letters in which each word must agree before likeness counts: tells hypo- from hyper-, inter- from
intra-, and keeps short words exact."""

REACH = 80
"""Characters from a cue or a peer's words to the option or the assent that belongs to it: a clause or two."""

CONTEXT = 300
"""Characters of a sentence looked at on either side of an option; bounds the work on a runaway reply. A
refusal further than this before a cut was an opening hedge, not the end of the reply."""

SHORT = 12
"""Words up to which a letter and what follows it on a line are an answer rather than a paragraph."""

DANGLING_WORDS, CUT_WORDS, RUNAWAY_WORDS = 3, 8, 40
"""A reply is cut when it ends on a dangling word ("because the") after at least the first number of
words; or, lacking a closing mark, when its last line has the second number and all of it the third.
Fewer words without a full stop are terse, not cut."""

CLOSED_SENTENCES = 2
"""Sentences with a full stop on the last line after which one of `CUT_WORDS` without it is left hanging:
a reply that never closed its sentences is terse, one that did and ceases to is cut."""


class Weight(IntEnum):
    """How firmly a finding commits the reply."""

    MENTIONED, HINTED, OPENING, STATED = range(4)


@dataclass(frozen=True)
class _Mention:
    """An option named by letter or text; `option` is None where two options share the text."""

    start: int
    end: int
    option: int | None
    letter: bool


@dataclass(frozen=True)
class _Finding:
    """A reading: the mention, and where the statement that makes it begins."""

    start: int
    mention: _Mention
    rule: str
    weight: Weight

    @property
    def order(self) -> tuple[int, int]:
        return self.weight, self.mention.start


def _p(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Compile `pattern`, in which a blank stands for any white space."""
    return re.compile(pattern.replace(" ", r"\s+"), flags)


# fmt: off
# --- Markup. Every replacement keeps the length.
_BLANK = str.maketrans(
    dict.fromkeys("*`$#_~|{}\\\u200b\ufeff", " ") | dict(zip("’‘“”„–‐‑−", "''\"\"\"----", strict=True)))
_BOX = _p(r"\\(?:boxed|fbox)\s*\{")
_MACRO = _p(r"\\(?:text|math)?(?:bf|rm|it|sf|tt)?\s*\{")
_THOUGHT = _p(r"</(?:think|thinking|reasoning)>|<unused95>")
_NEXT_TURN = _p(
    r"<\|\w+\|>|<(?:start|end)_of_turn>|\n[^\S\n]*(?:\[INST\]|(?:instruction|user|human)\s*:"
    r"|question(?: \d+)?\s*:(?=[^\n]*\n\s*(?:options:?\s*)?\(?A[.):]))")
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+(?:'s\b)?|[<≤≥+±%]")
_LETTER = re.compile(r"(?<!\w)(?<!\w[-+])[A-Za-z0-9](?![\w+]|'\w|-\w|\.[a-z])")
_STOP = re.compile(r"[\n!?;]|(?<!\bDr)(?<!\bvs)(?<!\bProf)\.(?=[\s\"']|$)")
_BULLET = _p(r"[^\w\n❌✗✘]*(?:\d{1,2}[.)]\s+)?")

# --- Around a letter: what makes it a label, an article, half a name, or one of several.
_FILL = _p(
    r"(?:[\s\"'(\[:,<>=—-]|(?:option|choice|answer|letter|the|that|is|it|be|most|likely|probably|clearly"
    r"|possibly|still|an?|definitely|indeed|therefore|best|correct|final|right|single|either|both|simply"
    r"|just|now"
    rf"|thus)\b){{0,{REACH}}}+")
_FUNCTION = _p(
    r"is|was|are|were|would|will|seems|appears|looks|because|since|as|for|given|due|but|which|and|or|nor|over"
    r"|rather|not|with|in|here|based|on|from|if|that|when|while|most|likely|probably|only|then|though"
    r"|although|however|despite|without|where|it|can|could|may|might|should|must|has|had|does|did|than"
    r"|unless|being|remains|to"
    r"|isn't|wasn't|fits|explains|matches|makes", 0)
_TRAILING = _p(
    r" (?:too|also|again|myself|ourselves|instead|anyway|alone|overall|likewise)\b"
    r"(?=\s*(?:[.,;:!)—-]|$|(?:because|since|as|given|for)\b))")
_HALF_NAME = _p(
    r"[.\s]\s*(?:diff|coli\b|cells?\b|lymphocyt|dimer|botulin|tetani|perfring|albicans|burgdorf|fragilis"
    r"|symptom)")
_LABELLED = _p(r"\b(?:option|choice|answer|letter) $")
_CLAUSE = _p(
    r"(?:^|[\n.,;:(!?—-]|\b(?:option|choice|answer|letter|that|so|thus|therefore|then|hence|think|believe"
    r"|and|but|because|while|only|say|find))[\s\"'(\[]*$")
_GAP = _p(r"[\s.):,>\]\"'—-]{0,6}")
_BEHIND = _p(
    rf"(?:(?!\b(?:not|than|between|neither|nor|unclear)\b)[^.\n;?()]){{1,{REACH}}}?"
    r"(?:\(\s*(?:(?:option|choice|answer)\s*)?|,\s*(?:option|choice) )(?=[a-z]\b)")
_LINK = _p(
    r"[\"')\]\s]*(?:[,&/+>]|\band\b|\bor\b)\s*(?:(?:and|or|also|possibly|maybe|perhaps|the|option|choice) "
    r"|[\"'(\[])*")
_JOINED = _p(r"\b[A-Z]\s*(?:and|or|nor|&|/)\s*(?:option )?$", 0)
_PLURAL = _p(r"[\s\"')]*(?:are|were)\b")
_VERB = _p(
    r"[\"')\]\s]*\b(?:is|was|are|were|would|will|seems?|looks|appears?|might|may|could|can|must|has|had"
    r"|does|did|being|isn't)\b")

# --- After an option: is it affirmed or denied?
_CLOSED = _p(
    r"[\s\"')\]]*(?:[.,;:!\n)—-]|$"
    r"|(?:because|since|as|given|due|for|based|over|rather than|with|here|in|then)\b)")
_COPULA = (
    r"[\s\"')\].,:—-]*(?:(?:this|which|it) )?(?:is|seems|appears|remains|looks|(?:would|must|should"
    r"|will) be) ")
_POSITIVE = _p(
    _COPULA + r"(?:(?:to be|the|my|our|an?|clearly|therefore|thus|definitely|indeed|probably|still|by far"
    r"|single|overall|final) )*(?:correct|right|best|better|most(?! (?:unlikely|incorrect))|likely|answer"
    r"|choice|preferred|favou?red|true|ideal|optimal|\w+ of choice)\b|[\s\"')\].,—-]*(?:best (?:fits"
    r"|explains|matches)"
    r"|(?:fits|explains|matches) (?:best|all|everything))\b")
_BETTER = _p(
    r"[\s\"')\],—-]*(?:(?:is|seems|appears|looks|being|(?:would|must) be) (?:(?:the|clearly|probably|much|far"
    r"|a|slightly|somewhat) )*)?(?:more (?:likely|consistent|probable|plausible|convincing|compatible|fitting"
    r"|suitable|appropriate|compelling|persuasive|reasonable|in keeping|so\b)"
    r"|stronger\b|fits better\b|explains more\b"
    r"|wins\b|stands out\b|comes closest\b)")
_PAIR = _p(r"\b(?:between|comparing|compared|among|of)\b")
_THAN = _p(r"[^.\n;]*\bthan\b(?! (?:the (?:others?|rest)|any|all|every)\b)")
_IS_ANSWER = _p(
    _COPULA + r"(?:\w+ )?(?:the|my|our) (?:(?:single|final|correct|best|right|most|likely|appropriate"
    r"|accurate|suitable) )*(?:answer|choice)\b")
_DENIED = _p(
    r"[\t\x20\"')\]]*(?:[:—][\t\x20]*)?(?:(?:this|it) )?(?:(?:is|was|are|were|seems?|looks|appears?"
    r"|would be|can|could|may|might) (?:\w+ ){0,3}?)?(?:not(?! (?:option )?[a-j](?:[.,;)!]|$))|never"
    r"|incorrect|wrong|unlikely|less|least|false|implausible|absent"
    r"|inconsistent|excluded|ruled|eliminated|tempting|isn't|wasn't|cannot|can't|doesn't|does not"
    r"|my (?:first|initial))\b")
_DENIAL = _p(
    r"(?:[^.\n]*[:—-]\s*)?(?:(?:this|it|option) )?(?:(?:is|was) )?(?:not|isn't|incorrect|wrong|unlikely"
    r"|false|less|no|ruled|excluded)\b")
_MARKED = _p(r"\(correct\)|(?:^|[:—.-]\s*)(?:this is )?(?:the )?correct\b|[✓✔✅]")
_SEPARATED = _p(r"\s*[.):,\]—]|\s*-\s")
_OPENED = _p(r"[\s\"']*[.):,;\](—]|\s*-\s| (?:because|since|as|given|due|is|for|based|over|and|or)\b")
_IF_AFTER = _p(r"[,\"')\]]* (?:only )?(?:if|unless|provided that|assuming)\b")

# --- Before an option: whose view is it, and how is it meant? Each is tried on the sentence so far.
_PEER = (
    r"\b(?:(?:dr\.?|doctor|prof\w*\.?) \w+|doctors?|colleagues?|peers?|panel\w*|group|attending"
    r"|consultants?|specialists?"
    r"|residents?|\w+ologists?|surgeons?|experts?|agents?|reviewers?|students?|users?|team|committee"
    r"|majority|others?|everyone|nurses?|physicians?|clinicians?|interns?|registrar|assistant"
    r"|models?|textbook|report|chatbot|ai|members?|readers?)")
_SAY = (
    r"\b(?:said|says?|answered|cho(?:se|sen|osing|oses?)|select(?:ed|s)?|pick(?:ed|s)?|vote[ds]?|thinks?"
    r"|thought|believe[ds]?|suggest(?:ed|s)?|argue[ds]?|claim(?:ed|s)?|conclude[ds]?|propose[ds]?"
    r"|recommend(?:ed|s)?|insist(?:ed|s)?|favou?r(?:ed|s)?|prefer(?:red|s)?|wrote|writes|report(?:ed|s)?"
    r"|gave|gives?|went|opted|state[ds]?|maintains?|read)\b")
_TURN = _p(
    r".*\b(?:but|however|yet|so|therefore|thus|hence|instead|nonetheless|nevertheless|and (?=(?:my|our)\b))"
    r"|^\W*(?:while|although|though|whereas|despite|unlike|even though|contrary to|given|since|as)\b[^,]*,"
    r"|^.*\b(?:dis)?(?:agree|concur)\b.*(?:[:;,]|\bthat\b)")
_REPORTED = _p(
    rf"{_PEER}\b[^;]{{0,60}}{_SAY}|\b(?:they|he|she) (?:\w+ )?{_SAY}(?: \w+){{0,2}}\W*$"
    rf"|{_PEER}'s?\s|(?!\b(?:ai|assistant)\b){_PEER}(?: \w+)?\s*:|\baccording to\b"
    r"|\b(?:at first|first (?:thought|glance|instinct|impression)|initially|tempting|common (?:mistake"
    r"|error)|argued?)\b|\b(?:one|you|some|many) (?:\w+ )?(?:could|might|may|would|will)\b"
    r"|\b(?:second|next|least|other|another|alternative|runner-up|wrong)[\s-]+(?:\w+ )?$")
_QUOTED = _p(rf"{_SAY}\W*[\"':]\W*$|\b(?:dr\.? \w+|colleague|peer|agent)(?: \w+)?\s*:\W*$")
_MINE = _p(r"\b(?:my|our) (?:\w+ ){0,2}$")
_FORCED = _p(
    r"\b(?:if|when|were)\b[^.]*\b(?:forced|had to|ha(?:ve|s) to|must|pressed|pushed|made to|obliged"
    r"|required|were to)\b")
_SUPPOSED = _p(
    r"^\W*then\b|(?<!even\s)\bif\b|\b(?:assum(?:e|es|ing)|suppos(?:e|ing)|imagine|hypothetically|whether"
    r"|unless|told|given that|in case)\b")
_DOUBTED = _p(
    r"(?:\b(?:don't|not|doesn't|can't|cannot|couldn't|never|unlikely|wrong|unsure|unclear|uncertain|neither"
    r"|against)|(?<!no\s)(?<!without\s)\bdoubt)\b[^,:]*$")
_DENYING = _p(
    r"\b(?:no|not|without|never|excludes?|excluded|rul(?:e[sd]?|ing) out|against|unlikely|rather than"
    r"|instead of|absence of|neither|nor|than|unlike|versus|vs)\W+(?:\w+\W+){0,2}$")

# --- Cues: words after which an option must follow, with only filler between.
_ADVERBS = (
    r"(?:also|fully|strongly|completely|entirely|largely|would|will|must|shall|should|now|still|therefore"
    r"|thus|hence|finally|personally|do|can|have|had|to|need|am|going|ultimately|then|only|definitely"
    r"|confidently|reluctantly|tentatively|just|simply|be|tend|cautiously|respectfully|instead|rather"
    r"|probably|too|all|myself|ourselves|again|likewise)")
_I = rf"\b(?:I|we)(?:'d|'ll|'m)?,? (?:{_ADVERBS},? ){{0,4}}"
_CHOOSE = (
    r"(?:cho(?:ose|osing|se|sen)|select(?:ed|ing)?|pick(?:ed|ing)?|go(?:ing)? (?:with|for)|went with"
    r"|opt(?:ing|ed)? for|vot(?:e|ed|ing)(?: for)?|answer|settle (?:on|for)"
    r"|lean(?:ing)?(?: more)?(?: towards?| to)?|favou?r|prefer|conclude|recommend|say|guess|predict"
    r"|meant|(?:stick|stay"
    r"|stand|remain) (?:with|by)|maintain|keep|commit to|endorse|support|(?:agree|side) with"
    r"|(?:chang|switch|revis|updat)(?:e|ing)?(?: my (?:answer|vote))?(?: from \w)? to)\b")
_LABEL = (
    r"(?<![/\w])(?:ans(?:wer)?|choice|guess|mine|output|prediction|assistant|option|selection|verdict"
    r"|decision|vote|pick"
    r"|conclusion|response"
    r"|consensus|final)(?: (?:choice|option|letter|index|key|to (?:this|the) question|here|(?:for"
    r"|in) this \w+|for me))?[\"'\s]*(?:(?:is|was|(?:would|should|must|will|has to) be|remains|becomes|as"
    r"|of|goes to)\b|->|=>|[:=>→—]|-+(?=\s))")
_LEAD = _p(
    r"the|my|our|final|correct|best|right|single|most|likely|appropriate|suitable|accurate|probable"
    r"|definitive|overall|updated|revised|and|so|thus|therefore|hence|that|then|is|think|believe|say|as"
    r"|conclude|preferred|ultimate|intended|one|an?|reasonable|plausible|but|now|still|chosen|selected|this"
    r"|with")
_AGAIN = (
    r"\b(?:on (?:(?:further|second|closer|careful|a) )*"
    r"(?:reflection|thoughts?|inspection|look|balance|consideration)"
    r"|after (?:further|more) (?:thought|reflection|consideration)|thinking (?:it|this) (?:over|through)"
    r"|(?:looking|thinking) again|in hindsight|in the end(?! stage|-)|ultimately"
    r"|having (?:reconsidered|reread|thought again)(?: \w+)?"
    r"|(?:agree|concur|see why)\b(?:[^.\n;?]|\bDr\.){0,80}?\b(?:but|yet|however))\b")
_RETRACTING = (
    r"(?:(?<!can\s)(?<!to\s)\bwait|\b(?:correction|actually|scratch that|strike that|sorry|hold on|oops"
    r"|my mistake|or rather|I mean|make (?:that|it)|let me correct (?:that|myself))"
    r"|(?<=[.!;—-]\s)no(?=\s*[,—-])|(?<=,\s)no(?=,)|(?<=\.\.\s)no)\b")

CUES: tuple[tuple[str, Weight, re.Pattern[str]], ...] = (
    ("boxed", Weight.STATED, _p(r"\bboxed:")),
    ("answer_label", Weight.STATED, _p(_LABEL)),
    ("own_choice", Weight.STATED, _p(_I + _CHOOSE)),
    ("choosing", Weight.STATED, _p(
        r"\b(?:and (?:choose|select|pick|go with)|choosing|selecting|going with|opting for|count me in for"
        r"|I'm with|leaning(?: towards?)?"
        r"|(?:chang|switch|revis)ing(?: my \w+)?(?: from \w)? to)\b")),
    ("agreement", Weight.STATED, _p(
        _I + r"(?:agree|concur|side)\b(?:[^.\n?]|\bDr\.){0,80}?(?:[:;(,]|\bon\b|\bthat\b)")),
    ("peer_vote", Weight.STATED, _p(
        rf"(?:{_PEER}|\b(?:they|he|she))\b[^.\n;?]{{0,40}}?{_SAY}(?: (?:for|with))?")),
    ("earlier_answer", Weight.HINTED, _p(
        r"\b(?:my|our) (?:initial|previous|original|first|earlier) (?:answer|choice)(?: (?:is|was"
        r"|remains)\b|[,:])")),
    ("opinion", Weight.HINTED, _p(_I + r"(?:think|believe|suspect)\b")),
    ("correction", Weight.STATED, _p(
        rf"{_RETRACTING}(?:[\s,.!;…—-]*\b(?:no|wait|actually|sorry|hmm|make (?:that|it)|I mean)\b)*+"
        rf"[\t\x20.!;…]*|{_AGAIN}(?:,? (?:I|we)(?: now)? (?:think|believe)\b)?")),
    ("if_forced", Weight.HINTED, _p(
        r"\b(?:(?:if|when) (?:\w+ ){0,3})?(?:forced|pressed|had|have|must)(?: to)? (?:guess|choose|pick"
        r"|select|answer|decide)\b[^.\n,]{0,40},")),
    ("superlative", Weight.HINTED, _p(
        r"\b(?:most|best|correct|likely|next(?! best)|right|diagnosis)\b[^.\n?:]{0,60}?(?:\b(?:is"
        r"|would be)\b|:)")),
    ("points_to", Weight.HINTED, _p(
        r"\b(?:consistent with|points? to(?:wards?)?|(?:suggestive|diagnostic|typical) of|indicates?"
        r"|suggests?)\b")),
    ("closing_letter", Weight.HINTED, _p(r"(?<!error):(?=[\s\"'(\[]*[a-z]\W*$)")),
    ("conclusion", Weight.HINTED, _p(
        r"\b(?:of (?:the two|these|those|them)(?=,)|therefore|thus|hence|so|but|leav(?:es|ing)|in conclusion"
        r"|it's|it is|this is|it (?:must|would|should) be|overall)\b")),
)
"""Name, weight and pattern of each announcement of an option."""

_CONTRAST = _p(
    rf"(?:\b(?:not|neither|cannot|no longer)|n't)\b(?P<denied>)[^.\n;?]{{1,{REACH}}}?"
    r"\b(?:but|rather|instead)(?: (?:rather|instead))?\b")
_WITHDRAWN = _p(
    r"[\s.,;…—-]*(?:(?:no|hmm),? )?(?:wait|hold on|scratch that|strike that|actually)\b"
    r"(?:[\s,.!—-]*no\b)?\W*\Z")

OWN = frozenset(("own_choice", "agreement", "opinion", "boxed"))
"""Rules whose subject is the model, so that a colleague named earlier in the sentence is not the speaker."""

REFUSALS = _p(
    r"\b(?:I|we|one)(?:'m| am| are| have to| must)? (?:\w+ ){0,2}?(?:cannot|can't|can not|could not"
    r"|couldn't|not going to"
    r"|unable to|not able to|won't|will not|not (?:qualified|comfortable"
    r"|in a position)(?: to)?) (?:\w+ly )?(?:answer|provid|choos|select|pick|giv|determin|offer|mak"
    r"|recommend|assist|help|comply|diagnos|decid|say|commit|predict|identif|fulfil|advis|respond|tell"
    r"|guess|speculat)\w*|\b(?:I|we)(?:'d)? (?:\w+ ){0,2}?(?:decline|refuse|abstain|refrain|(?:don't"
    r"|do not) (?:know|have (?:enough|sufficient))|rather not|prefer not|choose not to)\b"
    r"|\bno (?:\w+ )?answer can be\b|\bbeyond my\b"
    r"|\b(?:impossible|inappropriate|not (?:be )?(?:possible|appropriate"
    r"|safe)) (?:for me )?to (?:\w+ly )?(?:determine|choose|answer|say|select|predict|provide|pick)\b"
    r"|\bcannot be (?:\w+ly )?(?:answered|determined|predicted|chosen|selected|given|provided)\b"
    r"|^\W*(?:unable|not able) to (?:answer|determine|choose|provide|select)\b"
    r"|\bas an? (?:AI|artificial intelligence|(?:large )?language model)\b|\bI'm sorry,? (?:but|I)\b"
    r"|\bI apologi[sz]e,? but\b|\bprediction is (?:not possible|impossible)\b|\b(?:not enough"
    r"|insufficient) (?:\w+ )?(?:information|data|detail)|\bconsult (?:a"
    r"|your)\b")
_AGREED = _p(
    rf"\bI (?:{_ADVERBS} ){{0,2}}(?:agree|concur)\b(?: with (?:dr\.? |prof\.? )(?P<name>\w+))?"
    r"|\b(?:(?:so|as) do (?:I|we)|me too|same here|I (?:do|think so|say so) (?:too|as well)"
    r"|I (?:think|say|vote) the same)\b")
_DANGLING = _p(
    r"(?:\b(?:the|(?-i:an?)|of|and|or|to|with|is|are|was|for|which|because|by|as|from|at|would|its|may|into"
    r"|between|whether|although|unless|than|(?:whether|because|that|if|although|unless) (?:the|an?|her|his"
    r"|this|their) \w+)|[,:;(-])$")
_SENTENCE = re.compile(r"(?<=[a-z]{3})[.!?](?=\s)")
_YES_NO = _p(
    r"(?:^|[.!?;:\n])[\t\x20\"'(\[-]*(?P<word>yes|no)\b(?! (?:doubt|question|longer|one|problem"
    r"|wonder)\b)(?!\W+(?:or|and|nor)\W+(?:yes|no)\b)")
_THERE_IS_NO = _p(r"^\W*(?:there (?:is|are|was|were)|(?:I|we) (?:see|find)|(?:(?:it|(?:the"
    r"|this) \w+) )?shows?) (?P<word>no)\b(?! (?:\w+ )?(?:doubt|answer|way)\b)")
# fmt: on
_COMMON = frozenset(
    ("yes", "no", "maybe", "none", "all", "both", "other", "normal", "abnormal", "positive", "negative")
)
"""Option texts too common in prose to count where they are merely mentioned."""


def extract(
    reply: str | None, options: Sequence[str] | Mapping[str, str], letters: Sequence[str] | None = None
) -> Answer:
    """Read the option a reply settles on.

    No text at all (None, blank) is unparseable, rule `no_text`; whether the service sent nothing is the
    transport's to say. Truncated is judged from the text alone: no explicit answer, and it stops in
    mid-sentence (see `CUT_WORDS`). Two answers at once ("A or C") are unparseable, rule `several`; a text
    that two options share is `ambiguous_text`.

    Args:
        reply: what the model said; markup and LaTeX are read through.
        options: texts in display order, or letter to text, the texts empty where only letters are known.
        letters: the labels shown, where not A, B, C...

    Raises:
        MedagentsError: no options, or more options than letters.
    """
    labels, texts = labelled(options, letters)
    if reply is None or not reply.strip():
        return Answer(Status.UNPARSEABLE, None, None, "no_text")
    turn = _NEXT_TURN.search(reply)
    if turn and reply[: turn.start()].strip():
        first = _read(reply[: turn.start()], labels, texts)
        if first.status is Status.ANSWERED:
            return first
    return _read(reply, labels, texts)


def labelled(
    options: Sequence[str] | Mapping[str, str], letters: Sequence[str] | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels and texts of `options` in display order; keys longer than a letter are texts themselves.

    Raises:
        MedagentsError: no options, or more options than letters.
    """
    if isinstance(options, Mapping) and all(len(key) == 1 for key in options):
        letters, texts = letters or tuple(options), tuple(options.values())
    elif isinstance(options, Mapping):
        texts = tuple(value or key for key, value in options.items())
    else:
        texts = tuple(options)
    labels = tuple(letters or LETTERS)[: len(texts)]
    if not texts:
        raise MedagentsError("no options to read a reply against; give at least one")
    if len(labels) < len(texts):
        raise MedagentsError(f"{len(texts)} options but {len(labels)} letters; give one letter an option")
    return labels, texts


def read_jsonl(stream_in: IO[str], stream_out: IO[str]) -> int:
    """Read replies `{"id", "reply", "options"}` a line; write `{"id", "status", "option", "letter", "rule"}`.

    A stream: each result is written before the next line is read, so that results ahead of a broken line
    stand and only the rest need be run again. Blank lines are skipped. Returns the number of results.

    Raises:
        MedagentsError: at the first broken line, by its number.
    """
    done = 0
    for number, line in enumerate(stream_in, 1):
        if line.strip():
            try:
                result = _result(line)
            except MedagentsError as fault:
                message = f"line {number}: {fault}; mend or remove it (earlier lines are already written)"
                raise MedagentsError(message) from fault
            stream_out.write(json.dumps(result, ensure_ascii=False) + "\n")
            done += 1
    return done


def _result(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise MedagentsError(f"not JSON ({fault})") from fault
    if not isinstance(record, dict) or not {"id", "reply", "options"} <= record.keys():
        raise MedagentsError('not an object with "id", "reply" and "options"')
    name, reply, options = record["id"], record["reply"], record["options"]
    if not isinstance(reply, str | None):
        raise MedagentsError(f"record {name!r}: reply is neither text nor null")
    texts = list(options.values()) if isinstance(options, dict) else options
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise MedagentsError(f"record {name!r}: options are neither a list of texts nor letter to text")
    try:
        answer, labels = extract(reply, options), labelled(options)[0]
    except MedagentsError as fault:
        raise MedagentsError(f"record {name!r}: {fault}") from fault
    letter = None if answer.option is None else labels[answer.option]
    status, rule = answer.status.value, answer.rule
    return {"id": name, "status": status, "option": answer.option, "letter": letter, "rule": rule}


def _read(reply: str, labels: Sequence[str], texts: Sequence[str]) -> Answer:
    """Weigh the findings against a refusal and a cut."""
    page = _Page(reply, labels, texts)
    found = sorted((f for find in FINDERS for f in find(page)), key=lambda f: f.order, reverse=True)
    best = _heaviest(page, found)
    refusal = max((match.start() for match in REFUSALS.finditer(page.text)), default=-1)
    cut = _cut(reply)
    firm = best and (best.weight >= Weight.OPENING or (best.weight is Weight.HINTED and not cut))
    if best and firm and (best.weight >= Weight.OPENING or refusal < best.start):
        return _answer(reply, best)
    if refusal >= 0 and not (cut and len(reply) - refusal > CONTEXT):
        return Answer(Status.REFUSED, None, reply[refusal:].split("\n")[0][:CONTEXT], "refusal")
    if cut or _left_hanging(reply):
        return Answer(Status.TRUNCATED, None, reply.rstrip()[-REACH:], "cut_off")
    standing = [f for f in found if f.weight is Weight.MENTIONED and _judge(page, f)]
    if best and len({f.mention.option for f in standing}) == 1:
        return _answer(reply, best)
    return Answer(Status.UNPARSEABLE, None, None, "several_named" if standing else "no_option")


def _heaviest(page: "_Page", found: Sequence[_Finding]) -> _Finding | None:
    """The first of `found` to stand; judging can only lower a finding, so the rest need no look."""
    best = None
    for finding in found:
        if best and finding.order <= best.order:
            break
        judged = _judge(page, finding)
        if judged and (best is None or judged.order > best.order):
            best = judged
    return best


def _answer(reply: str, finding: _Finding) -> Answer:
    option, rule = finding.mention.option, finding.rule
    span = reply[finding.start : finding.mention.end].strip()
    if option is None:
        return Answer(Status.UNPARSEABLE, None, span, rule if rule == "several" else "ambiguous_text")
    return Answer(Status.ANSWERED, option, span, rule)


def _cut(reply: str) -> bool:
    """Whether the reply stops in mid-sentence."""
    last = reply.rstrip().rsplit("\n", 1)[-1]
    words = len(reply.split())
    if _DANGLING.search(last):
        return words >= DANGLING_WORDS
    return last[-1].isalnum() and len(last.split()) >= CUT_WORDS and words >= RUNAWAY_WORDS


def _left_hanging(reply: str) -> bool:
    """Whether the last line closes its sentences but the last, a long one; a hint still outweighs it."""
    last = reply.rstrip().rsplit("\n", 1)[-1]
    ends = [match.end() for match in _SENTENCE.finditer(last)]
    open_words = len(last[ends[-1] :].split()) if ends else 0
    return last[-1].isalnum() and len(ends) >= CLOSED_SENTENCES and open_words >= CUT_WORDS


def _clean(reply: str) -> str:
    """Markup to blanks and odd characters to plain ones, every offset kept; thinking aloud is blanked."""
    if not reply.isascii():
        plain = {c: unicodedata.normalize("NFKC", c) for c in set(reply)}
        reply = "".join(plain[c] if len(plain[c]) == 1 else c for c in reply)
    text = _BOX.sub(lambda m: "boxed:".rjust(len(m[0])), reply)
    text = _MACRO.sub(lambda m: " " * len(m[0]), text).translate(_BLANK)
    thought = max((m.end() for m in _THOUGHT.finditer(text)), default=0)
    return " " * thought + text[thought:] if text[thought:].strip() else text


def _fold(word: str) -> str:
    """A word in the form in which spellings agree: case, accents, British vowels and 's folded."""
    word = word.casefold()
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return word.removesuffix("'s").replace("ae", "e").replace("oe", "e").replace("our", "or")


class _Page:
    """One reply laid out for reading: clean text, its words, and every option named in it."""

    def __init__(self, reply: str, labels: Sequence[str], texts: Sequence[str]) -> None:
        self.reply, self.text = reply, _clean(reply)
        self.options = [[_fold(word) for word in _WORD.findall(_clean(text))] for text in texts]
        self.words = [(_fold(m[0]), m.start(), m.end()) for m in _WORD.finditer(self.text)]
        self.word_at = {start: i for i, (_, start, _) in enumerate(self.words)}
        named = [*self._letters(labels), *self._texts()]
        self.mentions: list[_Mention] = []
        for mention in sorted(named, key=lambda m: (m.start, -m.end)):
            if not self.mentions or mention.end > self.mentions[-1].end:  # else within a longer one
                self.mentions.append(mention)
        self.starts = [mention.start for mention in self.mentions]

    def _letters(self, labels: Sequence[str]) -> Iterator[_Mention]:
        letters = {label.casefold(): i for i, label in enumerate(labels)}
        for match in _LETTER.finditer(self.text):
            option = letters.get(match[0].casefold())
            if option is not None and _is_letter(self.text, match.start()):
                yield _Mention(match.start(), match.end(), option, True)

    def _texts(self) -> Iterator[_Mention]:
        """Option texts in whole words, whatever the case, hyphens and spelling."""
        opens: dict[int, int] = {}
        closes: dict[int, int] = {}
        at = 0
        for word, start, end in self.words:
            opens[at], at = start, at + len(word)
            closes[at] = end
        stream, keys = "".join(word for word, _, _ in self.words), ["".join(words) for words in self.options]
        for option, key in enumerate(keys):
            at = stream.find(key) if key else -1
            while at >= 0:
                if at in opens and at + len(key) in closes:
                    only = option if keys.count(key) == 1 else None
                    yield _Mention(opens[at], closes[at + len(key)], only, False)
                at = stream.find(key, at + 1)

    def at(self, start: int) -> _Mention | None:
        """The mention that begins at `start`."""
        i = bisect_left(self.starts, start)
        return self.mentions[i] if i < len(self.starts) and self.starts[i] == start else None

    def pick(self, start: int, behind: bool = True) -> _Mention | None:
        """The option named next after `start`: past filler, misspelt, or `behind` other words ("X (C)")."""
        filled = _FILL.match(self.text, start)
        end = filled.end() if filled else start
        i = bisect_left(self.starts, start)
        if i < len(self.starts) and self.starts[i] <= end:
            return self.whole(self.mentions[i])
        further = _BEHIND.match(self.text, start) if behind else None
        return self.near(end) or (self.at(further.end()) if further else None)

    def whole(self, mention: _Mention) -> _Mention:
        """`mention` with the option's own text where that follows its letter."""
        gap = _GAP.match(self.text, mention.end)
        text = self.at(gap.end()) if gap and mention.letter else None
        if text and not text.letter and text.option in (mention.option, None):
            return _Mention(mention.start, text.end, mention.option, True)
        return mention

    def near(self, start: int) -> _Mention | None:
        """A misspelt option text beginning at `start`, no less like it than `FLOOR`."""
        i = self.word_at.get(start)
        scores = []
        for option, words in enumerate(self.options):
            heard = self.words[i : i + len(words)] if i is not None else []
            if heard:
                scores.append((_likeness([word for word, _, _ in heard], words), option, heard[-1][2]))
        score, option, end = max(scores, default=(0.0, 0, 0))
        return _Mention(start, end, option, False) if score >= FLOOR else None

    def before(self, at: int) -> str:
        """The sentence up to `at`."""
        window = self.text[max(0, at - CONTEXT) : at]
        return window[max((m.end() for m in _STOP.finditer(window)), default=0) :]

    def after(self, at: int) -> str:
        """The rest of the sentence from `at`, with the mark that ends it."""
        stop = _STOP.search(self.text, at, at + CONTEXT)
        return self.text[at : stop.end() if stop else at + CONTEXT]

    def joined(self, mention: _Mention) -> str:
        """Whether another option shares the statement: "several" ("A or C"), "plural" ("A and C are"), ""."""
        link = _LINK.match(self.text, mention.end)
        other = self.at(link.end()) if link else None
        if not link or not other or other.option == mention.option:
            return ""
        if _PLURAL.match(self.text, other.end):
            return "plural"
        return "several" if re.search(r"\bor\b", link[0]) or not _VERB.match(self.text, other.end) else ""


def _likeness(heard: Sequence[str], words: Sequence[str]) -> float:
    """Likeness of two phrases from 0 to 1; 0 where their words do not begin alike or numbers differ."""
    pairs = list(zip(heard, words, strict=False))
    if len(heard) != len(words) or any(a[:OPENING] != b[:OPENING] for a, b in pairs):
        return 0.0
    if any(a != b for a, b in pairs if any(map(str.isdigit, a + b))):
        return 0.0
    return SequenceMatcher(None, " ".join(heard), " ".join(words), autojunk=False).ratio()


def _is_letter(text: str, at: int) -> bool:
    """Whether the single character at `at` labels an option: not an article, a pronoun or half a name."""
    letter, before, after = text[at], text[max(0, at - 20) : at], text[at + 1 : at + 21]
    if _HALF_NAME.match(after):
        return False
    following = re.match(r"[ \t]+([A-Za-z\d][\w']*)", after)
    word = following[1] if following else ""
    if letter == "I":
        return word in ("", "is")
    if not letter.isupper():
        return not word or bool(_FUNCTION.fullmatch(word) and _LABELLED.search(before))
    if letter != "A" or word[:1].isupper() or not word:
        return True
    return bool(_FUNCTION.fullmatch(word) or _TRAILING.match(text, at + 1))


def _praise(page: _Page, mention: _Mention) -> Weight | None:
    """How firmly the option is said to be right, or better: than one other, it is no more than mentioned."""
    if _POSITIVE.match(page.text, mention.end):
        return Weight.HINTED
    better = _BETTER.match(page.text, mention.end)
    if not better:
        return None
    compared = _THAN.match(page.after(better.end())) and not _PAIR.search(page.before(mention.start))
    return Weight.MENTIONED if compared else Weight.HINTED


def _judge(page: _Page, finding: _Finding) -> _Finding | None:
    """The finding at its due weight, or None where its sentence does not commit the model to it."""
    mention, rule, weight = finding.mention, finding.rule, finding.weight
    before, after = page.before(finding.start), page.after(mention.end)
    turned = _TURN.sub("", before)
    own = rule in OWN or _MINE.search(before)
    if rule == "peer_vote" or (_QUOTED.search(before) if own else _REPORTED.search(turned)):
        said = before + page.text[finding.start : mention.end]
        if not _agrees(page.text, said, mention.end):
            return None
    forced = _FORCED.search(turned) or _FORCED.search(after)
    if not forced and (_SUPPOSED.search(turned) or _IF_AFTER.match(after)):
        return None
    if _DOUBTED.search(turned) or _DENIED.match(after) or after.endswith("?"):
        return None
    if weight is Weight.MENTIONED and _DENYING.search(before):
        return None
    if _WITHDRAWN.match(page.text, mention.end):
        return None
    praise = _praise(page, mention)
    positive = praise is not None and praise >= min(weight, Weight.HINTED)
    if (
        (mention.letter or rule in ("answer_label", "first_line", "opened_line"))
        and _VERB.match(after)
        and not positive
    ):
        return None
    named = page.text[mention.start : mention.end]
    if weight is Weight.HINTED and named in ("a", "i"):
        return None
    vague = mention.letter or named.casefold() in _COMMON
    if (
        vague
        and (weight is Weight.HINTED or rule in ("correction", "contrast"))
        and not (positive or _CLOSED.match(after))
    ):
        return None
    joined = page.joined(mention)
    if joined == "plural":
        return None
    if joined:
        mention, rule = _Mention(mention.start, mention.end, None, mention.letter), "several"
        weight = Weight.HINTED if weight is Weight.OPENING else weight
    return _Finding(finding.start, mention, rule, min(weight, Weight.HINTED) if forced else weight)


def _agrees(text: str, said: str, end: int) -> bool:
    """Whether the reply goes on to agree with what was `said`: just after, or later by name."""
    for match in _AGREED.finditer(text, end, end + CONTEXT):
        if match["name"] in said if match["name"] else match.start() - end <= REACH:
            return True
    return False


def _announced(page: _Page) -> Iterator[_Finding]:
    """Options announced by the rules of `CUES`."""
    for rule, weight, pattern in CUES:
        for match in pattern.finditer(page.text):
            lead = re.search(r"([\w'/-]+)[ \t]+$", page.text[max(0, match.start() - 20) : match.start()])
            known = lead is None or _LEAD.fullmatch(lead[1]) or _REPORTED.search(lead[0])
            mention = page.pick(match.end()) if known or rule != "answer_label" else None
            if mention:
                yield _Finding(match.start(), mention, rule, weight)


def _contrasted(page: _Page) -> Iterator[_Finding]:
    """Options put in the place of a denied one: "not A but D"."""
    for match in _CONTRAST.finditer(page.text):
        denied = page.pick(match.start("denied"), behind=False)
        mention = page.pick(match.end(), behind=False)
        if denied and mention and denied.end <= match.end() < mention.end:
            yield _Finding(match.start(), mention, "contrast", Weight.STATED)


def _affirmed(page: _Page) -> Iterator[_Finding]:
    """Options of which something is said: "C is the answer", "C is most likely"."""
    for mention in map(page.whole, page.mentions):
        praise = _praise(page, mention)
        if praise is not None:
            lead = page.text[max(0, mention.start - 20) : mention.start]
            if (not mention.letter or _CLAUSE.search(lead)) and not _JOINED.search(lead):
                stated = _IS_ANSWER.match(page.text, mention.end)
                weight = Weight.STATED if stated else praise
                yield _Finding(mention.start, mention, "is_the_answer", weight)


@dataclass(frozen=True)
class _Head:
    """A line that begins with an option: `kind` is bare (a letter only), exact, labelled or opened."""

    number: int
    style: str
    kind: str
    mention: _Mention
    rest: str


def _head(page: _Page, line: re.Match[str], number: int) -> _Head | None:
    bullet = _BULLET.match(page.text, line.start())
    mention = page.pick(bullet.end() if bullet else line.start(), behind=False)
    if not mention or mention.end > line.end():
        return None
    rest = page.text[mention.end : line.end()].strip(" \"')].!*:,-")
    style = re.sub(r"[\s\d]", "", page.reply[line.start() : mention.start]) + "ab"[mention.letter]
    if not rest:
        kind = "bare" if mention.end - mention.start == 1 else "exact"
    elif not _OPENED.match(page.text, mention.end, line.end()):
        return None
    else:
        label = mention.letter and len(rest.split()) <= SHORT and _SEPARATED.match(page.text, mention.end)
        kind = "labelled" if label else "opened"
    return _Head(number, style, kind, mention, rest)


def _on_lines(page: _Page) -> Iterator[_Finding]:
    """Lines that are an option, or open with one, except where they only list the options."""
    lines = [line for line in re.finditer(r"[^\n]+", page.text) if any(map(str.isalnum, line[0]))]
    groups: dict[str, list[_Head]] = {}
    for number, line in enumerate(lines):
        head = _head(page, line, number)
        if head:
            groups.setdefault(head.style, []).append(head)
            if _MARKED.search(head.rest):
                yield _Finding(head.mention.start, head.mention, "marked_correct", Weight.HINTED)
    for head in (head for group in groups.values() for head in _unlisted(group)):
        closing = head.kind == "labelled" and head.number == len(lines) - 1
        if head.kind in ("bare", "exact") or (closing and not _DENIAL.match(head.rest)):
            yield _Finding(head.mention.start, head.mention, "own_line", Weight.STATED)
        elif not _DENIAL.match(head.rest):
            rule, weight = ("opened_line", Weight.HINTED) if head.number else ("first_line", Weight.OPENING)
            yield _Finding(head.mention.start, head.mention, rule, weight)


def _unlisted(group: Sequence[_Head]) -> Iterator[_Head]:
    """Lines of one style that answer.

    Several options in one style are a list, save for an answer put before it (out of order, or alone
    without a comment), one put after it (named before), and letters that stand alone.
    """
    options = [-1 if head.mention.option is None else head.mention.option for head in group]
    if len(set(options)) == 1:
        yield from group
        return
    kinds = [head.kind for head in group]
    plain = kinds[0] == "exact" and "exact" not in kinds[1:]
    ahead = plain or (options[1] < options[0] and kinds[1] != "bare")
    for i, head in enumerate(group):
        first, last = i == 0 and head.number == 0 and ahead, head is group[-1] and options[i] in options[:i]
        near = [group[k].number for k in (i - 1, i + 1) if 0 <= k < len(group)]
        alone = head.kind == "bare" and all(abs(number - head.number) > 1 for number in near)
        if first or last or alone:
            yield head


def _yes_or_no(page: _Page) -> Iterator[_Finding]:
    """Sentences that open with yes or no, where those are options ("No evidence of effusion")."""
    options = {"".join(words): option for option, words in enumerate(page.options)}
    if {"yes", "no"} <= options.keys():
        for match in (*_YES_NO.finditer(page.text), *_THERE_IS_NO.finditer(page.text)):
            start, end = match.span("word")
            mention = _Mention(start, end, options[match["word"].casefold()], False)
            yield _Finding(start, mention, "yes_or_no", Weight.MENTIONED)


def _named(page: _Page) -> Iterator[_Finding]:
    """Options merely named: by text anywhere, by letter in a short reply with nothing but filler ahead."""
    for mention in map(page.whole, page.mentions):
        text = page.text[mention.start : mention.end]
        if mention.letter:
            sentence = mention.start - len(page.before(mention.start))
            told = len(page.words) <= SHORT and page.pick(sentence) == mention
        else:
            told = text.casefold() not in _COMMON and any(map(str.isalpha, text))
        if told:
            yield _Finding(mention.start, mention, "only_option_named", Weight.MENTIONED)


FINDERS = (_announced, _contrasted, _affirmed, _on_lines, _yes_or_no, _named)
"""Everything that looks for an answer; weight and place decide, not the order here."""
