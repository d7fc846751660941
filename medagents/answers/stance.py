"""Words around an option that tell how it is meant: affirmed, denied, supposed, past, or of another case.

Patterns are laid out a group of words a line (see `base.rx`).
"""

from medagents.answers.base import rx

# fmt: off
# --- After an option: affirmed.
CLOSED = rx(r"""[\s\"')\]]*(?:
    [.,;:!\n)—-]|$
    |(?:because|since|as|given|due|for|based|over|rather than|with|here|in|then)\b
    )""")
_COPULA = r"""
    [\s\"')\].,:—-]*(?:(?:this|which|it) )?
    (?:is|seems|appears|remains|looks|(?:would|must|should|will|has to|can only) be)\s+"""
_TO_FALL = r"to\b(?! be (?:the )?(?:\w+ )?(?:correct|right|best|answer)\b)"  # likely to do anything else
POSITIVE = rx(
    _COPULA + rf"""
    (?:(?:to be|the|my|our|an?|clearly|therefore|thus|definitely|indeed|probably|still|by far|single|overall
    |final) )*
    (?:correct|right|best|better|true|ideal|optimal|preferred|favou?red|\w+ of choice
    |most(?! (?:unlikely|incorrect|tempting))|likely(?! {_TO_FALL})
    |answer|choice|winner|pick|vote|guess|bet|preference
    |(?:one|what|where)(?=\W*$|[.,;!\n]| (?:I|we)\b))\b
    |[\s\"')\].,—-]*(?:best (?:fits|explains|matches)|(?:fits|explains|matches) (?:best|all|everything))\b
    |[\"')\]]* (?:gets|has|wins) (?:my|our) (?:\w+ )?(?:vote|preference)\b
    |[\"')\]]* it (?:is|shall be|must be)\b(?=\W*$|[.,;!]| then\b)""")
IS_ANSWER = rx(
    _COPULA + r"""
    (?:\w+ )?(?:the|my|our)\s+
    (?:(?:single|final|correct|best|right|most|likely|appropriate|accurate|suitable) )*(?:answer|choice)\b""")
NOUN = rx(r"\s+(?:answer|choice|option|one|drug|treatment|diagnosis)\b")

# --- An option affirmed only by what stands before it too: "yet B fits", "only C explains the sodium".
FITS = rx(r"[\"')\]]* (?:fits|works|will do|explains (?:this|it|them|that)|stands)\b(?=\s*(?:[.!;]|$))")
AT_LEAST = rx(r"\b(?:but|yet|still|however|only|though)\b[\s,\"'(\[]*$")
EXPLAINS = rx(r"[\"')\]]* (?:explains|fits|matches|accounts for|remains|is left)\b")
ONLY = rx(r"\bonly (?:option )?[\"'(\[]*$")

# --- After an option: better than others. Than one other, it need not be the best.
BETTER = rx(r"""[\s\"')\],—-]*
    (?:(?:is|seems|appears|looks|being|(?:would|must) be)\s+
    (?:(?:the|clearly|probably|much|far|a|slightly|somewhat) )*)?
    (?:more (?:likely|consistent|probable|plausible|convincing|compatible|fitting|suitable|appropriate
    |compelling|persuasive|reasonable|in keeping|so\b)
    |stronger\b|fits better\b|explains more\b|wins\b|has the edge\b|stands out\b|comes closest\b)""")
PAIR = rx(r"\b(?:between|comparing|compared|among|of)\b")
THAN = rx(r"[^.\n;]*\bthan\b(?! (?:the (?:others?|rest)|any|all|every)\b)")

# --- After an option: denied.
_STOPPED = r"""(?:
    contraindicated|harmful|dangerous|unsafe|inappropriate|unsuitable|misleading|a mistake|fail(?:s|ed)?
    |avoided|stopped|withheld|discontinued|ceased|omitted|held  # of a drug
    |rejected|dismissed|discarded|off the table|out of the question
    )"""
DENIED = rx(rf"""
    [\t\x20\"')\]]*(?:[:—][\t\x20]*)?(?:(?:this|it) )?
    (?:(?:is|was|are|were|seems?|looks|appears?|would|can|could|may|might|should|must|ought to|needs to|has
    |have|had) (?:\w+ ){{0,3}}?)?
    (?:not(?! (?:option |boxed:\s*)?[a-j](?:[.,;)!]|$))  # "is not B" is about B
    |never|isn't|wasn't|cannot|can't|doesn't|shouldn't|mustn't|won't|does not
    |incorrect|wrong|unlikely|less|least|false|implausible|absent|inconsistent|tempting
    |excluded|ruled|eliminated|my (?:first|initial)|{_STOPPED})\b""")
DENIAL = rx(r"""
    (?:[^.\n]*[:—-]\s*)?(?:(?:this|it|option) )?(?:(?:is|was) )?
    (?:not|isn't|incorrect|wrong|unlikely|false|less|no|ruled|excluded)\b""")
REFUTED = rx(r"""
    [\s\"')\].,:(—-]*(?:(?:this|it|option) )?
    (?:(?:is|was|are|were|seems|looks|appears|can|could|may|might|should|has|would) )?
    (?:(?:\w+ly|also|then|quite|be|been) )*
    (?:incorrect|wrong|unlikely|false|implausible|tempting|less (?:likely|probable|plausible)
    |excluded|ruled|eliminated|rejected|dismissed|discarded|out(?=\W*$|[.,;])|no(?=\W*$|[.,;:)])
    |(?:not|isn't|wasn't|cannot be|can't be) (?:(?:the|an?|my|our|very|at all|considered) )*(?:\w+ )?
    (?:answer|choice|option|correct|right|best|likely|true|plausible|diagnosis|candidate|match
    |(?:it|suitable|appropriate|supported|consistent|compatible|indicated|applicable|relevant|valid|possible)
    (?=\W*$|[.;!])))\b""")
"""Of a letter with its own text, said not to be the answer; "A. Aspirin is no antibiotic" does not say so."""
WITHDRAWN = rx(r"""
    [\s.,;…—-]*(?:(?:no|hmm),? )?
    (?:wait|hold on|scratch that|strike that|actually)\b(?:[\s,.!—-]*no\b)?\W*\Z""")

# --- Before an option, in the sentence so far: doubted or denied.
DOUBLY = rx(r"""
    (?:\b(?:no|not|never|without|cannot|nothing|nobody|no one)\b|n't\b)(?: \w+){0,2}?\s+
    (?:doubt\w*|hesita\w+|deny|dispute|fault|question|wrong)\b""")
"""Denials of a doubt, which are none."""
_MOVED = r"(?: (?:to|the|of|from|on|before|for|it|that|\w+ing)\b){0,2}\W*$"
DOUBTED = rx(rf"""
    (?:\b(?:don't|not|doesn't|can't|cannot|couldn't|never|unlikely|wrong|unsure|unclear|uncertain|neither
    |against|doubt)\b|≠)[^,:]*$
    |\b(?:avoid\w*|hesitat\w*|refrain\w*|reject\w*|refus\w+|declin\w+|mistake|considered|almost|nearly|wrongly
    |(?:was|were|been) (?:tempted|inclined|going|about))\b{_MOVED}
    |\b(?:rather than|instead of)\W*$""")
DENYING = rx(r"""\b(?:
    no|not|without|never|neither|nor|against|unlikely|unlike|absence of
    |than|rather than|instead of|versus|vs|excludes?|excluded|rul(?:e[sd]?|ing) out
    |reject\w*|dismiss\w*|discard\w*|eliminat\w+|refus\w+
    |avoid\w*|stop(?:s|ped|ping)?|discontinu\w+|withh\w+|hold(?:ing)?|ceas\w+|omit\w*  # of a drug
    |allerg\w+|intoleran\w+|contraindicat\w+
    )\b[^\w,;]+(?:(?!(?:and|start|give|use|begin|add|choose)\b)\w+[^\w,;]+){0,2}$""")
"""Right before an option that is merely mentioned."""
UNSUPPORTED = rx(r"\b(?:no|none|nothing|nobody|little|hardly|scarcely|barely)\b[^,:]*$")
"""Before a verb such as "suggests"."""
ANY_BUT = rx(r"\b(?:any(?:thing)?|all|every(?:thing)?)(?: \w+)? (?:but|except)\W*$")

# --- Supposed, or said under pressure.
FORCED = rx(r"""
    \b(?:if|when|were|should (?=I|we)|had (?=(?:I|we) to))\b[^.]*
    \b(?:forced|had to|ha(?:ve|s) to|must|pressed|pushed|made to|obliged|required|were to)\b
    |\bhad (?:I|we) to\b""")
_INVERTED = r"""
    (?:had|were|should) (?:not )?
    (?:the|this|that|these|those|she|he|it|they|there|her|his|its|I|we|you|an?|any)\b"""
SUPPOSED = rx(rf"""
    ^\W*(?:then|otherwise)\b
    |(?<!even\s)\bif\b(?! (?:asked|anything|I may|you (?:need|want|insist|must|like))\b)
    |\b(?:assum(?:e|es|ing)|suppos(?:e|ing)|imagine|hypothetically|whether|unless|told|given that|in case
    |in which case|but for (?!me|us))\b
    |(?:^|[,;:(]|\b(?:and|but)\b)\W*{_INVERTED}""")
IF_AFTER = rx(rf"""
    [,:\"')\]]* \(?(?:but )?(?:only )?
    (?:(?:if|unless|provided|providing|assuming)\b|{_INVERTED})""")

# --- Said of other cases than this one: "in pregnancy", and not "in this patient" or "in short".
_OTHERS = r"""(?!(?:
    this|these|that|those|our|my|her|his|your|their|its?|such|all|both|any|every|each|me|us|which|what
    |view|light|conclusion|summary|short|brief|fact|sum|general|contrast|addition|total|particular|essence
    |reality|hindsight|favou?r|order|accordance|keeping|line|terms|regard|respect|mind
    |now|example|instance|reasons?|further|more|confidence|certainty|doubt|hesitation|question
    |the(?! (?:absence|presence|setting|event|case|context|elderly|young|old)\b)
    )\b)"""
_IN = r"(?:in|for|among|during|with|without|under|after)"
SCOPE = rx(rf"""
    (?:^|[,;:(]|\b(?:and|or|only|that|while|whereas))\W*(?:only )?{_IN}\b {_OTHERS}
    |^\W*(?:without (?:the|this|that)\b|when\b(?! (?:I|we|one|you|all|taking|considering)\b)|where\b)""")
SCOPE_AFTER = rx(rf"""[,\"')\]]*(?: (?:mainly|chiefly|mostly|but|and))* \(?(?:
    (?:{_IN}|before|until|once)\b {_OTHERS}
    |only {_IN}\b|only before\b|only when\b
    |without (?:the|this|that)\b|when(?! (?:I|we|one|you)\b)|where\b
    )""")
ELSEWHERE = rx(r"\b(?:would|another|other|different)\b")

# --- Said of another time.
_EARLIER = r"(?:earlier|previously|formerly|originally|yesterday|last (?:time|round|week))"
_ROUND = r"(?:round|pass|draft|reading|attempt|version)"
THEN = rx(rf"""
    \b(?:{_EARLIER}|(?:first|last|previous|earlier|prior) {_ROUND}|round (?:1|one))\b
    |^\W*before\b""")
THEN_AFTER = rx(rf"""[,\"')\]]* (?:
    {_EARLIER}|before|at first|in (?:the|an|my) (?:first|last|previous|earlier|prior)|in round (?:1|one)
    )\b""")
CHOSE = rx(r"\b(?:chose|chosen|picked|said|answered|selected|voted|went|favou?red|preferred|thought)\b")
HAD = rx(r"""
    (?:\b(?:I|we) had|\b(?:I|we)'d|\bwould have) (?:\w+ )?
    (?:chosen|picked|said|answered|selected|voted|gone|favou?red|preferred|thought|been)\b
    |\b(?:my|our) (?:\w+ )?\w+ was(?: \w+)?\W*$
    |\b(?:draft|version) had\b|\bused to (?:think|believe|say|choose|favou?r|prefer)\b""")
WOULD_HAVE = rx(r"\bwould(?: not)? have \w+[^.\n;]*$")

# --- Former, or not the first choice.
_NOUN = r"(?:answer|choice|option|pick|vote|guess|diagnosis|position|view|impression|response)"
FORMER = rx(rf"""
    \b(?:earlier|previous|prior|former|original|initial|old|past|last(?: \w+'s)?)(?: {_NOUN})?[\s:=>-]*$""")
SECOND = rx(rf"""(?:
    \b(?:rank [2-9]|second(?:ary)?|2nd|third|3rd|least|less|other|another|alternat(?:ive|e)|runner-up|back-?up
    |fallback|differential|wrong|rejected|excluded|distractor)
    (?:[\s-]+(?:best|likely|most|{_NOUN}s?))*\s*(?:is|was)?
    |(?<!of\s)\bthem\s*:
    )[\s:=>\"'(-]*$""")
# fmt: on
