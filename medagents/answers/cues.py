"""Words that announce, affirm, deny, doubt or take back an option, or refuse to name one."""

import re

from medagents.answers.base import REACH, Weight, rx

# fmt: off
# --- After an option: is it affirmed or denied?
CLOSED = rx(
    r"[\s\"')\]]*(?:[.,;:!\n)—-]|$"
    r"|(?:because|since|as|given|due|for|based|over|rather than|with|here|in|then)\b)")
_COPULA = (
    r"[\s\"')\].,:—-]*(?:(?:this|which|it) )?(?:is|seems|appears|remains|looks|(?:would|must|should"
    r"|will) be) ")
POSITIVE = rx(
    _COPULA + r"(?:(?:to be|the|my|our|an?|clearly|therefore|thus|definitely|indeed|probably|still|by far"
    r"|single|overall|final) )*(?:correct|right|best|better|most(?! (?:unlikely|incorrect))|likely|answer"
    r"|choice|preferred|favou?red|true|ideal|optimal|\w+ of choice)\b|[\s\"')\].,—-]*(?:best (?:fits"
    r"|explains|matches)"
    r"|(?:fits|explains|matches) (?:best|all|everything))\b")
BETTER = rx(
    r"[\s\"')\],—-]*(?:(?:is|seems|appears|looks|being|(?:would|must) be) (?:(?:the|clearly|probably|much|far"
    r"|a|slightly|somewhat) )*)?(?:more (?:likely|consistent|probable|plausible|convincing|compatible|fitting"
    r"|suitable|appropriate|compelling|persuasive|reasonable|in keeping|so\b)"
    r"|stronger\b|fits better\b|explains more\b"
    r"|wins\b|stands out\b|comes closest\b)")
PAIR = rx(r"\b(?:between|comparing|compared|among|of)\b")
THAN = rx(r"[^.\n;]*\bthan\b(?! (?:the (?:others?|rest)|any|all|every)\b)")
IS_ANSWER = rx(
    _COPULA + r"(?:\w+ )?(?:the|my|our) (?:(?:single|final|correct|best|right|most|likely|appropriate"
    r"|accurate|suitable) )*(?:answer|choice)\b")
DENIED = rx(
    r"[\t\x20\"')\]]*(?:[:—][\t\x20]*)?(?:(?:this|it) )?(?:(?:is|was|are|were|seems?|looks|appears?"
    r"|would be|can|could|may|might) (?:\w+ ){0,3}?)?(?:not(?! (?:option )?[a-j](?:[.,;)!]|$))|never"
    r"|incorrect|wrong|unlikely|less|least|false|implausible|absent"
    r"|inconsistent|excluded|ruled|eliminated|tempting|isn't|wasn't|cannot|can't|doesn't|does not"
    r"|my (?:first|initial))\b")
DENIAL = rx(
    r"(?:[^.\n]*[:—-]\s*)?(?:(?:this|it|option) )?(?:(?:is|was) )?(?:not|isn't|incorrect|wrong|unlikely"
    r"|false|less|no|ruled|excluded)\b")
MARKED = rx(r"\(correct\)|(?:^|[:—.-]\s*)(?:this is )?(?:the )?correct\b|[✓✔✅]")
SEPARATED = rx(r"\s*[.):,\]—]|\s*-\s")
OPENED = rx(r"[\s\"']*[.):,;\](—]|\s*-\s| (?:because|since|as|given|due|is|for|based|over|and|or)\b")
IF_AFTER = rx(r"[,\"')\]]* (?:only )?(?:if|unless|provided that|assuming)\b")

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
TURN = rx(
    r".*\b(?:but|however|yet|so|therefore|thus|hence|instead|nonetheless|nevertheless|and (?=(?:my|our)\b))"
    r"|^\W*(?:while|although|though|whereas|despite|unlike|even though|contrary to|given|since|as)\b[^,]*,"
    r"|^.*\b(?:dis)?(?:agree|concur)\b.*(?:[:;,]|\bthat\b)")
REPORTED = rx(
    rf"{_PEER}\b[^;]{{0,60}}{_SAY}|\b(?:they|he|she) (?:\w+ )?{_SAY}(?: \w+){{0,2}}\W*$"
    rf"|{_PEER}'s?\s|(?!\b(?:ai|assistant)\b){_PEER}(?: \w+)?\s*:|\baccording to\b"
    r"|\b(?:at first|first (?:thought|glance|instinct|impression)|initially|tempting|common (?:mistake"
    r"|error)|argued?)\b|\b(?:one|you|some|many) (?:\w+ )?(?:could|might|may|would|will)\b"
    r"|\b(?:second|next|least|other|another|alternative|runner-up|wrong)[\s-]+(?:\w+ )?$")
QUOTED = rx(rf"{_SAY}\W*[\"':]\W*$|\b(?:dr\.? \w+|colleague|peer|agent)(?: \w+)?\s*:\W*$")
MINE = rx(r"\b(?:my|our) (?:\w+ ){0,2}$")
FORCED = rx(
    r"\b(?:if|when|were)\b[^.]*\b(?:forced|had to|ha(?:ve|s) to|must|pressed|pushed|made to|obliged"
    r"|required|were to)\b")
SUPPOSED = rx(
    r"^\W*then\b|(?<!even\s)\bif\b|\b(?:assum(?:e|es|ing)|suppos(?:e|ing)|imagine|hypothetically|whether"
    r"|unless|told|given that|in case)\b")
DOUBTED = rx(
    r"(?:\b(?:don't|not|doesn't|can't|cannot|couldn't|never|unlikely|wrong|unsure|unclear|uncertain|neither"
    r"|against)|(?<!no\s)(?<!without\s)\bdoubt)\b[^,:]*$")
DENYING = rx(
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
LEAD = rx(
    r"the|my|our|final|correct|best|right|single|most|likely|appropriate|suitable|accurate|probable"
    r"|definitive|overall|updated|revised|and|so|thus|therefore|hence|that|then|is|think|believe|say|as"
    r"|conclude|preferred|ultimate|intended|one|an?|reasonable|plausible|but|now|still|chosen|selected|this"
    r"|with")
_AGAIN = (
    r"\b(?:on (?:(?:further|second|closer|careful|a) )*"
    r"(?:reflection|thoughts?|inspection|look|balance|consideration)"
    r"|after (?:further|more) (?:thought|reflection|consideration)|thinking (?:it|this) (?:over|through)"
    r"|(?:looking|thinking) again|in hindsight|in the end|ultimately"
    r"|having (?:reconsidered|reread|thought again)(?: \w+)?"
    r"|(?:agree|concur|see why)\b(?:[^.\n;?]|\bDr\.){0,80}?\b(?:but|yet|however))\b")
_RETRACTING = (
    r"(?:(?<!can\s)(?<!to\s)\bwait|\b(?:correction|actually|scratch that|strike that|sorry|hold on|oops"
    r"|my mistake|or rather|I mean|make (?:that|it)|let me correct (?:that|myself))"
    r"|(?<=[.!;—-]\s)no(?=\s*[,—-])|(?<=,\s)no(?=,)|(?<=\.\.\s)no)\b")

CUES: tuple[tuple[str, Weight, re.Pattern[str]], ...] = (
    ("boxed", Weight.STATED, rx(r"\bboxed:")),
    ("answer_label", Weight.STATED, rx(_LABEL)),
    ("own_choice", Weight.STATED, rx(_I + _CHOOSE)),
    ("choosing", Weight.STATED, rx(
        r"\b(?:and (?:choose|select|pick|go with)|choosing|selecting|going with|opting for|count me in for"
        r"|I'm with|leaning(?: towards?)?"
        r"|(?:chang|switch|revis)ing(?: my \w+)?(?: from \w)? to)\b")),
    ("agreement", Weight.STATED, rx(
        _I + r"(?:agree|concur|side)\b(?:[^.\n?]|\bDr\.){0,80}?(?:[:;(,]|\bon\b|\bthat\b)")),
    ("peer_vote", Weight.STATED, rx(
        rf"(?:{_PEER}|\b(?:they|he|she))\b[^.\n;?]{{0,40}}?{_SAY}(?: (?:for|with))?")),
    ("earlier_answer", Weight.HINTED, rx(
        r"\b(?:my|our) (?:initial|previous|original|first|earlier) (?:answer|choice)(?: (?:is|was"
        r"|remains)\b|[,:])")),
    ("opinion", Weight.HINTED, rx(_I + r"(?:think|believe|suspect)\b")),
    ("correction", Weight.STATED, rx(
        rf"{_RETRACTING}(?:[\s,.!;…—-]*\b(?:no|hmm)\b)*+"
        rf"[\t\x20.!;…]*|{_AGAIN}(?:,? (?:I|we)(?: now)? (?:think|believe)\b)?")),
    ("if_forced", Weight.HINTED, rx(
        r"\b(?:(?:if|when) (?:\w+ ){0,3})?(?:forced|pressed|had|have|must)(?: to)? (?:guess|choose|pick"
        r"|select|answer|decide)\b[^.\n,]{0,40},")),
    ("superlative", Weight.HINTED, rx(
        r"\b(?:most|best|correct|likely|next(?! best)|right|diagnosis)\b[^.\n?:]{0,60}?(?:\b(?:is"
        r"|would be)\b|:)")),
    ("points_to", Weight.HINTED, rx(
        r"\b(?:consistent with|points? to(?:wards?)?|(?:suggestive|diagnostic|typical) of|indicates?"
        r"|suggests?)\b")),
    ("closing_letter", Weight.HINTED, rx(r"(?<!error):(?=[\s\"'(\[]*[a-z]\W*$)")),
    ("conclusion", Weight.HINTED, rx(
        r"\b(?:of (?:the two|these|those|them)(?=,)|therefore|thus|hence|so|but|leav(?:es|ing)|in conclusion"
        r"|it's|it is|this is|it (?:must|would|should) be|overall)\b")),
)
"""Name, weight and pattern of each announcement of an option."""

CONTRAST = rx(
    rf"(?:\b(?:not|neither|cannot|no longer)|n't)\b(?P<denied>)[^.\n;?]{{1,{REACH}}}?"
    r"\b(?:but|rather|instead)(?: (?:rather|instead))?\b")
WITHDRAWN = rx(
    r"[\s.,;…—-]*(?:(?:no|hmm),? )?(?:wait|hold on|scratch that|strike that|actually)\b"
    r"(?:[\s,.!—-]*no\b)?\W*\Z")

OWN = frozenset(("own_choice", "agreement", "opinion", "boxed"))
"""Rules whose subject is the model, so that a colleague named earlier in the sentence is not the speaker."""

REFUSALS = rx(
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
AGREED = rx(
    rf"\bI (?:{_ADVERBS} ){{0,2}}(?:agree|concur)\b(?: with (?:dr\.? |prof\.? )(?P<name>\w+))?"
    r"|\b(?:(?:so|as) do (?:I|we)|me too|same here|I (?:do|think so|say so) (?:too|as well)"
    r"|I (?:think|say|vote) the same)\b")
DANGLING = rx(
    r"(?:\b(?:the|(?-i:an?)|of|and|or|to|with|is|are|was|for|which|because|by|as|from|at|would|its|may|into"
    r"|between|whether|although|unless|than|(?:whether|because|that|if|although|unless) (?:the|an?|her|his"
    r"|this|their) \w+)|[,:;(-])$")
SENTENCE = re.compile(r"(?<=[a-z]{3})[.!?](?=\s)")
YES_NO = rx(
    r"(?:^|[.!?;:\n])[\t\x20\"'(\[-]*(?P<word>yes|no)\b(?! (?:doubt|question|longer|one|problem"
    r"|wonder)\b)(?!\W+(?:or|and|nor)\W+(?:yes|no)\b)")
THERE_IS_NO = rx(r"^\W*(?:there (?:is|are|was|were)|(?:I|we) (?:see|find)|(?:(?:it|(?:the"
    r"|this) \w+) )?shows?) (?P<word>no)\b(?! (?:\w+ )?(?:doubt|answer|way)\b)")
# fmt: on
COMMON = frozenset(
    ("yes", "no", "maybe", "none", "all", "both", "other", "normal", "abnormal", "positive", "negative")
)
"""Option texts too common in prose to count where they are merely mentioned."""
