"""Words that tell whose view an option is: the model's own, or another's that the reply repeats.

Patterns are laid out a group of words a line (see `base.rx`).
"""

from medagents.answers.base import REACH, rx

# fmt: off
# --- Who speaks.
PEER = r"""\b(?:
    (?:dr\.?|doctor|prof\w*\.?) \w+|doctors?|physicians?|clinicians?|consultants?|specialists?|surgeons?
    |\w+ologists?|residents?|registrar|interns?|nurses?|attending|students?  # of a hospital
    |colleagues?|peers?|panel\w*|group|team|committee|majority|members?|others?|everyone
    |experts?|reviewers?|readers?|agents?|assistant|models?|chatbot|ai|users?|textbook|report
    )"""
SAY = r"""\b(?:
    said|says?|state[ds]?|wrote|writes|report(?:ed|s)?|read|repl(?:y|ies|ied)|respond(?:s|ed)?|answered
    |cho(?:se|sen|osing|oses?)|select(?:ed|s)?|pick(?:ed|s)?|vote[ds]?|opted|went|gave|gives?
    |favou?r(?:ed|s)?|prefer(?:red|s)?|recommend(?:ed|s)?|propose[ds]?|suggest(?:ed|s)?
    |thinks?|thought|believe[ds]?|conclude[ds]?|argue[ds]?|claim(?:ed|s)?|insist(?:ed|s)?|maintains?
    )\b"""
PEERS = rx(PEER + r"\b")
MINE = rx(r"\b(?:my|our) (?:\w+ ){0,2}$")
OURS = rx(r"\b(?:I|we|my|our|mine)\b")
ADVERBS = r"""(?:
    am|do|can|have|had|would|will|must|shall|should|need|tend|going|be|to  # auxiliaries
    |also|too|likewise|all|myself|ourselves|personally|again|instead|rather|previously|originally|already
    |now|still|then|therefore|thus|hence|finally|ultimately
    |fully|strongly|completely|entirely|largely|confidently|definitely|only|just|simply|probably
    |reluctantly|tentatively|cautiously|respectfully
    )"""
"""Words between "I" and the verb of its choice."""

# --- Where the reply turns from what others say to its own view.
TURN = rx(r"""
    \b(?:but(?! for (?:the|this|that|these|those|his|her|its|their)\b)|(?<!not\s)yet|however|instead(?! of\b)
    |nonetheless|nevertheless|so|therefore|thus|hence)\b
    |\band (?=(?:my|our)\b)|(?<=[,;]\s)now\b""")
APART = rx(r"""
    \W*(?:while|although|though|whereas|despite|unlike|even though|contrary to|given|since|as)\b[^,]*,""")
AGREES, AGREEING = rx(r"\b(?:dis)?(?:agree|concur)\b"), rx(r"[:;,]|\bthat\b")
AGREED = rx(rf"""
    \bI (?:{ADVERBS} ){{0,2}}(?:agree|concur)\b(?: with (?:dr\.? |prof\.? )(?P<name>\w+))?
    |\b(?:(?:so|as) do (?:I|we)|me too|same here|I (?:do|think so|say so) (?:too|as well)
    |I (?:think|say|vote) the same)\b""")

# --- Before an option: another's view, or a passing one.
_PEER_SAYS = rf"""
    {PEER}\b[^;]{{0,60}}{SAY}
    |\b(?:they|he|she) (?:\w+ )?{SAY}(?: \w+){{0,2}}\W*$
    |(?!\b(?:ai|assistant)\b){PEER}(?: \w+)?\s*:
    |{PEER}(?: \w+)?\s*\(\s*$
    |\baccording to\b(?! (?:\w+ ){{0,2}}(?:guidelines?|evidence|criteria|labs?)\b)"""
_PASSING = r"""
    |\b(?:at first|first (?:thought|glance|instinct|impression)|initially|common (?:mistake|error)|argued?)\b
    |\btempting(?: (?:to|answer|choice|option)\b[^,;]*| )$
    |\b(?:one|you|some|many|most) (?:\w+ )?(?:could|might|may|would|will)\b
    |\b(?:second|next|least|other|another|alternative|runner-up)[\s-]+(?:\w+ )?$"""
THEIRS = rx(_PEER_SAYS + _PASSING)
REPORTED = rx(rf"{PEER}'s?\s|{_PEER_SAYS}{_PASSING}")
HOLD = rx(r"""
    \b(?:says?|said|thinks?|thought|believe[ds]?|claim(?:s|ed)?|insist(?:s|ed)?|state[ds]?|assume[ds]?
    |argue[ds]?|writes?|wrote|written|maintain(?:s|ed)?|holds?)\b(?: that\b)?
    (?: (?:the|it|its|this|their|option|correct|right|best|final|most|likely|answer|choice|diagnosis
    |is|was|to be|(?:would|must|should) be)\b)*[\"':\s]*$""")
"""A verb of saying right before the option; whoever is its subject holds that view."""
SPEAKER = rx(r"""(?:
    \b(?:I|we|gut|instinct|reasoning|analysis|judge?ment|logic|experience  # the model
    |all|this|that|which|everything|evidence|data|findings?|results?|labs?|film|scan|ECG|picture  # the case
    |guidelines?|literature)\b
    (?: \w+){0,3}|^)\W*$""")
"""A subject of such a verb that is no other person."""

# --- Quotations.
QUOTED = rx(rf"""
    {SAY}\W*[\"':]\W*$
    |\b(?:dr\.? \w+|colleague|peer|agent)(?: \w+)?\s*:\W*$
    |{PEER}\b(?: \w+)? {SAY}\s+$""")
QUOTE = rx(r"(?<!\w)[\"'][^\"']*$")
QUOTE_AFTER = rx(rf"""
    [^\"'\n]{{0,{REACH}}}[\"']\W{{0,4}}
    (?:{SAY}\s+|(?:is|was|were) [^.\n]{{0,20}}{PEER})""")
# fmt: on
