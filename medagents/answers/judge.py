"""What stands of what was found: whose view it is, how it is meant, and whether the reply was cut."""

from medagents.answers.base import (
    CLOSED_SENTENCES,
    CONTEXT,
    CUT_WORDS,
    DANGLING_WORDS,
    REACH,
    RUNAWAY_WORDS,
    Finding,
    Mention,
    Weight,
)
from medagents.answers.cues import (
    AGREED,
    BETTER,
    CLOSED,
    COMMON,
    DANGLING,
    DENIED,
    DENYING,
    DOUBTED,
    FORCED,
    IF_AFTER,
    MINE,
    OWN,
    PAIR,
    POSITIVE,
    QUOTED,
    REPORTED,
    SENTENCE,
    SUPPOSED,
    THAN,
    TURN,
    WITHDRAWN,
)
from medagents.answers.page import VERB, Page


def praised(page: Page, mention: Mention) -> Weight | None:
    """How firmly the option is said to be right, or better: than one other, it is no more than mentioned."""
    if POSITIVE.match(page.text, mention.end):
        return Weight.HINTED
    better = BETTER.match(page.text, mention.end)
    if not better:
        return None
    compared = THAN.match(page.after(better.end())) and not PAIR.search(page.before(mention.start))
    return Weight.MENTIONED if compared else Weight.HINTED


def judge(page: Page, finding: Finding) -> Finding | None:
    """The finding at its due weight, or None where its sentence does not commit the model to it."""
    mention, rule, weight = finding.mention, finding.rule, finding.weight
    before, after = page.before(finding.start), page.after(mention.end)
    turned = TURN.sub("", before)
    own = rule in OWN or MINE.search(before)
    if rule == "peer_vote" or (QUOTED.search(before) if own else REPORTED.search(turned)):
        said = before + page.text[finding.start : mention.end]
        if not _agrees(page.text, said, mention.end):
            return None
    forced = FORCED.search(turned) or FORCED.search(after)
    if not forced and (SUPPOSED.search(turned) or IF_AFTER.match(after)):
        return None
    if DOUBTED.search(turned) or DENIED.match(after) or after.endswith("?"):
        return None
    if weight is Weight.MENTIONED and DENYING.search(before):
        return None
    if WITHDRAWN.match(page.text, mention.end):
        return None
    praise = praised(page, mention)
    positive = praise is not None and praise >= min(weight, Weight.HINTED)
    if (
        (mention.letter or rule in ("answer_label", "first_line", "opened_line"))
        and VERB.match(after)
        and not positive
    ):
        return None
    named = page.text[mention.start : mention.end]
    if weight is Weight.HINTED and named in ("a", "i"):
        return None
    vague = mention.letter or named.casefold() in COMMON
    if (
        vague
        and (weight is Weight.HINTED or rule in ("correction", "contrast"))
        and not (positive or CLOSED.match(after))
    ):
        return None
    joined = page.joined(mention)
    if joined == "plural":
        return None
    if joined:
        mention, rule = Mention(mention.start, mention.end, None, mention.letter), "several"
        weight = Weight.HINTED if weight is Weight.OPENING else weight
    return Finding(finding.start, mention, rule, min(weight, Weight.HINTED) if forced else weight)


def _agrees(text: str, said: str, end: int) -> bool:
    """Whether the reply goes on to agree with what was `said`: just after, or later by name."""
    for match in AGREED.finditer(text, end, end + CONTEXT):
        if match["name"] in said if match["name"] else match.start() - end <= REACH:
            return True
    return False


def cut_off(reply: str) -> bool:
    """Whether the reply stops in mid-sentence."""
    last = reply.rstrip().rsplit("\n", 1)[-1]
    words = len(reply.split())
    if DANGLING.search(last):
        return words >= DANGLING_WORDS
    return last[-1].isalnum() and len(last.split()) >= CUT_WORDS and words >= RUNAWAY_WORDS


def left_hanging(reply: str) -> bool:
    """Whether the last line closes its sentences but the last, a long one; a hint still outweighs it."""
    last = reply.rstrip().rsplit("\n", 1)[-1]
    ends = [match.end() for match in SENTENCE.finditer(last)]
    open_words = len(last[ends[-1] :].split()) if ends else 0
    return last[-1].isalnum() and len(ends) >= CLOSED_SENTENCES and open_words >= CUT_WORDS
