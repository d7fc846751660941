"""A reply as plain text of the same length, and its words in the form in which spellings agree."""

import re
import unicodedata

from medagents.answers.base import ENDS, SEAM, rx

# fmt: off
_PLAIN = str.maketrans(
    dict.fromkeys("*`$#_~|{}\\\u200b\ufeff", " ") | dict.fromkeys("’‘‚‛❛❜", "'")
    | dict.fromkeys("“”„‟«»‹›「」『』《》〈〉⟨⟩❝❞", '"') | dict.fromkeys("–‐‑−", "-")
    | {"【": "[", "】": "]", "。": "."})
_UNEQUAL = rx(r"\\neq?(?![a-z])|!=|=/=|≠")
_BOX = rx(r"\\(?:boxed|fbox)\s*\{")
_MACRO = rx(r"\\(?:(?:text|math)?(?:bf|rm|it|sf|tt)?|[dt]?frac)\s*\{")
_CELLS = rx(r"^([^\S\n]*\|[^|\n]+)\|(?=[^|\n]+\|?[^\S\n]*$)", re.IGNORECASE | re.MULTILINE)
_STRUCK = rx(r"~~[^~\n]+~~|<(s|del|strike)>[^<\n]*</\1>|\\(?:sout|[bx]?cancel)\s*\{[^{}\n]*\}")
_THINK = r"(?:think|thinking|thoughts?|reasoning|reflection)"
_THOUGHT = rx(rf"(?P<opens><{_THINK}>|\[THINK\]|◁think▷)|</{_THINK}>|\[/THINK\]|◁/think▷|<unused95>")
_ANSWER_TAG = rx(r"<(?:final_?)?answer>")
WORD = re.compile(
    r"(?:(?<![\w.)%-])[-+])?\d+(?:\.\d+)+|(?<![\w.)%-])[-+]\d+\b|\d{1,3}(?:,\d{3})+\b|[^\W_]+(?:'s\b)?"
    r"|[<≤≥+±%]|(?<![-=])>")
"""A word, a number with its sign, or a sign of its own."""
# fmt: on
_GREEK = {chr(code): unicodedata.name(chr(code)).split()[-1].lower() for code in range(0x3B1, 0x3CA)}
_GREEK |= {"λ": "lambda"}
_SAME = {"%": "percent", "ug": "mcg", "μg": "mcg"}


def clean(reply: str) -> str:
    """Markup to blanks and odd characters to plain ones, every offset kept.

    What is struck out or only thought aloud is blanked, so that a reply cut while it thinks is blank.
    """
    if not reply.isascii():
        plain = {c: unicodedata.normalize("NFKC", c) for c in set(reply)}
        reply = "".join(plain[c] if len(plain[c]) == 1 else c for c in reply)
    text = without_thoughts(reply)
    struck = _STRUCK.sub(lambda m: " " * len(m[0]), text)
    text = struck if struck.strip() else text
    text = _UNEQUAL.sub(lambda m: "≠".ljust(len(m[0])), text)
    text = _BOX.sub(lambda m: "boxed:".rjust(len(m[0])), text)
    text = _MACRO.sub(lambda m: " " * len(m[0]), text)
    return _CELLS.sub(lambda m: m[1] + ":", text).translate(_PLAIN)


def shortened(reply: str) -> str:
    """A runaway reply less its thoughts and its middle, so that its length costs no time to read."""
    if len(reply) <= 2 * ENDS:
        return reply
    said = without_thoughts(reply).strip() or reply
    return said if len(said) <= 2 * ENDS else said[:ENDS] + SEAM + said[-ENDS:]


def without_thoughts(text: str) -> str:
    """Thoughts to blanks: up to the tag that ends them, or else to an answer tag or the end.

    Where nothing follows the tag that ends them, the thoughts are all there is to read.
    """
    spans: list[tuple[int, int]] = []
    opened = None
    for tag in _THOUGHT.finditer(text):
        if tag["opens"]:
            opened = tag.start() if opened is None else opened
        else:
            if opened is None:
                spans, opened = [], 0
            spans.append((opened, tag.end()))
            opened = None
    if opened is not None:
        answer = _ANSWER_TAG.search(text, opened)
        spans.append((opened, answer.start() if answer else len(text)))
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], " " * (end - start)]
        at = end
    left = "".join((*pieces, text[at:]))
    return left if left.strip() or opened is not None else text


def fold(word: str) -> str:
    """A word in the form in which spellings agree: case, accents, Greek letters, British vowels, units."""
    word = word.casefold().removesuffix("'s")
    word = _SAME.get(word, word)
    if not word.isascii():
        letters = unicodedata.normalize("NFKD", word)
        word = "".join(_GREEK.get(c, c) for c in letters if not unicodedata.combining(c))
    return word.replace(",", "").replace("ae", "e").replace("oe", "e").replace("our", "or")
