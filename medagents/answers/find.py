"""Everything that looks for an answer in a page."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from medagents.answers.base import SHORT, Finding, Mention, Weight
from medagents.answers.cues import (
    COMMON,
    CONTRAST,
    CUES,
    DENIAL,
    IS_ANSWER,
    LEAD,
    MARKED,
    OPENED,
    REPORTED,
    SEPARATED,
    THERE_IS_NO,
    YES_NO,
)
from medagents.answers.judge import praised
from medagents.answers.page import BULLET, CLAUSE, JOINED, Page


def _announced(page: Page) -> Iterator[Finding]:
    """Options announced by the rules of `CUES`."""
    for rule, weight, pattern in CUES:
        for match in pattern.finditer(page.text):
            lead = re.search(r"([\w'/-]+)[ \t]+$", page.text[max(0, match.start() - 20) : match.start()])
            known = lead is None or LEAD.fullmatch(lead[1]) or REPORTED.search(lead[0])
            mention = page.pick(match.end()) if known or rule != "answer_label" else None
            if mention:
                yield Finding(match.start(), mention, rule, weight)


def _contrasted(page: Page) -> Iterator[Finding]:
    """Options put in the place of a denied one: "not A but D"."""
    for match in CONTRAST.finditer(page.text):
        denied = page.pick(match.start("denied"), behind=False)
        mention = page.pick(match.end(), behind=False)
        if denied and mention and denied.end <= match.end() < mention.end:
            yield Finding(match.start(), mention, "contrast", Weight.STATED)


def _affirmed(page: Page) -> Iterator[Finding]:
    """Options of which something is said: "C is the answer", "C is most likely"."""
    for mention in map(page.whole, page.mentions):
        praise = praised(page, mention)
        if praise is not None:
            lead = page.text[max(0, mention.start - 20) : mention.start]
            if (not mention.letter or CLAUSE.search(lead)) and not JOINED.search(lead):
                stated = IS_ANSWER.match(page.text, mention.end)
                weight = Weight.STATED if stated else praise
                yield Finding(mention.start, mention, "is_the_answer", weight)


@dataclass(frozen=True)
class _Head:
    """A line that begins with an option: `kind` is bare (a letter only), exact, labelled or opened."""

    number: int
    style: str
    kind: str
    mention: Mention
    rest: str


def _head(page: Page, line: re.Match[str], number: int) -> _Head | None:
    bullet = BULLET.match(page.text, line.start())
    mention = page.pick(bullet.end() if bullet else line.start(), behind=False)
    if not mention or mention.end > line.end():
        return None
    rest = page.text[mention.end : line.end()].strip(" \"')].!*:,-")
    style = re.sub(r"[\s\d]", "", page.reply[line.start() : mention.start]) + "ab"[mention.letter]
    if not rest:
        kind = "bare" if mention.end - mention.start == 1 else "exact"
    elif not OPENED.match(page.text, mention.end, line.end()):
        return None
    else:
        label = mention.letter and len(rest.split()) <= SHORT and SEPARATED.match(page.text, mention.end)
        kind = "labelled" if label else "opened"
    return _Head(number, style, kind, mention, rest)


def _on_lines(page: Page) -> Iterator[Finding]:
    """Lines that are an option, or open with one, except where they only list the options."""
    lines = [line for line in re.finditer(r"[^\n]+", page.text) if any(map(str.isalnum, line[0]))]
    groups: dict[str, list[_Head]] = {}
    for number, line in enumerate(lines):
        head = _head(page, line, number)
        if head:
            groups.setdefault(head.style, []).append(head)
            if MARKED.search(head.rest):
                yield Finding(head.mention.start, head.mention, "marked_correct", Weight.HINTED)
    for head in (head for group in groups.values() for head in _unlisted(group)):
        closing = head.kind == "labelled" and head.number == len(lines) - 1
        if head.kind in ("bare", "exact") or (closing and not DENIAL.match(head.rest)):
            yield Finding(head.mention.start, head.mention, "own_line", Weight.STATED)
        elif not DENIAL.match(head.rest):
            rule, weight = ("opened_line", Weight.HINTED) if head.number else ("first_line", Weight.OPENING)
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


def _yes_or_no(page: Page) -> Iterator[Finding]:
    """Sentences that open with yes or no, where those are options ("No evidence of effusion")."""
    options = {"".join(words): option for option, words in enumerate(page.options)}
    if {"yes", "no"} <= options.keys():
        for match in (*YES_NO.finditer(page.text), *THERE_IS_NO.finditer(page.text)):
            start, end = match.span("word")
            mention = Mention(start, end, options[match["word"].casefold()], False)
            yield Finding(start, mention, "yes_or_no", Weight.MENTIONED)


def _named(page: Page) -> Iterator[Finding]:
    """Options merely named: by text anywhere, by letter in a short reply with nothing but filler ahead."""
    for mention in map(page.whole, page.mentions):
        text = page.text[mention.start : mention.end]
        if mention.letter:
            sentence = mention.start - len(page.before(mention.start))
            told = len(page.words) <= SHORT and page.pick(sentence) == mention
        else:
            told = text.casefold() not in COMMON and any(map(str.isalpha, text))
        if told:
            yield Finding(mention.start, mention, "only_option_named", Weight.MENTIONED)


FINDERS = (_announced, _contrasted, _affirmed, _on_lines, _yes_or_no, _named)
"""Everything that looks for an answer; weight and place decide, not the order here."""
