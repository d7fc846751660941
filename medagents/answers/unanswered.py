"""How a reply ends without an answer: it refuses, or it is cut.

Patterns are laid out a group of words a line (see `base.rx`).
"""

import re

from medagents.answers.base import CLOSED_SENTENCES, CUT_WORDS, DANGLING_WORDS, RUNAWAY_WORDS, SENTENCE, rx
from medagents.answers.page import Page

# fmt: off
_CANNOT = r"""
    \b(?:I|we|one)(?:'m| am| are| have to| must)? (?:\w+ ){0,2}?
    (?:cannot|can't|can not|could not|couldn't|unable to|not able to|won't|will not|not going to
    |not (?:qualified|comfortable|in a position)(?: to)?) (?:\w+ly )?
    (?:answer|respond|tell|say|choos|select|pick|decid|commit|determin|identif|diagnos|predict|guess|speculat
    |provid|giv|offer|mak|recommend|advis|assist|help|comply|fulfil)\w*"""
_DECLINE = r"""
    \b(?:I|we)(?:'d)? (?:\w+ ){0,2}?
    (?:decline|refuse|abstain|refrain|rather not|prefer not|choose not to
    |(?:don't|do not) (?:know|have (?:enough|sufficient)))\b"""
_IMPOSSIBLE = r"""
    \bno (?:\w+ )?answer can be\b|\bbeyond my\b|\bprediction is (?:not possible|impossible)\b
    |\b(?:impossible|inappropriate|irresponsible|not (?:be )?(?:possible|appropriate|safe))\s+
    (?:for me )?to (?:\w+ly )?(?:determine|choose|answer|say|select|predict|provide|pick)\b
    |\bcannot be (?:\w+ly )?(?:answered|determined|predicted|chosen|selected|given|provided)\b
    |^\W*(?:unable|not able) to (?:answer|determine|choose|provide|select)\b
    |\b(?:not enough|insufficient) (?:\w+ )?(?:information|data|detail)"""
_REMARK = r"""
    \bas an? (?:AI|artificial intelligence|(?:large )?language model)\b
    |\bI'm sorry,? (?:but|I)\b|\bI apologi[sz]e,? but\b|\bconsult (?:a|your)\b"""
_REFUSAL = rx(f"{_CANNOT}|{_DECLINE}|{_IMPOSSIBLE}|{_REMARK}")
_DISCLAIMER = rx(r"""
    consult\b|as an? (?:AI|artificial|large|language)\b
    |[^.\n]{0,40}\b(?:medical|professional|clinical) advice\b""")
_DANGLING = rx(r"""(?:
    \b(?:the|(?-i:an?)|its|of|and|or|to|with|for|by|as|from|at|into|between|than
    |(?<!\b[a-j]\sit\s)is|are|was|would|may  # "B it is" is whole
    |which|because|whether|although|unless
    |(?:whether|because|that|if|although|unless) (?:the|an?|her|his|this|their) \w+)
    |[,:;(-]
    )$""")
# fmt: on


def refusals(page: Page) -> tuple[int, int]:
    """Where the last refusal begins, and the last that is more than a disclaimer; -1 for none.

    A routine remark ("consult a doctor", "as an AI") is a refusal only where no answer was hinted at.
    """
    found = [match.start() for match in _REFUSAL.finditer(page.text) if _of_answer(page, match)]
    firm = [start for start in found if not _DISCLAIMER.match(page.text, start)]
    return max(found, default=-1), max(firm, default=-1)


def _of_answer(page: Page, match: re.Match[str]) -> bool:
    """Whether it is the answer that is refused, rather than one option ("I cannot recommend B")."""
    mention = page.pick(match.end(), behind=False)
    return mention is None or "," in page.text[match.end() : mention.start] or bool(page.joined(mention))


def cut_off(reply: str) -> bool:
    """Whether the reply stops in mid-sentence."""
    last = reply.rstrip().rsplit("\n", 1)[-1]
    words = len(reply.split())
    if _DANGLING.search(last):
        return words >= DANGLING_WORDS
    return last[-1].isalnum() and len(last.split()) >= CUT_WORDS and words >= RUNAWAY_WORDS


def left_hanging(reply: str) -> bool:
    """Whether the last line closes its sentences but the last, a long one; a hint still outweighs it."""
    last = reply.rstrip().rsplit("\n", 1)[-1]
    ends = [match.end() for match in SENTENCE.finditer(last)]
    open_words = len(last[ends[-1] :].split()) if ends else 0
    return last[-1].isalnum() and len(ends) >= CLOSED_SENTENCES and open_words >= CUT_WORDS
