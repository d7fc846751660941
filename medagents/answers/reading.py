"""Read one reply: weigh what was found against a refusal and a cut."""

from collections.abc import Mapping, Sequence

from medagents.answers import lists
from medagents.answers.base import CONTEXT, REACH, Finding, Weight
from medagents.answers.find import FINDERS
from medagents.answers.judge import judge
from medagents.answers.markup import shortened, without_thoughts
from medagents.answers.page import NEXT_TURN, Page
from medagents.answers.unanswered import cut_off, left_hanging, refusals
from medagents.types import LETTERS, Answer, MedagentsError, Status


def extract(
    reply: str | None, options: Sequence[str] | Mapping[str, str], letters: Sequence[str] | None = None
) -> Answer:
    """Read the option a reply settles on.

    No text at all (None, blank) is unparseable, rule `no_text`; whether the service sent nothing is the
    transport's to say. Truncated is judged from the text alone: no explicit answer, and it stops in
    mid-sentence (see `CUT_WORDS`). Two answers at once ("A or C") are unparseable, rule `several`; a text
    that two options share is `ambiguous_text`. Of a runaway reply the first and the last `ENDS`
    characters are read, which bounds the work whatever its length.

    Args:
        reply: what the model said; markup and LaTeX are read through.
        options: texts in display order, or letter to text, the texts empty where only letters are known.
        letters: the labels shown, where not A, B, C...

    Raises:
        MedagentsError: as `labelled`.
    """
    labels, texts = labelled(options, letters)
    if reply is None or not reply.strip():
        return Answer(Status.UNPARSEABLE, None, None, "no_text")
    reply = shortened(reply)
    turn = NEXT_TURN.search(reply)
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
        MedagentsError: no options, more options than letters, or labels that only case tells apart.
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
    if len({label.casefold() for label in labels}) < len(labels):
        raise MedagentsError(f"labels {', '.join(labels)} differ by case alone or not at all; rename them")
    if len(labels) < len(texts):
        raise MedagentsError(f"{len(texts)} options but {len(labels)} letters; give one letter an option")
    return labels, texts


def _read(reply: str, labels: Sequence[str], texts: Sequence[str]) -> Answer:
    """Weigh the findings against a refusal and a cut."""
    page = Page(reply, labels, texts)
    told, out = lists.weighed(page)
    told += [finding for find in FINDERS for finding in find(page) if finding.mention.start not in out]
    found = sorted(told, key=lambda finding: finding.order, reverse=True)
    best = _heaviest(page, found)
    refusal, declined = refusals(page)
    cut = cut_off(reply) or not without_thoughts(reply).strip()
    firm = best and (best.weight >= Weight.QUALIFIED or (best.weight is Weight.HINTED and not cut))
    if best and firm and (best.weight >= Weight.QUALIFIED or declined < best.start):
        return _answer(reply, best)
    if refusal >= 0 and not (cut and len(reply) - refusal > CONTEXT):
        return Answer(Status.REFUSED, None, reply[refusal:].split("\n")[0][:CONTEXT], "refusal")
    if cut or left_hanging(reply):
        return Answer(Status.TRUNCATED, None, reply.rstrip()[-REACH:], "cut_off")
    judged = (judge(page, finding) for finding in found)
    standing = {
        finding.mention.option for finding in judged if finding and finding.weight is Weight.MENTIONED
    }
    if best and len(standing) == 1:
        return _answer(reply, best)
    return Answer(Status.UNPARSEABLE, None, None, "several_named" if standing else "no_option")


def _heaviest(page: Page, found: Sequence[Finding]) -> Finding | None:
    """The first of `found` to stand; judging can only lower a finding, so the rest need no look."""
    best = None
    for finding in found:
        if best and finding.order <= best.order:
            break
        judged = judge(page, finding)
        if judged and (best is None or judged.order > best.order):
            best = judged
    return best


def _answer(reply: str, finding: Finding) -> Answer:
    option, rule = finding.mention.option, finding.rule
    span = reply[finding.start : finding.mention.end].strip()
    if option is None:
        return Answer(Status.UNPARSEABLE, None, span, rule if rule == "several" else "ambiguous_text")
    return Answer(Status.ANSWERED, option, span, rule)
