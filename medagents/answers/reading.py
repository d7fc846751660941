"""Read one reply: weigh what was found against a refusal and a cut."""

import re
from collections.abc import Mapping, Sequence

from medagents.answers import lists
from medagents.answers.base import CONTEXT, ENDS, REACH, Finding, Weight
from medagents.answers.cues import REFUSALS
from medagents.answers.find import FINDERS
from medagents.answers.judge import cut_off, judge, left_hanging
from medagents.answers.markup import without_thoughts
from medagents.answers.page import NEXT_TURN, Page
from medagents.types import LETTERS, Answer, MedagentsError, Status


def extract(
    reply: str | None, options: Sequence[str] | Mapping[str, str], letters: Sequence[str] | None = None
) -> Answer:
    """Read the option a reply settles on.

    No text at all (None, blank) is unparseable, rule `no_text`; whether the service sent nothing is the
    transport's to say. Truncated is judged from the text alone: no explicit answer, and it stops in
    mid-sentence (see `CUT_WORDS`). Two answers at once ("A or C") are unparseable, rule `several`; a text
    that two options share is `ambiguous_text`. Of a runaway only the first and last `ENDS` characters count.

    Args:
        reply: what the model said; markup and LaTeX are read through.
        options: texts in display order, or letter to text, the texts empty where only letters are known.
        letters: the labels shown, where not A, B, C...

    Raises:
        MedagentsError: no options, or more options than letters.
    """
    labels, texts = labelled(options, letters)
    if reply is None or not reply.strip():
        return Answer(Status.UNPARSEABLE, None, None, "no_text")
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
        MedagentsError: no options, or more options than letters.
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
    if len(labels) < len(texts):
        raise MedagentsError(f"{len(texts)} options but {len(labels)} letters; give one letter an option")
    return labels, texts


def _read(reply: str, labels: Sequence[str], texts: Sequence[str]) -> Answer:
    """Weigh the findings against a refusal and a cut."""
    reply = _ends(reply)
    page = Page(reply, labels, texts)
    told, out = lists.weighed(page)
    told += [finding for find in FINDERS for finding in find(page) if finding.mention.start not in out]
    found = sorted(told, key=lambda finding: finding.order, reverse=True)
    best = _heaviest(page, found)
    refusal = max(
        (match.start() for match in REFUSALS.finditer(page.text) if _refuses(page, match)), default=-1
    )
    cut = cut_off(reply) or not page.text.strip()
    firm = best and (best.weight >= Weight.QUALIFIED or (best.weight is Weight.HINTED and not cut))
    if best and firm and (best.weight >= Weight.QUALIFIED or refusal < best.start):
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


def _ends(reply: str) -> str:
    """The beginning and the end of a runaway: an answer stands in one of them; each mention takes time."""
    if len(reply) <= 2 * ENDS:
        return reply
    said = without_thoughts(reply).strip() or reply
    return said if len(said) <= 2 * ENDS else f"{said[:ENDS]}\n{said[-ENDS:]}"


def _refuses(page: Page, match: re.Match[str]) -> bool:
    """Whether it is the answer that is refused, rather than one option ("I cannot recommend B")."""
    mention = page.pick(match.end(), behind=False)
    return mention is None or bool(page.joined(mention))


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
