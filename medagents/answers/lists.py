"""Answers that are lines or lists: options on lines of their own, ticked, judged, ranked or weighed."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from medagents.answers.base import SHORT, Finding, Mention, Weight, rx
from medagents.answers.page import Page
from medagents.answers.stance import DENIAL, REFUTED

# fmt: off
_BULLET = rx(r"[^\w\n❌✗✘]*(?:(?:rank )?\d{1,2}(?:st|nd|rd|th)?(?: choice)?[.):]\s+)?")
_SEPARATED = rx(r"\s*[.):,\]—]|\s*-\s")
_OPENED = rx(r"[\s\"']*[.):,;\](—]|\s*-\s| (?:because|since|as|given|due|is|for|based|over|and|or)\b")
_MARKED = rx(r"\(correct\)|(?:^|[:—.-]\s*)(?:this is )?(?:the )?correct\b|[✓✔✅]")

_TICK = r"(?P<tick>\[[x✓✔✗✘]\]|\((?:x|•|✓|✔)\)|[✓✔✅☑☒●◉])"
_CROSS = r"(?P<cross>\[[^\S\n]?\]|\([^\S\n]?\)|[❌✗✘☐○◯❎])"
_MARK_FIRST = rx(rf"[\s>*-]*(?:{_TICK}|{_CROSS})")
_MARK_BEFORE = rx(rf"""
    (?:{_TICK}|{_CROSS})[^\S\n\w]*(?:\d{{1,2}}[.)]\s*)?(?:(?:option|choice|answer)\s+)?[\"'(]*$""")
_MARK_AFTER = rx(rf"[^\S\n]*+[\"'.):,|=>→-]*+[^\S\n]*+(?:{_TICK}|{_CROSS})")
_VERDICT = rx(r"""
    [^\S\n]*+[\"'.)]*+[^\S\n]*+(?:->|=>|[:=(→—-])?+[^\S\n]*+  # tried once: long blanks would take for ever
    (?:(?P<tick>true|yes|correct|right)|(?P<cross>false|no|incorrect|wrong|not correct))\b
    (?=[^\S\n]*(?:[.,;:)\n]|-\s|$|because\b))""")
_SHARE = rx(r"""
    [\"')\]]*+\s*+(?:[:=(—-]|at\b)?+\s*+
    (?P<share>\d*\.\d+|\d+(?=\s*(?:%|/\s*10\b|percent))|[01](?![\d.]))  # 0.7, 70 %, 7/10, or all or nothing
    \s*(?:%|/\s*10+\b|percent\b)?[\s)\]}]*""")
_NEXT = rx(r"[\s,;|&]*(?:and )?[\s\"'([{-]*(?:option |choice |P\()?")
_ABOVE = rx(r"[\"')\]\s]*(?:(?<![-=])>+|≫|≻)\s*[\"'(\[]*")
_BELOW = rx(r"[\"')\]\s]*(?:<+(?!-)|≪|≺)\s*[\"'(\[]*")
# fmt: on


@dataclass(frozen=True)
class _Head:
    """A line that begins with an option: `kind` is bare (a letter only), exact, labelled or opened."""

    number: int
    style: str
    kind: str
    mention: Mention
    rest: str
    denied: bool


def _head(page: Page, line: re.Match[str], number: int) -> _Head | None:
    bullet = _BULLET.match(page.text, line.start())
    first = line.end() - len(line[0].lstrip())
    named = page.at(first)  # an option that is itself a number, and no bullet
    mention = page.whole(named) if named else page.pick(bullet.end() if bullet else first, behind=False)
    if not mention or mention.end > line.end():
        return None
    rest = page.text[mention.end : line.end()].strip(" \"')].!*:,-")
    style = re.sub(r"[\s\d]", "", page.reply[line.start() : mention.start]) + "ab"[mention.letter]
    labelled = page.labelled(mention)
    opened = _SEPARATED if mention.loose else _OPENED  # "The child is tired" may be any child
    if rest and not labelled and not opened.match(page.text, mention.end, line.end()):
        return None
    if not rest:
        kind = "bare" if mention.end - mention.start == 1 else "exact"
    else:
        label = mention.letter and len(rest.split()) <= SHORT and _SEPARATED.match(page.text, mention.end)
        kind = "labelled" if label else "opened"
    denial = REFUTED if labelled else DENIAL
    return _Head(number, style, kind, mention, rest, bool(denial.match(rest)))


def on_lines(page: Page) -> Iterator[Finding]:
    """Lines that are an option, or open with one, except where they only list the options."""
    lines = [line for line in re.finditer(r"[^\n]+", page.text) if any(map(str.isalnum, line[0]))]
    groups: dict[str, list[_Head]] = defaultdict(list)
    for number, line in enumerate(lines):
        head = _head(page, line, number)
        if head:
            groups[head.style].append(head)
            if _MARKED.search(head.rest):
                yield Finding(head.mention.start, head.mention, "marked_correct", Weight.HINTED)
    for group in groups.values():
        for head in _unlisted(group):
            closing = head.kind == "labelled" and head.number == len(lines) - 1
            if head.kind in ("bare", "exact") or (closing and not head.denied):
                yield Finding(head.mention.start, head.mention, "own_line", Weight.STATED)
            elif not head.denied:
                rule, weight = (
                    ("opened_line", Weight.HINTED) if head.number else ("first_line", Weight.OPENING)
                )
                yield Finding(head.mention.start, head.mention, rule, weight)


def _unlisted(group: Sequence[_Head]) -> Iterator[_Head]:
    """Lines of one style that answer.

    Several options in one style are a list, save for an answer put before it (out of order, or alone
    without a comment), one put after it (named before), and letters that stand alone.
    """
    options = [-1 if head.mention.option is None else head.mention.option for head in group]
    if len(set(options)) == 1:
        yield from group
        return
    kinds = [head.kind for head in group]
    plain = kinds[0] == "exact" and "exact" not in kinds[1:]
    ahead = plain or (options[1] < options[0] and kinds[1] != "bare")
    for i, head in enumerate(group):
        first, last = i == 0 and head.number == 0 and ahead, head is group[-1] and options[i] in options[:i]
        near = [group[k].number for k in (i - 1, i + 1) if 0 <= k < len(group)]
        alone = head.kind == "bare" and all(abs(number - head.number) > 1 for number in near)
        if first or last or alone:
            yield head


def marks(page: Page) -> dict[int, bool]:
    """What each option is marked by a tick, a cross or a box: by where it begins, whether it is the one.

    A line that begins with a mark has its marks before the options, any other behind them.
    """
    found = {}
    round_ones = any(mark in page.text for mark in "●◉")
    for mention in map(page.whole, page.mentions):
        line = page.text.rfind("\n", 0, mention.start) + 1
        lead = page.text[line : mention.start]
        ahead = _MARK_FIRST.match(page.text, line)
        mark = _MARK_BEFORE.search(lead[-20:]) if ahead else _MARK_AFTER.match(page.text, mention.end)
        if mark and (round_ones or mark[0].strip()[:1] not in ("○", "◯")):
            found[mention.start] = mark["tick"] is not None
    return found


def verdicts(page: Page) -> dict[int, bool]:
    """As `marks`, for words: "A: false, B: true". One alone is prose, so two options must be judged."""
    found, options = {}, set()
    if {"yes", "true"} & {"".join(words) for words in page.options}:
        return {}
    for mention in map(page.whole, page.mentions):
        verdict = _VERDICT.match(page.text, mention.end)
        if verdict:
            found[mention.start] = verdict["tick"] is not None
            options.add(mention.option)
    return found if len(options) > 1 and any(found.values()) else {}


def shares(page: Page) -> dict[int, bool]:
    """As `marks`, where options follow on one another with shares (70 %, 0.7): the one with the largest."""
    found: dict[int, bool] = {}
    run: list[tuple[float, Mention]] = []
    due = -1
    for mention in [*map(page.whole, page.mentions), None]:
        share = _SHARE.match(page.text, mention.end) if mention else None
        if run and (mention is None or share is None or mention.start > due):
            if len({each.option for _, each in run}) > 1:
                top = max(value for value, _ in run)
                best = [each.option for value, each in run if value == top]
                found |= {each.start: len(best) == 1 and each.option in best for _, each in run}
            run = []
        if mention and share:
            run.append((float(share["share"]), mention))
            gap = _NEXT.match(page.text, share.end())
            due = gap.end() if gap else share.end()
    return found


def weighed(page: Page) -> tuple[list[Finding], set[int]]:
    """What marks, verdicts and shares say: the options they single out, and where the others begin.

    Several that are right are no answer.
    """
    found, out = [], set()
    for judged, rule, weight in (
        (marks(page), "ticked", Weight.OPENING),
        (verdicts(page), "ticked", Weight.HINTED),
        (shares(page), "most_probable", Weight.HINTED),
    ):
        listed = [mention for mention in map(page.whole, page.mentions) if mention.start in judged]
        right = [mention for mention in listed if judged[mention.start]]
        for mention in (mention for mention in listed if not judged[mention.start]):
            out |= {inner.start for inner in page.between(mention.start, mention.end)}
        if len({mention.option for mention in right}) == 1:
            found.append(Finding(right[-1].start, right[-1], rule, weight))
        elif right:
            last = Mention(right[-1].start, right[-1].end, None, right[-1].letter)
            found.append(Finding(last.start, last, "several", Weight.HINTED))
    return found, out


def chains(page: Page) -> Iterator[Finding]:
    """The first of "C > D > A", the last of "A < C"."""
    for sign, first in ((_ABOVE, True), (_BELOW, False)):
        within = False
        for mention in map(page.whole, page.mentions):
            link = sign.match(page.text, mention.end)
            linked = link is not None and page.at(link.end()) is not None
            if within != linked and linked == first:
                yield Finding(mention.start, mention, "ranking", Weight.HINTED)
            within = linked
