"""What stands of what was found: whose view it is, how it is meant, and whether the reply was cut."""

from medagents.answers import stance
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
from medagents.answers.cues import COMMON, DANGLING, OWN, SENTENCE, SETTLED
from medagents.answers.page import VERB, Page


def praised(page: Page, mention: Mention) -> Weight | None:
    """How firmly the option is said to be right, or better: than one other, it is no more than mentioned."""
    before = page.before(mention.start)
    if stance.POSITIVE.match(page.text, mention.end):
        return Weight.HINTED
    if stance.FITS.match(page.text, mention.end) and stance.AT_LEAST.search(before):
        return Weight.HINTED
    better = stance.BETTER.match(page.text, mention.end)
    if not better:
        return None
    compared = stance.THAN.match(page.after(better.end())) and not stance.PAIR.search(before)
    return Weight.MENTIONED if compared else Weight.HINTED


def judge(page: Page, finding: Finding) -> Finding | None:
    """The finding at its due weight, or None where its sentence does not commit the model to it."""
    mention, rule, weight = finding.mention, finding.rule, finding.weight
    turned, after = page.turned(finding.start), page.after(mention.end)
    if _of_others(page, finding, turned):
        return None
    forced = stance.FORCED.search(turned) or stance.FORCED.search(after)
    beyond = page.after(_beyond(page, mention))
    if not forced and (stance.SUPPOSED.search(turned) or stance.IF_AFTER.match(beyond)):
        return None
    if rule not in SETTLED and not _asserted(page, finding, turned, after):
        return None
    joined = page.joined(mention)
    if joined == "plural":
        return None
    if joined and rule != "ranking":
        mention, rule = Mention(mention.start, mention.end, None, mention.letter), "several"
        weight = Weight.HINTED if weight is Weight.OPENING else weight
    weight = min(weight, Weight.HINTED) if forced else weight
    return Finding(finding.start, mention, rule, min(weight, _due(page, finding, turned, beyond)))


def _asserted(page: Page, finding: Finding, turned: str, after: str) -> bool:
    """Whether the sentence puts the option forward, rather than deny, doubt or ask about it."""
    mention, rule, weight = finding.mention, finding.rule, finding.weight
    praise = praised(page, mention)
    positive = praise is not None and praise >= min(weight, Weight.HINTED)
    denied = stance.REFUTED if page.labelled(mention) else stance.DENIED
    plain = stance.DOUBLY.sub(" ", turned)
    if stance.DOUBTED.search(plain) or denied.match(after) or after.endswith("?"):
        return False
    if weight is Weight.MENTIONED and stance.DENYING.search(
        stance.DOUBLY.sub(" ", page.before(finding.start))
    ):
        return False
    if stance.ANY_BUT.search(turned + page.text[finding.start : mention.start]):
        return False
    if stance.WITHDRAWN.match(page.text, mention.end):
        return False
    telling = mention.letter or rule in ("answer_label", "first_line", "opened_line")
    if telling and not page.labelled(mention) and VERB.match(after) and not positive:
        return False
    named = page.text[mention.start : mention.end]
    if weight is Weight.HINTED and named in ("a", "i"):
        return False
    vague = mention.letter or named.casefold() in COMMON
    hinted = weight is Weight.HINTED or rule in ("correction", "contrast")
    return not (vague and hinted) or positive or bool(stance.CLOSED.match(after))


def _beyond(page: Page, mention: Mention) -> int:
    """Where what is said of an option ends ("is the answer"), and any condition on it begins."""
    said = stance.IS_ANSWER.match(page.text, mention.end) or stance.POSITIVE.match(page.text, mention.end)
    if not said:
        return mention.end
    noun = stance.NOUN.match(page.text, said.end())
    return noun.end() if noun else said.end()


def _due(page: Page, finding: Finding, turned: str, beyond: str) -> Weight:
    """The most weight that a statement of its kind is due.

    What was said earlier, or is not the first choice, is no more than mentioned; what is said of other cases
    ("in pregnancy") yields to what is said of this one; and a quotation to what is said outside it.
    """
    mention = finding.mention
    said = turned + page.text[finding.start : mention.start]
    then = stance.THEN.search(said) or stance.THEN_AFTER.match(beyond)
    if (
        (then and stance.CHOSE.search(said))
        or stance.HAD.search(said)
        or stance.FORMER.search(turned)
        or stance.FORMER.search(said)
    ):
        return Weight.MENTIONED
    block = page.block(finding.start)
    if block and any(map(str.isalnum, page.text[block[1] :])):
        return Weight.MENTIONED
    if stance.SCOPE.search(turned) or stance.SCOPE_AFTER.match(beyond):
        other = finding.weight is Weight.HINTED and stance.ELSEWHERE.search(said + beyond)
        return Weight.MENTIONED if other else Weight.QUALIFIED
    return Weight.QUALIFIED if block else Weight.STATED


def _of_others(page: Page, finding: Finding, turned: str) -> bool:
    """Whether the words are another's, or name what comes second, and the reply does not go on to agree."""
    mention, rule = finding.mention, finding.rule
    before = page.before(finding.start)
    said = turned + page.text[finding.start : mention.start]
    if stance.SECOND.search(said):
        return True
    block = page.block(finding.start)
    if block and _attributed(page, block, mention.end):
        return True
    if stance.QUOTE.search(before) and stance.QUOTE_AFTER.match(page.text, mention.end):
        return True
    if rule == "peer_vote":
        theirs = True
    elif rule in OWN or stance.MINE.search(before):
        theirs = stance.QUOTED.search(before) is not None
    else:
        reported = stance.THEIRS if rule == "is_the_answer" else stance.REPORTED
        hold = stance.HOLD.search(said)
        theirs = bool(
            reported.search(said if rule == "closing_letter" else turned)
            or (hold and not stance.SPEAKER.search(said[: hold.start()]))
        )
    return theirs and not _agrees(page.text, before + page.text[finding.start : mention.end], mention.end)


def _attributed(page: Page, block: tuple[int, int], end: int) -> bool:
    """Whether a quotation says whose it is: in the line that announces it, or after the option at `end`."""
    lead = page.text[: block[0]].rstrip().rsplit("\n", 1)[-1]
    if lead.endswith(":") and stance.PEERS.search(lead) and not stance.OURS.search(lead):
        return True
    return bool(stance.PEERS.search(page.text[end : block[1]].split("\n")[0]))


def _agrees(text: str, said: str, end: int) -> bool:
    """Whether the reply goes on to agree with what was `said`: just after, or later by name."""
    for match in stance.AGREED.finditer(text, end, end + CONTEXT):
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
