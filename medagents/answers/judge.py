"""What stands of what was found: whose view it is, and how it is meant."""

from dataclasses import dataclass

from medagents.answers import stance, voices
from medagents.answers.base import CONTEXT, REACH, Finding, Mention, Weight
from medagents.answers.cues import COMMON, OWN, SETTLED
from medagents.answers.page import VERB, Page


def praised(page: Page, mention: Mention) -> Weight | None:
    """How firmly the option is said to be right, or better: than one other, it is no more than mentioned."""
    before = page.before(mention.start)
    if stance.POSITIVE.match(page.text, mention.end):
        return Weight.HINTED
    if stance.FITS.match(page.text, mention.end) and stance.AT_LEAST.search(before):
        return Weight.HINTED
    if stance.ONLY.search(before) and stance.EXPLAINS.match(page.text, mention.end):
        return Weight.HINTED
    better = stance.BETTER.match(page.text, mention.end)
    if not better:
        return None
    compared = stance.THAN.match(page.after(better.end())) and not stance.PAIR.search(before)
    return Weight.MENTIONED if compared else Weight.HINTED


@dataclass(frozen=True)
class _Sentence:
    """The words of the sentence around a finding.

    `before` the finding; `turned`, of that, from where the sentence last turns; `said`, the same up to the
    option; `after` the option; `beyond` what is said of it ("is the answer"), where a condition would begin.
    """

    before: str
    turned: str
    said: str
    after: str
    beyond: str


def _around(page: Page, finding: Finding) -> _Sentence:
    mention, turned = finding.mention, page.turned(finding.start)
    said = stance.IS_ANSWER.match(page.text, mention.end) or stance.POSITIVE.match(page.text, mention.end)
    noun = stance.NOUN.match(page.text, said.end()) if said else None
    last = noun or said
    return _Sentence(
        before=page.before(finding.start),
        turned=turned,
        said=turned + page.text[finding.start : mention.start],
        after=page.after(mention.end),
        beyond=page.after(last.end() if last else mention.end),
    )


def judge(page: Page, finding: Finding) -> Finding | None:
    """The finding at its due weight, or None where its sentence does not commit the model to it."""
    mention, rule, weight = finding.mention, finding.rule, finding.weight
    sentence = _around(page, finding)
    if _of_others(page, finding, sentence):
        return None
    forced = stance.FORCED.search(sentence.turned) or stance.FORCED.search(sentence.after)
    if not forced and _supposed(sentence):
        return None
    if rule not in SETTLED and not _asserted(page, finding, sentence):
        return None
    joined = page.joined(mention)
    if joined == "plural":
        return None
    if joined and rule != "ranking":
        mention, rule = Mention(mention.start, mention.end, None, mention.letter), "several"
        weight = Weight.HINTED if weight is Weight.OPENING else weight
    weight = min(weight, Weight.HINTED) if forced else weight
    return Finding(finding.start, mention, rule, min(weight, _due(page, finding, sentence)))


def _supposed(sentence: _Sentence) -> bool:
    """Whether the sentence says what would be, and not what is."""
    if stance.SUPPOSED.search(sentence.turned) or stance.IF_AFTER.match(sentence.beyond):
        return True
    return bool(stance.WOULD_HAVE.search(sentence.said) and stance.SCOPE_AFTER.match(sentence.beyond))


def _asserted(page: Page, finding: Finding, sentence: _Sentence) -> bool:
    """Whether the sentence puts the option forward, rather than deny, doubt or ask about it."""
    mention, rule, weight = finding.mention, finding.rule, finding.weight
    labelled = page.labelled(mention)
    if sentence.after.endswith("?") or (stance.REFUTED if labelled else stance.DENIED).match(sentence.after):
        return False
    if stance.WITHDRAWN.match(page.text, mention.end) or _denied_before(finding, sentence):
        return False
    praise = praised(page, mention)
    positive = praise is not None and praise >= min(weight, Weight.HINTED)
    telling = mention.letter or rule in ("answer_label", "first_line", "opened_line")
    if telling and not labelled and VERB.match(sentence.after) and not positive:
        return False
    named = page.text[mention.start : mention.end]
    if weight is Weight.HINTED and named in ("a", "i"):
        return False
    vague = mention.letter or named.casefold() in COMMON
    hinted = weight is Weight.HINTED or rule in ("correction", "contrast")
    return not (vague and hinted) or positive or bool(stance.CLOSED.match(sentence.after))


def _denied_before(finding: Finding, sentence: _Sentence) -> bool:
    """Whether words before the option deny or doubt it; the denial of a doubt ("no doubt") does neither."""
    turned = stance.DOUBLY.sub(" ", sentence.turned)
    if stance.DOUBTED.search(turned) or stance.ANY_BUT.search(sentence.said):
        return True
    if finding.weight is Weight.MENTIONED:
        return bool(stance.DENYING.search(stance.DOUBLY.sub(" ", sentence.before)))
    return finding.rule == "points_to" and bool(stance.UNSUPPORTED.search(turned))


def _due(page: Page, finding: Finding, sentence: _Sentence) -> Weight:
    """The most weight that a statement of its kind is due.

    What was said earlier, or is not the first choice, is no more than mentioned; what is said of other cases
    ("in pregnancy") yields to what is said of this one; and a quotation to what is said outside it.
    """
    said, beyond = sentence.said, sentence.beyond
    then = stance.THEN.search(said) or stance.THEN_AFTER.match(beyond)
    if (then and stance.CHOSE.search(said)) or stance.HAD.search(said):
        return Weight.MENTIONED
    if stance.FORMER.search(sentence.turned) or stance.FORMER.search(said):
        return Weight.MENTIONED
    block = page.block(finding.start)
    if block and any(map(str.isalnum, page.text[block[1] :])):
        return Weight.MENTIONED
    if stance.SCOPE.search(sentence.turned) or stance.SCOPE_AFTER.match(beyond):
        other = finding.weight is Weight.HINTED and stance.ELSEWHERE.search(said + beyond)
        return Weight.MENTIONED if other else Weight.QUALIFIED
    return Weight.QUALIFIED if block else Weight.STATED


def _of_others(page: Page, finding: Finding, sentence: _Sentence) -> bool:
    """Whether the words are another's, or name what comes second, and the reply does not go on to agree."""
    mention, rule, before, said = finding.mention, finding.rule, sentence.before, sentence.said
    if rule != "ranking" and stance.SECOND.search(said):
        return True
    block = page.block(finding.start)
    if block and _attributed(page, block, mention.end):
        return True
    quote = voices.QUOTE.search(before)
    if quote and voices.QUOTE_AFTER.match(page.text, mention.end):
        return True
    if rule == "peer_vote" or (quote and voices.PEERS.search(before[: quote.start()])):
        theirs = True
    elif rule in OWN or voices.MINE.search(before):
        theirs = voices.QUOTED.search(before) is not None
    else:
        reported = voices.THEIRS if rule == "is_the_answer" else voices.REPORTED
        hold = voices.HOLD.search(said)
        theirs = bool(
            reported.search(said if rule in ("closing_letter", "second_verb") else sentence.turned)
            or (hold and not voices.SPEAKER.search(said[: hold.start()]))
        )
    return theirs and not _agrees(page.text, before + page.text[finding.start : mention.end], mention.end)


def _attributed(page: Page, block: tuple[int, int], end: int) -> bool:
    """Whether a quotation says whose it is: in the line that announces it, or after the option at `end`."""
    lead = page.text[: block[0]].rstrip().rsplit("\n", 1)[-1]
    if lead.endswith(":") and voices.PEERS.search(lead) and not voices.OURS.search(lead):
        return True
    return bool(voices.PEERS.search(page.text[end : block[1]].split("\n")[0]))


def _agrees(text: str, said: str, end: int) -> bool:
    """Whether the reply goes on to agree with what was `said`: just after, or later by name."""
    for match in voices.AGREED.finditer(text, end, end + CONTEXT):
        if match["name"] in said if match["name"] else match.start() - end <= REACH:
            return True
    return False
