"""Words around an option that tell how it is meant: affirmed, denied, supposed, past, or another's view."""

from medagents.answers.base import REACH, rx

# fmt: off
# --- After an option: is it affirmed or denied?
CLOSED = rx(
    r"[\s\"')\]]*(?:[.,;:!\n)—-]|$"
    r"|(?:because|since|as|given|due|for|based|over|rather than|with|here|in|then)\b)")
_COPULA = (
    r"[\s\"')\].,:—-]*(?:(?:this|which|it) )?(?:is|seems|appears|remains|looks|(?:would|must|should"
    r"|will|has to|can only) be) ")
POSITIVE = rx(
    _COPULA + r"(?:(?:to be|the|my|our|an?|clearly|therefore|thus|definitely|indeed|probably|still|by far"
    r"|single|overall|final) )*(?:correct|right|best|better|most(?! (?:unlikely|incorrect|tempting))|likely"
    r"|answer|choice|preferred|favou?red|true|ideal|optimal|\w+ of choice|winner|pick|vote|guess|bet"
    r"|preference|(?:one|what|where)(?=\W*$|[.,;!\n]| (?:I|we)\b))\b|[\s\"')\].,—-]*(?:best (?:fits|explains"
    r"|matches)|(?:fits|explains|matches) (?:best|all|everything))\b"
    r"|[\"')\]]* (?:gets|has|wins) (?:my|our) (?:\w+ )?(?:vote|preference)\b"
    r"|[\"')\]]* it (?:is|shall be|must be)\b(?=\W*$|[.,;!]| then\b)")
FITS = rx(r"[\"')\]]* (?:fits|works|will do|explains (?:this|it|them|that)|stands)\b(?=\s*(?:[.!;]|$))")
AT_LEAST = rx(r"\b(?:but|yet|still|however|only|though)\b[\s,\"'(\[]*$")
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
NOUN = rx(r" (?:answer|choice|option|one|drug|treatment|diagnosis)\b")
_STOPPED = (
    r"(?:contraindicated|harmful|dangerous|unsafe|avoided|stopped|withheld|discontinued|ceased|omitted|held"
    r"|rejected|dismissed|discarded|inappropriate|unsuitable|misleading|a mistake|off the table"
    r"|out of the question|fail(?:s|ed)?)")
DENIED = rx(
    r"[\t\x20\"')\]]*(?:[:—][\t\x20]*)?(?:(?:this|it) )?(?:(?:is|was|are|were|seems?|looks|appears?"
    r"|would|can|could|may|might|should|must|ought to|needs to|has|have|had) (?:\w+ ){0,3}?)?"
    r"(?:not(?! (?:option |boxed:\s*)?[a-j](?:[.,;)!]|$))|never|incorrect|wrong|unlikely|less|least|false"
    r"|implausible|absent|inconsistent|excluded|ruled|eliminated|tempting|isn't|wasn't|cannot|can't|doesn't"
    rf"|shouldn't|mustn't|won't|does not|my (?:first|initial)|{_STOPPED})\b")
DENIAL = rx(
    r"(?:[^.\n]*[:—-]\s*)?(?:(?:this|it|option) )?(?:(?:is|was) )?(?:not|isn't|incorrect|wrong|unlikely"
    r"|false|less|no|ruled|excluded)\b")
REFUTED = rx(
    r"[\s\"')\].,:(—-]*(?:(?:this|it|option) )?(?:(?:is|was|are|were|seems|looks|appears|can|could|may|might"
    r"|should|has|would) )?(?:(?:\w+ly|also|then|quite|be|been) )*(?:incorrect|wrong|unlikely|false"
    r"|implausible|excluded|ruled|eliminated|rejected|dismissed|discarded|out(?=\W*$|[.,;])"
    r"|no(?=\W*$|[.,;:)])|tempting|less (?:likely|probable|plausible)|(?:not|isn't|wasn't|cannot be|can't be)"
    r" (?:(?:the|an?|my|our|very|at all|considered) )*(?:\w+ )?(?:answer|choice|option|correct|right|best"
    r"|likely|true|plausible|diagnosis|candidate|match|(?:it|suitable|appropriate|supported|consistent"
    r"|compatible|indicated|applicable|relevant|valid|possible)(?=\W*$|[.;!])))\b")
WITHDRAWN = rx(
    r"[\s.,;…—-]*(?:(?:no|hmm),? )?(?:wait|hold on|scratch that|strike that|actually)\b"
    r"(?:[\s,.!—-]*no\b)?\W*\Z")

# --- Before an option, in the sentence so far: doubted, denied, supposed, forced?
DOUBLY = rx(
    r"(?:\b(?:no|not|never|without|cannot|nothing|nobody|no one)\b|n't\b)(?: \w+){0,2}? (?:doubt\w*|hesita\w+"
    r"|deny|dispute|fault|question|wrong)\b")
DOUBTED = rx(
    r"(?:\b(?:don't|not|doesn't|can't|cannot|couldn't|never|unlikely|wrong|unsure|unclear|uncertain|neither"
    r"|against|doubt)\b|≠)[^,:]*$"
    r"|\b(?:avoid\w*|hesitat\w*|refrain\w*|reject\w*|refus\w+|declin\w+|mistake|considered|almost|nearly"
    r"|wrongly|(?:was|were|been) (?:tempted|inclined|going|about))\b(?: (?:to|the|of|from|on|before|for"
    r"|it|that"
    r"|\w+ing)\b){0,2}\W*$"
    r"|\b(?:rather than|instead of)\W*$")
ANY_BUT = rx(r"\b(?:any(?:thing)?|all|every(?:thing)?)(?: \w+)? (?:but|except)\W*$")
DENYING = rx(
    r"\b(?:no|not|without|never|excludes?|excluded|rul(?:e[sd]?|ing) out|against|unlikely|rather than"
    r"|instead of|absence of|neither|nor|than|unlike|versus|vs|avoid\w*|stop(?:s|ped|ping)?|discontinu\w+"
    r"|withh\w+|hold(?:ing)?|ceas\w+|omit\w*|reject\w*|dismiss\w*|discard\w*|eliminat\w+|allerg\w+"
    r"|intoleran\w+|contraindicat\w+|refus\w+)\b[^\w,;]+"
    r"(?:(?!(?:and|start|give|use|begin|add|choose)\b)\w+[^\w,;]+){0,2}$")
FORCED = rx(
    r"\b(?:if|when|were|should (?=I|we)|had (?=(?:I|we) to))\b[^.]*\b(?:forced|had to|ha(?:ve|s) to|must"
    r"|pressed|pushed|made to|obliged|required|were to)\b|\bhad (?:I|we) to\b")
_INVERTED = (
    r"(?:had|were|should) (?:not )?(?:the|this|that|these|those|she|he|it|they|there|her|his|its|I|we|you|an?"
    r"|any)\b")
SUPPOSED = rx(
    r"^\W*(?:then|otherwise)\b|(?<!even\s)\bif\b|\b(?:assum(?:e|es|ing)|suppos(?:e|ing)|imagine"
    r"|hypothetically|whether|unless|told|given that|in case|in which case|but for (?!me|us))\b"
    rf"|(?:^|[,;:(]|\b(?:and|but)\b)\W*{_INVERTED}")
IF_AFTER = rx(
    rf"[,\"')\]]* \(?(?:but )?(?:only )?(?:(?:if|unless|provided|providing|assuming)\b|{_INVERTED})")

# --- Said of other cases than this one, or of another time.
_THIS = (
    r"(?!(?:this|these|that|those|our|my|her|his|your|their|its?|such|view|light|conclusion|summary|short"
    r"|brief|fact|sum|general|contrast|addition|total|particular|essence|reality|hindsight|favou?r|order"
    r"|accordance|keeping|line|all|both|any|every|each|me|us|now|example|instance|reasons?|confidence"
    r"|certainty|regard|respect|further|more|doubt|hesitation|question|mind|terms|which|what"
    r"|the(?! (?:absence|presence|setting|event|case|context|elderly|young|old)\b))\b)")
SCOPE = rx(
    r"(?:^|[,;:(]|\b(?:and|or|only|that|while|whereas))\W*(?:only )?(?:in|for|among|during|with|without|under"
    rf"|after)\b {_THIS}|^\W*(?:without (?:the|this|that)\b|when\b(?! (?:I|we|one|you|all|taking"
    rf"|considering)\b)"
    r"|where\b)")
SCOPE_AFTER = rx(
    r"[,\"')\]]*(?: (?:mainly|chiefly|mostly|but|and))* \(?(?:(?:in|for|among|during|with|without|under|after"
    rf"|before|until|once)\b {_THIS}|only (?:in|for|among|during|with|without|under|after|before)\b"
    rf"|only when\b"
    r"|without (?:the|this|that)\b|when(?! (?:I|we|one|you)\b)|where\b)")
ELSEWHERE = rx(r"\b(?:would|another|other|different)\b")
_THEN_WORD = r"(?:earlier|previously|formerly|originally|yesterday|last (?:time|round|week))"
THEN = rx(
    rf"\b(?:{_THEN_WORD}|(?:first|last|previous|earlier|prior) (?:round|pass|draft|reading|attempt|version)"
    r"|round (?:1|one))\b|^\W*before\b")
THEN_AFTER = rx(
    rf"[,\"')\]]* (?:{_THEN_WORD}|before|at first|in (?:the|an|my) (?:first|last|previous|earlier|prior)"
    r"|in round (?:1|one))\b")
CHOSE = rx(r"\b(?:chose|chosen|picked|said|answered|selected|voted|went|favou?red|preferred|thought)\b")
HAD = rx(
    r"(?:\b(?:I|we) had|\b(?:I|we)'d|\bwould have) (?:\w+ )?(?:chosen|picked|said|answered|selected|voted"
    r"|gone"
    r"|favou?red|preferred|thought|been)\b|\b(?:my|our) (?:\w+ )?\w+ was(?: \w+)?\W*$"
    r"|\b(?:draft|version) had\b|\bused to (?:think|believe|say|choose|favou?r|prefer)\b")
_NOUN = r"(?:answer|choice|option|pick|vote|guess|diagnosis|position|view|impression|response)"
FORMER = rx(
    rf"\b(?:earlier|previous|prior|former|original|initial|old|past|last(?: \w+'s)?)(?: {_NOUN})?[\s:=>-]*$")
SECOND = rx(
    r"(?:\b(?:rank [2-9]|second(?:ary)?|2nd|third|3rd|least|other|another|alternat(?:ive|e)|runner-up"
    r"|back-?up|fallback"
    r"|wrong|rejected|excluded|distractor|differential|less)(?:[\s-]+(?:best|likely|most"
    rf"|{_NOUN}s?))*\s*(?:is|was)?|(?<!of\s)\bthem\s*:)[\s:=>\"'(-]*$")

# --- Whose view is it?
PEER = (
    r"\b(?:(?:dr\.?|doctor|prof\w*\.?) \w+|doctors?|colleagues?|peers?|panel\w*|group|attending"
    r"|consultants?|specialists?"
    r"|residents?|\w+ologists?|surgeons?|experts?|agents?|reviewers?|students?|users?|team|committee"
    r"|majority|others?|everyone|nurses?|physicians?|clinicians?|interns?|registrar|assistant"
    r"|models?|textbook|report|chatbot|ai|members?|readers?)")
SAY = (
    r"\b(?:said|says?|answered|cho(?:se|sen|osing|oses?)|select(?:ed|s)?|pick(?:ed|s)?|vote[ds]?|thinks?"
    r"|thought|believe[ds]?|suggest(?:ed|s)?|argue[ds]?|claim(?:ed|s)?|conclude[ds]?|propose[ds]?"
    r"|recommend(?:ed|s)?|insist(?:ed|s)?|favou?r(?:ed|s)?|prefer(?:red|s)?|wrote|writes|report(?:ed|s)?"
    r"|repl(?:y|ies|ied)|respond(?:s|ed)?|gave|gives?|went|opted|state[ds]?|maintains?|read)\b")
PEERS = rx(PEER + r"\b")
TURN = rx(
    r"\b(?:but(?! for\b)|however|(?<!not\s)yet|so|therefore|thus|hence|instead(?! of\b)|nonetheless"
    r"|nevertheless)\b"
    r"|\band (?=(?:my|our)\b)|(?<=[,;]\s)now\b")
APART = rx(
    r"\W*(?:while|although|though|whereas|despite|unlike|even though|contrary to|given|since|as)\b[^,]*,")
AGREES, AGREEING = rx(r"\b(?:dis)?(?:agree|concur)\b"), rx(r"[:;,]|\bthat\b")
THEIRS = rx(
    rf"{PEER}\b[^;]{{0,60}}{SAY}|\b(?:they|he|she) (?:\w+ )?{SAY}(?: \w+){{0,2}}\W*$"
    rf"|(?!\b(?:ai|assistant)\b){PEER}(?: \w+)?\s*:|\baccording to\b"
    r"|\b(?:at first|first (?:thought|glance|instinct|impression)|initially|common (?:mistake"
    r"|error)|argued?)\b|\btempting(?: (?:to|answer|choice|option)\b[^,;]*| )$"
    r"|\b(?:one|you|some|many|most) (?:\w+ )?(?:could|might|may|would|will)\b"
    r"|\b(?:second|next|least|other|another|alternative|runner-up)[\s-]+(?:\w+ )?$")
REPORTED = rx(rf"{PEER}'s?\s|{THEIRS.pattern}")
HOLD = rx(
    r"\b(?:says?|said|thinks?|thought|believe[ds]?|claim(?:s|ed)?|insist(?:s|ed)?|state[ds]?|assume[ds]?"
    r"|argue[ds]?|writes?|wrote|written|maintain(?:s|ed)?|holds?)\b(?: that\b)?(?: (?:the|it|its|this|their"
    r"|option|correct|right|best|final|most|likely|answer|choice|diagnosis|is|was|to be|(?:would|must|should)"
    r" be)\b)*[\"':\s]*$")
SPEAKER = rx(
    r"(?:\b(?:I|we|evidence|data|findings?|results?|labs?|film|scan|ECG|picture|everything|all|this|that"
    r"|which|guidelines?|literature|gut|instinct|reasoning|analysis|judge?ment|logic|experience)\b"
    r"(?: \w+){0,3}|^)\W*$")
QUOTED = rx(
    rf"{SAY}\W*[\"':]\W*$|\b(?:dr\.? \w+|colleague|peer|agent)(?: \w+)?\s*:\W*$"
    rf"|{PEER}\b(?: \w+)? {SAY} $")
QUOTE = rx(r"[\"'][^\"']*$")
QUOTE_AFTER = rx(
    rf"[^\"'\n]{{0,{REACH}}}[\"']\W{{0,4}}(?:{SAY} |(?:is|was|were) [^.\n]{{0,20}}{PEER})")
MINE = rx(r"\b(?:my|our) (?:\w+ ){0,2}$")
OURS = rx(r"\b(?:I|we|my|our|mine)\b")
ADVERBS = (
    r"(?:also|fully|strongly|completely|entirely|largely|would|will|must|shall|should|now|still|therefore"
    r"|thus|hence|finally|personally|do|can|have|had|to|need|am|going|ultimately|then|only|definitely"
    r"|confidently|reluctantly|tentatively|just|simply|be|tend|cautiously|respectfully|instead|rather"
    r"|probably|too|all|myself|ourselves|again|likewise|previously|originally|already)")
AGREED = rx(
    rf"\bI (?:{ADVERBS} ){{0,2}}(?:agree|concur)\b(?: with (?:dr\.? |prof\.? )(?P<name>\w+))?"
    r"|\b(?:(?:so|as) do (?:I|we)|me too|same here|I (?:do|think so|say so) (?:too|as well)"
    r"|I (?:think|say|vote) the same)\b")
# fmt: on
