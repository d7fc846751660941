"""One reply laid out for reading: markup blanked, words folded, and every option named in it."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from medagents.answers.base import CONTEXT, FLOOR, OPENING, REACH, Mention, rx
from medagents.answers.cues import IS_ANSWER

# fmt: off
# --- Markup. Every replacement keeps the length.
_BLANK = str.maketrans(
    dict.fromkeys("*`$#_~|{}\\\u200b\ufeff", " ") | dict(zip("’‘“”„–‐‑−", "''\"\"\"----", strict=True)))
_BOX = rx(r"\\(?:boxed|fbox)\s*\{")
_MACRO = rx(r"\\(?:text|math)?(?:bf|rm|it|sf|tt)?\s*\{")
_THOUGHT = rx(r"</(?:think|thinking|reasoning)>|<unused95>")
NEXT_TURN = rx(
    r"<\|\w+\|>|<(?:start|end)_of_turn>|\n[^\S\n]*(?:\[INST\]|(?:instruction|user|human)\s*:"
    r"|question(?: \d+)?\s*:(?=[^\n]*\n\s*(?:options:?\s*)?\(?A[.):]))")
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+(?:'s\b)?|[<≤≥+±%]")
_LETTER = re.compile(r"(?<!\w)(?<!\w[-+])[A-Za-z0-9](?![\w+]|'\w|-\w|\.[a-z])")
_STOP = re.compile(r"[\n!?;]|(?<!\bDr)(?<!\bvs)(?<!\bProf)\.(?=[\s\"']|$)")
BULLET = rx(r"[^\w\n❌✗✘]*(?:\d{1,2}[.)]\s+)?")

# --- Around a letter: what makes it a label, an article, half a name, or one of several.
_FILL = rx(
    r"(?:[\s\"'(\[:,<>=—-]|(?:option|choice|answer|letter|the|that|is|it|be|most|likely|probably|clearly"
    r"|possibly|still|an?|definitely|indeed|therefore|best|correct|final|right|single|either|both|simply"
    r"|just|now"
    rf"|thus)\b){{0,{REACH}}}+")
_FUNCTION = rx(
    r"is|was|are|were|would|will|seems|appears|looks|because|since|as|for|given|due|but|which|and|or|nor|over"
    r"|rather|not|with|in|here|based|on|from|if|that|when|while|most|likely|probably|only|then|though"
    r"|although|however|despite|without|where|it|can|could|may|might|should|must|has|had|does|did|than"
    r"|unless|being|remains|to"
    r"|isn't|wasn't|fits|explains|matches|makes", 0)
_TRAILING = rx(
    r" (?:too|also|again|myself|ourselves|instead|anyway|alone|overall|likewise)\b"
    r"(?=\s*(?:[.,;:!)—-]|$|(?:because|since|as|given|for)\b))")
_HALF_NAME = rx(
    r"[.\s]\s*(?:(?:diff(?:icile)?|coli|tetani|albicans|fragilis)\b|botulin|perfring|burgdorf)"
    r"|[^\S\n]+(?:cells?\b|lymphocyt|dimer|symptom)")
_LABELLED = rx(r"\b(?:option|choice|answer|letter) $")
CLAUSE = rx(
    r"(?:^|[\n.,;:(!?—-]|\b(?:option|choice|answer|letter|that|so|thus|therefore|then|hence|think|believe"
    r"|and|but|because|while|only|say|find))[\s\"'(\[]*$")
_GAP = rx(r"[\s.):,>\]\"'—-]{0,6}")
_BEHIND = rx(
    rf"(?:(?!\b(?:not|than|between|neither|nor|unclear)\b)[^.\n;?()]){{1,{REACH}}}?"
    r"(?:\(\s*(?:(?:option|choice|answer)\s*)?|,\s*(?:option|choice) )(?=[a-z]\b)")
_LINK = rx(
    r"[\"')\]\s]*(?:[,&/+>]|\band\b|\bor\b)\s*(?:(?:and|or|also|possibly|maybe|perhaps|the|option|choice) "
    r"|[\"'(\[])*")
JOINED = rx(r"\b[A-Z]\s*(?:and|or|nor|&|/)\s*(?:option )?$", 0)
_PLURAL = rx(r"[\s\"')]*(?:are|were)\b")
VERB = rx(
    r"[\"')\]\s]*\b(?:is|was|are|were|would|will|seems?|looks|appears?|might|may|could|can|must|has|had"
    r"|does|did|being|isn't)\b")
# fmt: on


def _clean(reply: str) -> str:
    """Markup to blanks and odd characters to plain ones, every offset kept; thinking aloud is blanked."""
    if not reply.isascii():
        plain = {c: unicodedata.normalize("NFKC", c) for c in set(reply)}
        reply = "".join(plain[c] if len(plain[c]) == 1 else c for c in reply)
    text = _BOX.sub(lambda m: "boxed:".rjust(len(m[0])), reply)
    text = _MACRO.sub(lambda m: " " * len(m[0]), text).translate(_BLANK)
    thought = max((m.end() for m in _THOUGHT.finditer(text)), default=0)
    return " " * thought + text[thought:] if text[thought:].strip() else text


def _fold(word: str) -> str:
    """A word in the form in which spellings agree: case, accents, British vowels and 's folded."""
    word = word.casefold()
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return word.removesuffix("'s").replace("ae", "e").replace("oe", "e").replace("our", "or")


class Page:
    """One reply laid out for reading: clean text, its words, and every option named in it."""

    def __init__(self, reply: str, labels: Sequence[str], texts: Sequence[str]) -> None:
        self.reply, self.text = reply, _clean(reply)
        self.options = [[_fold(word) for word in _WORD.findall(_clean(text))] for text in texts]
        self.words = [(_fold(m[0]), m.start(), m.end()) for m in _WORD.finditer(self.text)]
        self.word_at = {start: i for i, (_, start, _) in enumerate(self.words)}
        named = [*self._letters(labels), *self._texts()]
        self.mentions: list[Mention] = []
        for mention in sorted(named, key=lambda m: (m.start, -m.end)):
            if not self.mentions or mention.end > self.mentions[-1].end:  # else within a longer one
                self.mentions.append(mention)
        self.starts = [mention.start for mention in self.mentions]

    def _letters(self, labels: Sequence[str]) -> Iterator[Mention]:
        letters = {label.casefold(): i for i, label in enumerate(labels)}
        for match in _LETTER.finditer(self.text):
            option = letters.get(match[0].casefold())
            if option is None or not _is_letter(self.text, match.start()):
                continue
            if self._labels(match.end(), option) or not _HALF_NAME.match(self.text, match.end()):
                yield Mention(match.start(), match.end(), option, True)

    def _labels(self, end: int, option: int) -> bool:
        """Whether the option's own text follows a letter that ends at `end`."""
        gap, words = _GAP.match(self.text, end), self.options[option]
        first = self.word_at.get(gap.end(), -1) if gap else -1
        heard = self.words[first : first + len(words)] if first >= 0 else []
        return bool(heard) and [word for word, _, _ in heard] == words

    def _texts(self) -> Iterator[Mention]:
        """Option texts in whole words, whatever the case, hyphens and spelling."""
        opens: dict[int, int] = {}
        closes: dict[int, int] = {}
        at = 0
        for word, start, end in self.words:
            opens[at], at = start, at + len(word)
            closes[at] = end
        stream, keys = "".join(word for word, _, _ in self.words), ["".join(words) for words in self.options]
        for option, key in enumerate(keys):
            at = stream.find(key) if key else -1
            while at >= 0:
                if at in opens and at + len(key) in closes:
                    only = option if keys.count(key) == 1 else None
                    yield Mention(opens[at], closes[at + len(key)], only, False)
                at = stream.find(key, at + 1)

    def at(self, start: int) -> Mention | None:
        """The mention that begins at `start`."""
        i = bisect_left(self.starts, start)
        return self.mentions[i] if i < len(self.starts) and self.starts[i] == start else None

    def pick(self, start: int, behind: bool = True) -> Mention | None:
        """The option named next after `start`: past filler, misspelt, or `behind` other words ("X (C)")."""
        filled = _FILL.match(self.text, start)
        end = filled.end() if filled else start
        i = bisect_left(self.starts, start)
        if i < len(self.starts) and self.starts[i] <= end:
            return self.whole(self.mentions[i])
        further = _BEHIND.match(self.text, start) if behind else None
        return self.near(end) or (self.at(further.end()) if further else None)

    def whole(self, mention: Mention) -> Mention:
        """`mention` with the option's own text where that follows its letter."""
        gap = _GAP.match(self.text, mention.end)
        text = self.at(gap.end()) if gap and mention.letter else None
        if text and not text.letter and text.option in (mention.option, None):
            return Mention(mention.start, text.end, mention.option, True)
        return mention

    def near(self, start: int) -> Mention | None:
        """A misspelt option text beginning at `start`, no less like it than `FLOOR`."""
        i = self.word_at.get(start)
        scores = []
        for option, words in enumerate(self.options):
            heard = self.words[i : i + len(words)] if i is not None else []
            if heard:
                scores.append((_likeness([word for word, _, _ in heard], words), option, heard[-1][2]))
        score, option, end = max(scores, default=(0.0, 0, 0))
        return Mention(start, end, option, False) if score >= FLOOR else None

    def before(self, at: int) -> str:
        """The sentence up to `at`."""
        window = self.text[max(0, at - CONTEXT) : at]
        return window[max((m.end() for m in _STOP.finditer(window)), default=0) :]

    def after(self, at: int) -> str:
        """The rest of the sentence from `at`, with the mark that ends it."""
        stop = _STOP.search(self.text, at, at + CONTEXT)
        return self.text[at : stop.end() if stop else at + CONTEXT]

    def joined(self, mention: Mention) -> str:
        """Whether another option shares the statement: "several" ("A or C"), "plural" ("A and C are"), ""."""
        link = _LINK.match(self.text, mention.end)
        other = self.at(link.end()) if link else None
        if not link or not other or other.option == mention.option:
            return ""
        if _PLURAL.match(self.text, other.end):
            return "plural"
        if "," not in link[0] and IS_ANSWER.match(self.text, other.end):
            return "several"
        return "several" if re.search(r"\bor\b", link[0]) or not VERB.match(self.text, other.end) else ""


def _likeness(heard: Sequence[str], words: Sequence[str]) -> float:
    """Likeness of two phrases from 0 to 1; 0 where their words do not begin alike or numbers differ."""
    pairs = list(zip(heard, words, strict=False))
    if len(heard) != len(words) or any(a[:OPENING] != b[:OPENING] for a, b in pairs):
        return 0.0
    if any(a != b for a, b in pairs if any(map(str.isdigit, a + b))):
        return 0.0
    return SequenceMatcher(None, " ".join(heard), " ".join(words), autojunk=False).ratio()


def _is_letter(text: str, at: int) -> bool:
    """Whether the single character at `at` may label an option: no article and no pronoun."""
    letter, before, after = text[at], text[max(0, at - 20) : at], text[at + 1 : at + 21]
    following = re.match(r"[ \t]+([A-Za-z\d][\w']*)", after)
    word = following[1] if following else ""
    if letter == "I":
        return word in ("", "is")
    if not letter.isupper():
        return not word or bool(_FUNCTION.fullmatch(word) and _LABELLED.search(before))
    if letter != "A" or word[:1].isupper() or not word:
        return True
    return bool(_FUNCTION.fullmatch(word) or _TRAILING.match(text, at + 1))
