"""Everything that looks for an answer in a page."""

import re
from collections.abc import Iterator

from medagents.answers import lists
from medagents.answers.base import SHORT, Finding, Mention, Weight, rx
from medagents.answers.cues import (
    COMMON,
    CONFIRMED,
    CONTRAST,
    CUES,
    EVERY,
    EXCEPT,
    EXCLUDED,
    INCLUDED,
    LEAD,
    NO_OTHER,
    OPENERS,
    THERE_IS_NO,
    YES_NO,
)
from medagents.answers.judge import praised
from medagents.answers.page import Page
from medagents.answers.stance import CLOSED, FORMER, IS_ANSWER
from medagents.answers.voices import REPORTED

# fmt: off
_LAST_WORD = re.compile(r"([\w'/-]+)[ \t]+$")
_CLAUSE = rx(r"""(?:
    ^|[\n.,;:(!?—-]|\b(?:option|choice|answer|letter|think|believe|say|find|that|of|only
    |and|but|yet|still|however|though|although|while|because|since|so|thus|therefore|then|hence)
    )[\s\"'(\[]*$""")
_OPENS = rx(r"(?:^|[.;:!,(\n]|\b(?:so|then|just|please|therefore|thus|and|but))\s*$")
_JOINED = rx(r"\b[A-Z]\s*(?:and|or|nor|&|/)\s*(?:option )?$", 0)
_VALUE = rx(r"(?:\b(?:is|are|be|of|about)|[=:])\s*$")
# fmt: on


def _announced(page: Page) -> Iterator[Finding]:
    """Options announced by the rules of `CUES`."""
    for rule, weight, pattern in CUES:
        for match in pattern.finditer(page.text):
            lead = page.text[max(0, match.start() - 20) : match.start()]
            if (rule == "answer_label" and not _led(lead)) or (rule in OPENERS and not _OPENS.search(lead)):
                continue
            mention = page.pick(match.end())
            if mention and (rule != "imperative" or mention.start == match.end()):
                yield Finding(match.start(), mention, rule, weight)


def _led(lead: str) -> bool:
    """Whether the word before a label leaves it one: "final answer", and not "safe choice"."""
    word = _LAST_WORD.search(lead)
    return word is None or bool(LEAD.fullmatch(word[1]) or REPORTED.search(word[0]) or FORMER.search(word[0]))


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
            if (not mention.letter or _CLAUSE.search(lead)) and not _JOINED.search(lead):
                stated = IS_ANSWER.match(page.text, mention.end)
                weight = Weight.STATED if stated else praise
                yield Finding(mention.start, mention, "is_the_answer", weight)


def _excepted(page: Page) -> Iterator[Finding]:
    """The one option left: "all but C are wrong", "none except C fits"."""
    for match in EXCEPT.finditer(page.text):
        mention = page.pick(match.end(), behind=False)
        if mention:
            before, after = page.before(match.start()), page.after(mention.end)
            every, other = EVERY.search(before), NO_OTHER.search(before)
            if every:
                left = EXCLUDED.match(before, every.end()) or EXCLUDED.match(after)
            elif other:
                left = INCLUDED.match(after)
            else:
                every = EVERY.search(after) if not before.strip() else None
                left = EXCLUDED.match(after, every.end()) if every else None
            if left:
                yield Finding(match.start(), mention, "exception", Weight.HINTED)


def _confirmed(page: Page) -> Iterator[Finding]:
    """The one option of a question that the reply answers with yes."""
    for match in CONFIRMED.finditer(page.text):
        start = match.start() - len(page.before(match.start()))
        asked = [
            mention
            for mention in map(page.whole, page.between(start, match.start()))
            if page.text[mention.start : mention.end].casefold() not in COMMON
        ]
        if asked and len({mention.option for mention in asked}) == 1:
            yield Finding(start, asked[0], "confirmed", Weight.HINTED)


def _yes_or_no(page: Page) -> Iterator[Finding]:
    """Sentences that open with yes or no, where those are options ("No evidence of effusion")."""
    options = {"".join(words): option for option, words in enumerate(page.options)}
    if {"yes", "no"} <= options.keys():
        for match in (*YES_NO.finditer(page.text), *THERE_IS_NO.finditer(page.text)):
            start, end = match.span("word")
            option = options.get(match["word"].casefold())
            if option is not None:
                yield Finding(start, Mention(start, end, option, False), "yes_or_no", Weight.MENTIONED)


def _named(page: Page) -> Iterator[Finding]:
    """Options merely named: by text anywhere, by letter in a short reply with nothing but filler ahead."""
    short = len(page.words) <= SHORT
    for mention in map(page.whole, page.mentions):
        text = page.text[mention.start : mention.end]
        if mention.letter:
            told = short and page.pick(mention.start - len(page.before(mention.start))) == mention
        elif any(map(str.isalpha, text)):
            told = text.casefold() not in COMMON and not mention.loose
        else:
            told = short and bool(_VALUE.search(page.text, mention.start - 8, mention.start))
            told = told and bool(CLOSED.match(page.text, mention.end))
        if told:
            yield Finding(mention.start, mention, "only_option_named", Weight.MENTIONED)


FINDERS = (
    _announced,
    _contrasted,
    _affirmed,
    _excepted,
    _confirmed,
    lists.on_lines,
    lists.chains,
    _yes_or_no,
    _named,
)
"""Everything that looks for an answer; weight and place decide, not the order here."""
