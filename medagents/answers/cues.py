"""Words that announce an option, by rule; what is announced still has to stand (`judge`).

Patterns are laid out a group of words a line (see `base.rx`).
"""

import re

from medagents.answers.base import REACH, Weight, rx
from medagents.answers.voices import ADVERBS, PEER, SAY

# fmt: off
_I = rf"\b(?:I|we)(?:'d|'ll|'m)?,? (?:{ADVERBS},? ){{0,4}}"
_CHOOSE = r"""(?:
    cho(?:ose|osing|se|sen)|select(?:ed|ing)?|pick(?:ed|ing)?|go(?:ing)? (?:with|for)|went with  # a choice
    |opt(?:ing|ed)? for|vot(?:e|ed|ing)(?: for)?|answer|settle (?:on|for)
    |lean(?:ing)?(?: more)?(?: towards?| to)?|favou?r|prefer  # an inclination
    |conclude|recommend|say|guess|predict|meant
    |(?:stick|stay|stand|remain) (?:with|by)  # a choice kept
    (?: (?:my|our) (?:original|initial|previous|first|earlier) \w+(?: of|,)?)?
    |maintain|keep|commit to|endorse|support|(?:agree|side) with|hold(?: to| with)?|lock(?:ing)? in
    |bet(?: on)?|wager|put my money on|plump for  # a wager
    |(?:mov|shift)(?:e|ed|ing)? to  # a choice changed
    |(?:chang|switch|revis|updat)(?:e|ing)?(?: my (?:answer|vote))?(?: from \w)? to
    )\b"""
_LABEL = r"""(?<![/\w])(?:
    ans(?:wer)?|choice|guess|mine|own|output|prediction|assistant|option|selection|verdict
    |decision|vote|pick|conclusion|response|reply|winner|preferred|preference|consensus|final
    )
    (?: (?:choice|option|letter|index|key|to (?:this|the) question|here|(?:for|in) this \w+|for me))?
    [\"'\]\s]*"""
_IS = r"""(?:
    (?:is|was|(?:(?:would|will|is going)(?: have)?(?: to)?|should|must|has(?: got)? to) be
    |remains|becomes|as|of|goes to)\b
    |->|=>|[:=>→—]|-+(?=\s)
    )"""
_FOREIGN_LABEL = r"""(?:
    (?<![/\w])(?:r[ée]ponse|antwort|l[öo]sung|respuesta|resposta|risposta|antwoord|svar(?:et)?
    |odpowied[źz]|ответ|відповідь|jawaban|cevap)(?: (?:correct[ae]|corret[at]a|corretta|richtige))?
    |答案|正解|答え|정답
    )
    \s*(?:(?:est|ist|es|é|è|is|är|er|to|adalah)\b|[是为為はが은는]|[:=—-])
    (?: (?:la|el|le|l'|die|option|opción|lettre|letra)\b)?"""
_FOREIGN_CHOICE = r"""
    \b(?:je choisis|ich w[äa]hle|elijo|escolho|scelgo|ik kies)\b(?: (?:la|el|le|die|option|opción)\b)?
    |选(?!项)择?|選(?!項)擇?"""
_AGAIN = r"""\b(?:
    on (?:(?:further|second|closer|careful|a) )*(?:reflection|thoughts?|inspection|look|balance|consideration)
    |after (?:further|more) (?:thought|reflection|consideration)|thinking (?:it|this) (?:over|through)
    |(?:looking|thinking) again|in hindsight|in the end|ultimately
    |having (?:reconsidered|reread|thought again)(?: \w+)?
    |(?:agree|concur|see why)\b(?:[^.\n;?]|\bDr\.){0,80}?\b(?:but|yet|however)
    )\b"""
_RETRACTING = r"""(?:
    (?<!can\s)(?<!to\s)\bwait  # "the biopsy can wait" takes nothing back
    |\b(?:correction|actually|scratch that|strike that|sorry|hold on|oops|my mistake|or rather|I mean
    |make (?:that|it)|let me correct (?:that|myself))
    |(?<=[.!?;—-]\s)no(?=\s*[,—-])|(?<=,\s)no(?=,)|(?<=\.\.\s)no
    )\b"""
_NO_MORE = r"(?:[\s,.!;…—-]*\b(?:no|hmm)\b)*+[\t\x20.!;…]*"
_OPENS_SENTENCE = r"(?:^|(?<=[.!?;:\n]\s)|(?<=\n))\s*"
_LETTER_ENDS = r"[\s\"'(\[]*[a-z]\W*"

CUES: tuple[tuple[str, Weight, re.Pattern[str]], ...] = (
    ("boxed", Weight.STATED, rx(r"\bboxed:")),
    ("answer_label", Weight.STATED, rx(_LABEL + _IS)),
    ("own_choice", Weight.STATED, rx(rf"{_I}(?:(?:not|never) hesitate to )?{_CHOOSE}")),
    ("own_choice", Weight.STATED, rx(r"""
        \bmy money is on\b
        |\b(?:the (?:one|option)|what) (?:I|we)(?:'d| would)? \w+ is\b""")),
    ("speaker", Weight.STATED, rx(r"""
        \b(?:me|myself|self|I \([^)\n]*\))\s*(?:->|=>|[:=>→(—]|-+(?=\s))""")),
    ("imperative", Weight.STATED, rx(r"""
        \b(?:choose|select|pick|take|mark|tick|go (?:with|for)|opt for|vote(?: for)?)\s+
        (?:(?:option|choice|answer|letter) )?[\"'(\[]*(?=\S)""")),
    ("treatment", Weight.HINTED, rx(r"""
        \b(?:give|start|begin|add|use|prescribe|administer
        |switch (?:from [^.,;\n]{1,40} )?to|replace [^.,;\n]{1,40} (?:with|by))\b""")),
    ("second_verb", Weight.STATED, rx(
        rf"\b(?:I|we)\b[^.\n;?]{{1,{REACH}}}?\b(?:and|but)(?: then)? {_CHOOSE}")),
    ("foreign_label", Weight.STATED, rx(f"{_FOREIGN_LABEL}|{_FOREIGN_CHOICE}")),
    ("choosing", Weight.STATED, rx(r"""\b(?:
        and (?:choose|select|pick|go with)
        |choosing|selecting|picking|going with|opting for|voting for|locking in|count me in for
        |(?:let me|let us|let's) (?:choose|select|pick|go (?:with|for)|say)
        |cast(?:ing)? (?:my|our) vote (?:for|as)|put me down for|I'm with|leaning(?: towards?)?
        |(?:chang|switch|revis)ing(?: my \w+)?(?: from \w)? to
        )\b""")),
    ("agreement", Weight.STATED, rx(
        _I + r"""(?:agree|concur|side|go along|share|second|support|endorse)\b
        (?:[^.\n?]|\bDr\.){0,80}?
        (?:[:;(]|,(?! who)
        |\b(?:on|that|of|(?:answer|choice|view)(?: (?:of|that))?|chose|picked|voted(?: for)?)\b)""")),
    ("peer_vote", Weight.STATED, rx(
        rf"(?:{PEER}|\b(?:they|he|she))\b[^.\n;?]{{0,40}}?{SAY}(?: (?:for|with))?")),
    ("opinion", Weight.HINTED, rx(_I + r"(?:think|believe|suspect|suppose)\b")),
    ("correction", Weight.STATED, rx(
        rf"{_RETRACTING}{_NO_MORE}|{_AGAIN}(?:,? (?:I|we)(?: now)? (?:think|believe)\b)?")),
    ("if_forced", Weight.HINTED, rx(r"""
        \b(?:(?:if|when) (?:\w+ ){0,3})?(?:forced|pressed|had|have|must)(?: to)?\s+
        (?:guess|choose|pick|select|answer|decide)\b[^.\n,:]{0,40}[,:]
        |\b(?:if|when) (?:\w+ ){0,2}(?:forced|pressed|pushed|obliged)\b""")),
    ("ranking", Weight.HINTED, rx(r"""
        \b(?:rank(?:ing|ed)?|order(?:ed)?(?: of (?:likelihood|probability|preference))?|most to least \w+)
        \s*(?:\bis\b|:)(?:\s*1[.)])?""")),
    ("superlative", Weight.HINTED, rx(r"""
        \b(?:most|best|correct|likely|next(?! best)|right|diagnosis)\b
        [^.\n?:]{0,60}?(?:\b(?:is|would be)\b|:)""")),
    ("points_to", Weight.HINTED, rx(r"""
        \b(?:consistent with|points? to(?:wards?)?|(?:suggestive|diagnostic|typical) of
        |indicates?|suggests?|supports?|favou?rs?)\b""")),
    ("likeliest", Weight.HINTED, rx(r"\bmost (?:likely|probably)\b|,\s*probably\b")),
    ("reasoned", Weight.HINTED, rx(  # "since the sodium is low, C."
        _OPENS_SENTENCE + rf"""
        (?:(?:but|and|so|still),? )?
        (?:(?:since|because|as|given|considering|when in doubt
        |if (?:asked|I may|you (?:insist|must|need|want)))(?: [^.,:;\n?]{{1,{REACH}}})?
        |yes|no|well|ok|okay|sure|hmm|right)
        ,(?= )(?={_LETTER_ENDS}(?:[.!]|$))""")),
    ("closing_letter", Weight.HINTED, rx(rf"""(?:
        (?<!error):
        |(?<=[a-z][.!])(?<!\b(?:vit|hep|fig|mrs)\.)(?<!\b(?:dr|mr|ms|st|gr|vs)\.)\s+
        )(?={_LETTER_ENDS}$)""")),
    ("undoubted", Weight.HINTED, rx(r"""
        \b(?:no (?:reason|need|cause) to|(?:do|does|would)(?: not|n't)|cannot|can't|nobody can|no one can
        |nor)\s+
        (?:doubt|deny|dispute|question|fault|argue with|reject)(?: that)?\b
        |\bnothing wrong with\b|\bno doubt (?:about|that)\b""")),
    ("of_two", Weight.HINTED, rx(
        _OPENS_SENTENCE + r"""
        (?:between|among|out of|of) [^.,:;\n?]{1,80}?\b(?:and|or) [^.,:;\n?]{1,40}[,:](?= )""")),
    ("conclusion", Weight.HINTED, rx(r"""\b(?:
        of (?:the two|these|those|them)(?=,)|therefore|thus|hence|so|in conclusion|overall|now
        |left with|leav(?:es|ing)|but|however|nevertheless|nonetheless
        |it's|it is|this is|it (?:must|would|should|has(?: got)? to|can only) be|it's got to be
        |that makes it
        )\b""")),
)
"""Name, weight and pattern of each announcement of an option, which must follow with only filler between."""

LEAD = rx(r"""
    the|my|our|own|personal|this|that|an?|one|and|so|but|then|now|still|thus|therefore|hence|with|as|is
    |think|believe|say|conclude
    |final|overall|definitive|ultimate|single|intended|chosen|selected|preferred
    |new|current|present|latest|updated|revised|first|1st|primary|top
    |correct|right|best|most|likely|probable|appropriate|suitable|accurate|reasonable|plausible""")
"""Words before a label that leave it one: "final answer", and not "the patient's answer"."""

OWN = frozenset(("own_choice", "agreement", "opinion", "boxed", "imperative", "speaker"))
"""Rules whose subject is the model, so that a colleague named earlier in the sentence is not the speaker."""

OPENERS = frozenset(("imperative", "speaker", "treatment"))
"""Rules whose words announce an option only where they open a clause."""

SETTLED = frozenset(("exception", "confirmed", "ticked", "most_probable", "ranking"))
"""Rules that have looked at the whole sentence themselves."""

# --- One option set apart from the others.
EXCEPT = rx(r"""\b(?:
    but|except(?:ing)?(?: for)?|save(?: for)?|other than|apart from|aside from|besides|with the exception of
    )\b""")
EVERY = rx(r"\b(?:all|every(?:thing)?|each)\b")
NO_OTHER = rx(r"\b(?:none|nothing|no (?:other|option|answer))\b")
EXCLUDED = rx(r"""[^.\n;]{0,40}\b(?:
    wrong|incorrect|false|unlikely|implausible|contraindicated|fails?
    |excluded|ruled out|eliminated|rejected|dismissed|discarded
    |(?:do|does|can) ?not (?:fit|apply|explain|be right)
    )\b""")
INCLUDED = rx(r"""[\s\"')]*(?:
    fits?|explains?|works?|matches|makes|accounts|applies
    |(?:is|seems) (?:\w+ )?(?:right|correct|likely|plausible|possible|left|suitable|appropriate)
    )\b""")
CONFIRMED = rx(r"\?[\s\"').…]*(?:yes|correct|right|indeed|exactly|true|definitely|certainly)\b")
CONTRAST = rx(rf"""
    (?:\b(?:not|neither|cannot|no longer)|n't)\b(?P<denied>)
    [^.\n;?]{{1,{REACH}}}?\b(?:but|rather|instead)(?: (?:rather|instead))?\b""")

# --- Yes and no as answers.
_NO_WORD = r"""(?!\s+(?:\w+ )?(?:  # what "no" denies without a finding, so that it is not the answer no
    doubt|question|longer|one|other|problem|wonder|matter|way|thanks  # turns of phrase
    |comment|idea|clue|opinion|answer|choice|guess|guarantee|consensus|reason|preference  # no view
    |information|data|details?|context|images?|pictures?|scans? (?:was|is|were)  # nothing to go by
    |evidence (?:that|to|(?:of|for|on) (?:\w+ )?
    (?:benefits?|harms?|efficacy|effect\w*|use|superiority))  # no study, rather than no sign
    )\b)"""
YES_NO = rx(rf"""
    (?:^|[.!?;:\n]|\bdoubt,|,(?= (?:yes|no)\W*$))[\t\x20\"'(\[-]*
    (?P<word>yes|no|maybe(?=\W*$|[.,;]))\b{_NO_WORD}
    (?!\W+(?:or|and|nor)\W+(?:yes|no)\b)""")
THERE_IS_NO = rx(rf"""
    ^\W*(?:there(?:'s| is| are| was| were)|(?:I|we) (?:see|find)|(?:(?:it|(?:the|this) \w+) )?shows?)\s+
    (?P<word>no)\b{_NO_WORD}""")
COMMON = frozenset(
    ("yes", "no", "maybe", "none", "all", "both", "other", "normal", "abnormal", "positive", "negative")
)
"""Option texts too common in prose to count where they are merely mentioned."""
# fmt: on
