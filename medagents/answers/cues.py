"""Words that announce an option, and those that refuse to name one."""

import re

from medagents.answers.base import REACH, Weight, rx
from medagents.answers.stance import ADVERBS, PEER, SAY

# fmt: off
# --- Cues: words after which an option must follow, with only filler between.
_I = rf"\b(?:I|we)(?:'d|'ll|'m)?,? (?:{ADVERBS},? ){{0,4}}"
_CHOOSE = (
    r"(?:cho(?:ose|osing|se|sen)|select(?:ed|ing)?|pick(?:ed|ing)?|go(?:ing)? (?:with|for)|went with"
    r"|opt(?:ing|ed)? for|vot(?:e|ed|ing)(?: for)?|answer|settle (?:on|for)"
    r"|lean(?:ing)?(?: more)?(?: towards?| to)?|favou?r|prefer|conclude|recommend|say|guess|predict|meant"
    r"|(?:stick|stay|stand|remain) (?:with|by)(?: (?:my|our) (?:original|initial|previous|first|earlier)"
    r" \w+(?: of|,)?)?|maintain|keep|commit to|endorse|support|(?:agree|side) with|bet(?: on)?|wager"
    r"|put my money on|plump for|hold"
    r"|(?:chang|switch|revis|updat)(?:e|ing)?(?: my (?:answer|vote))?(?: from \w)? to)\b")
_LABEL = (
    r"(?<![/\w])(?:ans(?:wer)?|choice|guess|mine|output|prediction|assistant|option|selection|verdict"
    r"|decision|vote|pick"
    r"|conclusion|response|winner|preferred|preference|consensus|final)(?: (?:choice|option|letter|index"
    r"|key|to (?:this|the) question|here|(?:for"
    r"|in) this \w+|for me))?[\"'\s]*(?:(?:is|was|(?:would|should|must|will|has to) be|remains|becomes|as"
    r"|of|goes to)\b|->|=>|[:=>→—]|-+(?=\s))")
_FOREIGN = (
    r"(?:(?<![/\w])(?:r[ée]ponse|antwort|l[öo]sung|respuesta|resposta|risposta|antwoord|svar(?:et)?|odpowied[źz]"
    r"|ответ|відповідь|jawaban|cevap)(?: (?:correct[ae]|corret[at]a|corretta|richtige))?|答案|正解|答え|정답)"
    r"\s*(?:(?:est|ist|es|é|è|is|är|er|to|adalah)\b|[是为為はが은는]|[:=—-])(?: (?:la|el|le|l'|die|option"
    r"|opción"
    r"|lettre|letra)\b)?"
    r"|\b(?:je choisis|ich w[äa]hle|elijo|escolho|scelgo|ik kies)\b(?: (?:la|el|le|die|option|opción)\b)?"
    r"|选(?!项)择?|選(?!項)擇?")
LEAD = rx(
    r"the|my|our|final|correct|best|right|single|most|likely|appropriate|suitable|accurate|probable"
    r"|definitive|overall|updated|revised|and|so|thus|therefore|hence|that|then|is|think|believe|say|as"
    r"|conclude|preferred|ultimate|intended|one|an?|reasonable|plausible|but|now|still|chosen|selected|this"
    r"|with|new|current|present|latest|first|1st|primary|top|own|personal")
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
    ("own_choice", Weight.STATED, rx(rf"{_I}(?:(?:not|never) hesitate to )?{_CHOOSE}")),
    ("own_choice", Weight.STATED, rx(
        r"\bmy money is on\b|\b(?:the (?:one|option)|what) (?:I|we)(?:'d| would)? \w+ is\b")),
    ("speaker", Weight.STATED, rx(
        r"\b(?:me|myself|I \([^)\n]*\))\s*(?:->|=>|[:=>→—]|-+(?=\s))")),
    ("imperative", Weight.STATED, rx(
        r"\b(?:choose|select|pick|take|mark|tick"
        r"|go (?:with|for)|opt for|vote(?: for)?) (?:(?:option|choice|answer|letter) )?[\"'(\[]*(?=\S)")),
    ("foreign_label", Weight.STATED, rx(_FOREIGN)),
    ("choosing", Weight.STATED, rx(
        r"\b(?:and (?:choose|select|pick|go with)|choosing|selecting|going with|opting for|count me in for"
        r"|I'm with|leaning(?: towards?)?"
        r"|(?:chang|switch|revis)ing(?: my \w+)?(?: from \w)? to)\b")),
    ("agreement", Weight.STATED, rx(
        _I + r"(?:agree|concur|side|share|second|support|endorse)\b(?:[^.\n?]|\bDr\.){0,80}?(?:[:;(]"
        r"|,(?! who)"
        r"|\b(?:on|that|of|(?:answer|choice|view)(?: (?:of|that))?|chose|picked|voted(?: for)?)\b)")),
    ("peer_vote", Weight.STATED, rx(
        rf"(?:{PEER}|\b(?:they|he|she))\b[^.\n;?]{{0,40}}?{SAY}(?: (?:for|with))?")),
    ("opinion", Weight.HINTED, rx(_I + r"(?:think|believe|suspect)\b")),
    ("correction", Weight.STATED, rx(
        rf"{_RETRACTING}(?:[\s,.!;…—-]*\b(?:no|hmm)\b)*+"
        rf"[\t\x20.!;…]*|{_AGAIN}(?:,? (?:I|we)(?: now)? (?:think|believe)\b)?")),
    ("if_forced", Weight.HINTED, rx(
        r"\b(?:(?:if|when) (?:\w+ ){0,3})?(?:forced|pressed|had|have|must)(?: to)? (?:guess|choose|pick"
        r"|select|answer|decide)\b[^.\n,:]{0,40}[,:]|\b(?:if|when) (?:\w+ ){0,2}(?:forced|pressed|pushed"
        r"|obliged)\b")),
    ("ranking", Weight.HINTED, rx(
        r"\b(?:rank(?:ing|ed)?|order(?:ed)?(?: of (?:likelihood|probability|preference))?|most to least \w+)"
        r"\s*(?:\bis\b|:)(?:\s*1[.)])?")),
    ("superlative", Weight.HINTED, rx(
        r"\b(?:most|best|correct|likely|next(?! best)|right|diagnosis)\b[^.\n?:]{0,60}?(?:\b(?:is"
        r"|would be)\b|:)")),
    ("points_to", Weight.HINTED, rx(
        r"\b(?:consistent with|points? to(?:wards?)?|(?:suggestive|diagnostic|typical) of|indicates?"
        r"|suggests?)\b")),
    ("closing_letter", Weight.HINTED, rx(
        r"(?:(?<!error):|(?<=[a-z][.!])(?<!\b(?:vit|hep|fig|mrs)\.)(?<!\b(?:dr|mr|ms|st|gr|vs)\.)\s+)"
        r"(?=[\s\"'(\[]*[a-z]\W*$)")),
    ("undoubted", Weight.HINTED, rx(
        r"\b(?:no (?:reason|need|cause) to|(?:do|does|would)(?: not|n't)|cannot|can't|nobody can"
        r"|no one can|nor)"
        r" (?:doubt|deny|dispute|question|fault|argue with|reject)(?: that)?\b|\bnothing wrong with\b"
        r"|\bno doubt (?:about|that)\b")),
    ("of_two", Weight.HINTED, rx(
        r"(?:^|(?<=[.!?;:\n]\s)|(?<=[\n]))\s*(?:between|among|out of|of) [^.,:;\n?]{1,80}?\b(?:and"
        r"|or) [^.,:;\n?]{1,40}[,:]"
        r"(?= )")),
    ("conclusion", Weight.HINTED, rx(
        r"\b(?:of (?:the two|these|those|them)(?=,)|therefore|thus|hence|so|but|leav(?:es|ing)|in conclusion"
        r"|it's|it is|this is|it (?:must|would|should|has(?: got)? to|can only) be"
        r"|it's got to be|that makes it|now|overall)\b")),
)
"""Name, weight and pattern of each announcement of an option."""

EXCEPT = rx(
    r"\b(?:but|except(?:ing)?(?: for)?|save(?: for)?|other than|apart from|aside from|besides"
    r"|with the exception of)\b")
EVERY, NO_OTHER = rx(r"\b(?:all|every(?:thing)?|each)\b"), rx(r"\b(?:none|nothing|no (?:other|option"
    r"|answer))\b")
EXCLUDED = rx(
    r"[^.\n;]{0,40}\b(?:wrong|incorrect|false|excluded|ruled out|eliminated|unlikely|implausible|rejected"
    r"|dismissed|discarded|contraindicated|fails?|(?:do|does|can) ?not (?:fit|apply|explain|be right))\b")
INCLUDED = rx(
    r"[\s\"')]*(?:fits?|explains?|works?|matches|makes|accounts|applies|(?:is|seems) (?:\w+ )?(?:right"
    r"|correct"
    r"|likely|plausible|possible|left|suitable|appropriate))\b")
CONFIRMED = rx(r"\?[\s\"')]*(?:yes|correct|right|indeed|exactly|true|definitely|certainly)\b")

CONTRAST = rx(
    rf"(?:\b(?:not|neither|cannot|no longer)|n't)\b(?P<denied>)[^.\n;?]{{1,{REACH}}}?"
    r"\b(?:but|rather|instead)(?: (?:rather|instead))?\b")
OWN = frozenset(("own_choice", "agreement", "opinion", "boxed", "imperative", "speaker"))
"""Rules whose subject is the model, so that a colleague named earlier in the sentence is not the speaker."""

OPENERS = frozenset(("imperative", "speaker"))
"""Rules whose words announce an option only where they open a clause."""

SETTLED = frozenset(("exception", "confirmed", "ticked", "most_probable", "ranking"))
"""Rules that have looked at the whole sentence themselves."""

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
DANGLING = rx(
    r"(?:\b(?:the|(?-i:an?)|of|and|or|to|with|is|are|was|for|which|because|by|as|from|at|would|its|may|into"
    r"|between|whether|although|unless|than|(?:whether|because|that|if|although|unless) (?:the|an?|her|his"
    r"|this|their) \w+)|[,:;(-])$")
SENTENCE = re.compile(r"(?<=[a-z]{3})[.!?](?=\s)")
_NO_WORD = (  # what "no" denies without a finding, so that it is not the answer no
    r"(?! (?:\w+ )?(?:doubt|question|longer|one|problem|wonder|comment|idea|clue|opinion|answer|matter"
    r"|way|choice"
    r"|information|data|details?|context|images?|pictures?|scans? (?:was|is|were)|consensus|guarantee"
    r"|guess|thanks"
    r"|reason|preference|evidence (?:that|to|(?:of|for|on) (?:\w+ )?(?:benefits?|harms?|efficacy"
    r"|effect\w*|use"
    r"|superiority)))\b)")
YES_NO = rx(
    rf"(?:^|[.!?;:\n]|\bdoubt,)[\t\x20\"'(\[-]*(?P<word>yes|no)\b{_NO_WORD}(?!\W+(?:or|and|nor)\W+(?:yes|no)\b)")
THERE_IS_NO = rx(
    r"^\W*(?:there (?:is|are|was|were)|(?:I|we) (?:see|find)|(?:(?:it|(?:the|this) \w+) )?shows?)"
    rf" (?P<word>no)\b{_NO_WORD}")
# fmt: on
COMMON = frozenset(
    ("yes", "no", "maybe", "none", "all", "both", "other", "normal", "abnormal", "positive", "negative")
)
"""Option texts too common in prose to count where they are merely mentioned."""
