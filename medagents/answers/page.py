"""One reply laid out for reading: its plain text, its sentences, and every option named in it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from medagents.answers.base import CONTEXT, FLOOR, OPENING, REACH, Mention, rx
from medagents.answers.markup import WORD, clean, fold
from medagents.answers.stance import IS_ANSWER
from medagents.answers.voices import AGREEING, AGREES, APART, TURN

# fmt: off
NEXT_TURN = rx(r"""
    <\|\w+\|>|<(?:start|end)_of_turn>
    |\n[^\S\n]*(?:\[INST\]|(?:instruction|user|human)\s*:
    |question(?: \d+)?\s*:(?=[^\n]*\n\s*(?:options:?\s*)?\(?A[.):]))""")
"""Where a small model goes on to write the next prompt itself."""
_LATIN = r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # a letter that goes on where Chinese would not
_STOP = re.compile(r"[\n!?;]|(?<!\bDr)(?<!\bvs)(?<!\bProf)\.(?=[\s\"')\]]|$)")
_BLOCK = re.compile(r"(?:^[^\S\n]*>(?![\d=>])[^\n]*\n?)+", re.MULTILINE)

# --- Around a letter: what makes it a label, an article, half a name, or one of several.
_FILL = rx(rf"""(?:
    [\s\"'()\[\]:,<>=—-]
    |(?:option|choice|answer|letter|the|that|an?|is|it|be|may|might|could
    |probably|possibly|maybe|perhaps|clearly|definitely|indeed|simply|just|still|now|therefore|thus
    |most|likely|best|correct|final|right|single|either|both)\b
    ){{0,{REACH}}}+""")
"""What may stand between a cue and its option."""
_FUNCTION = rx(r"""
    is|isn't|was|wasn't|are|were|being|has|had|does|did|can|could|may|might|must|should|will|would
    |seems|appears|looks|remains|gets|fits|explains|matches|makes
    |and|or|nor|but|not|than|rather|over|which|that|it|to|for|with|without|in|on|from|among|based|due|here
    |because|since|as|given|despite|if|unless|provided|when|where|while|though|although|however
    |after|before|during|then|only|most|likely|probably""", 0)
"""After an A that is an option, and no article."""
_TRAILING = rx(r"""(?:
    \s(?:too|also|again|myself|ourselves|instead|anyway|alone|overall|likewise)\b
    (?=\s*(?:[.,;:!)—-]|$|(?:because|since|as|given|for)\b))
    |\s(?:0?\.\d|\d{1,3} ?%)
    )""")
"""After an A that is an option, where no noun can follow."""
_HALF_NAME = rx(r"""
    [.\s]\s*(?:(?:diff(?:icile)?|coli|tetani|albicans|fragilis)\b|botulin|perfring|burgdorf)  # C. difficile
    |[^\S\n]+(?:cells?\b|lymphocyt|dimer|symptom)  # B cells, D-dimer""")
_LABELLED = rx(r"\b(?:option|choice|answer|letter) $")
_ARTICLES = frozenset(("a", "an", "the"))
_BREAK = "\x1f"
_GAP = rx(r"[\s.):,>\]\"'—-]{0,6}")
_BEHIND = rx(rf"""
    (?:(?!\b(?:not|than|between|neither|nor|unclear)\b)[^.\n;?()]){{1,{REACH}}}?
    (?:\(\s*(?:(?:option|choice|answer)\s*)?|,\s*(?:option|choice)\s+)(?=[a-z]\b)""")
"""Up to a letter that follows its text: "dental gold (C)"."""
_LINK = rx(r"""
    [\"')\]\s]*(?:[,&/+]|\band\b|\bor\b)\s*
    (?:(?:and|or|also|possibly|maybe|perhaps|the|option|choice)\s+|[\"'(\[])*""")
_BESIDE = rx(r"""
    (?:;[^\S\n]*|[^\S\n]+)(?:(?:to|through)\s+)?
    (?=[a-z](?:\W*$|[^\S\n]+[a-z]\b))  # "A to C", "A|C", "A B C": no word may follow""")
_OWN_LETTER, _CLOSING = rx(r"\s*[(\[](?:option )?"), rx(r"\s*[)\]]")
_REMARK = rx(r"(?:yes|no) [a-z]")  # "yes, no doubt", and not "yes, no"
_PLURAL = rx(r"[\s\"')]*(?:are|were)\b")
VERB = rx(r"""
    [\"')\]\s]*\b
    (?:is|isn't|was|are|were|being|has|had|does|did|can|could|may|might|must|will|would|seems?|looks|appears?)\b""")
# fmt: on


class Page:
    """One reply laid out for reading: plain text, its words, and every option named in it."""

    def __init__(self, reply: str, labels: Sequence[str], texts: Sequence[str]) -> None:
        self.reply, self.text = reply, clean(reply)
        self.options = [[fold(word) for word in WORD.findall(clean(text))] for text in texts]
        self.words = [(fold(m[0]), m.start(), m.end()) for m in WORD.finditer(self.text)]
        self.word_at = {start: i for i, (_, start, _) in enumerate(self.words)}
        named = [*self._letters(labels), *self._texts()]
        self.mentions: list[Mention] = []
        for mention in sorted(named, key=lambda m: (m.start, -m.end, m.loose)):
            if not self.mentions or mention.end > self.mentions[-1].end:  # else within a longer one
                self.mentions.append(mention)
        self.starts = [mention.start for mention in self.mentions]
        self.stops = [m.end() for m in _STOP.finditer(self.text)]
        self.turns = [m.end() for m in TURN.finditer(self.text)]
        self.blocks = [m.span() for m in _BLOCK.finditer(self.text)]

    def _letters(self, labels: Sequence[str]) -> Iterator[Mention]:
        letters = {label.casefold(): i for i, label in enumerate(labels)}
        any_of = re.escape("".join({*letters, *map(str.upper, letters)}))
        pattern = rf"(?<!{_LATIN})(?<!\w[-+])[{any_of}](?!{_LATIN}|\+|'\w|-\w|\.[a-z])"
        for match in re.finditer(pattern, self.text):
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
        """Option texts in whole words, whatever the case, hyphens and spelling, or less their article."""
        opens: dict[int, int] = {}
        closes: dict[int, int] = {}
        stream, at = _joined(word for word, _, _ in self.words), 0
        for word, start, end in self.words:
            at += stream[at : at + 1] == _BREAK
            opens[at], at = start, at + len(word)
            closes[at] = end
        keys = [_joined(words) for words in self.options]
        bare = [_joined(words[1:]) if words[:1] and words[0] in _ARTICLES else "" for words in self.options]
        bare = [key if key not in keys else "" for key in bare]
        for named, loose in ((keys, False), (bare, True)):
            for option, key in enumerate(named):
                only = option if named.count(key) == 1 else None
                at = stream.find(key) if key else -1
                while at >= 0:
                    if at in opens and at + len(key) in closes:
                        yield Mention(opens[at], closes[at + len(key)], only, False, loose)
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
        """`mention` with the option's own text where that follows its letter, or its letter in brackets."""
        if not mention.letter:
            bracket = _OWN_LETTER.match(self.text, mention.end)
            letter = self.at(bracket.end()) if bracket else None
            closing = _CLOSING.match(self.text, letter.end) if letter else None
            if letter and closing and letter.letter and mention.option in (letter.option, None):
                return Mention(mention.start, closing.end(), letter.option, False, mention.loose)
        gap = _GAP.match(self.text, mention.end)
        text = self.at(gap.end()) if gap and mention.letter else None
        if text and not text.letter and text.option in (mention.option, None):
            return Mention(mention.start, text.end, mention.option, True)
        return mention

    def labelled(self, mention: Mention) -> bool:
        """Whether the letter stands with its own text, and with no other option's letter in the sentence.

        What is then said of the option is no word on the answer: "A. Aspirin is not an antibiotic."
        """
        if not mention.letter or mention.end - mention.start == 1:
            return False
        rest = self.between(mention.end, mention.end + len(self.after(mention.end)))
        return all(other.option == mention.option for other in rest if other.letter)

    def between(self, start: int, end: int) -> Sequence[Mention]:
        """The mentions that begin from `start` up to `end`."""
        return self.mentions[bisect_left(self.starts, start) : bisect_left(self.starts, end)]

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
        return self.text[self._start(at) : at]

    def _start(self, at: int) -> int:
        i = bisect_right(self.stops, at)
        return max(at - CONTEXT, self.stops[i - 1] if i else 0, 0)

    def turned(self, at: int) -> str:
        """The sentence up to `at`, from where it last turns: after "but", a clause that grants ("while Dr Rao
        chose A,") or an assent ("I disagree with them:").
        """
        i, start = bisect_right(self.turns, at), self._start(at)
        if i and self.turns[i - 1] > start:
            return self.text[self.turns[i - 1] : at]
        sentence = self.text[start:at]
        apart = APART.match(sentence)
        if apart:
            return sentence[apart.end() :]
        assent = AGREES.search(sentence)
        ends = [m.end() for m in AGREEING.finditer(sentence, assent.end())] if assent else []
        return sentence[ends[-1] :] if ends else sentence

    def after(self, at: int) -> str:
        """The rest of the sentence from `at`, with the mark that ends it."""
        i = bisect_right(self.stops, at)
        stop = self.stops[i] if i < len(self.stops) else len(self.text)
        return self.text[at : min(stop, at + CONTEXT)]

    def block(self, at: int) -> tuple[int, int] | None:
        """Start and end of the block of quoted lines ("> ...") around `at`."""
        i = bisect_right(self.blocks, (at, len(self.text) + 1)) - 1
        return self.blocks[i] if i >= 0 and at < self.blocks[i][1] else None

    def joined(self, mention: Mention) -> str:
        """Whether another option shares the statement: "several" ("A or C"), "plural" ("A and C are"), ""."""
        shared = self._shared(mention)
        if shared:
            return shared
        link, other = self._next(mention)
        if not other or other.option == mention.option or _REMARK.match(self.text, other.start):
            return ""
        if _PLURAL.match(self.text, other.end):
            return "plural"
        if "," not in link and IS_ANSWER.match(self.text, other.end):
            return "several"
        return "several" if re.search(r"\bor\b", link) or not VERB.match(self.text, other.end) else ""

    def _shared(self, mention: Mention) -> str:
        """As `joined`, by what stands ahead of the mention: the second of two that "are", or on a line of its
        own below an "or".
        """
        i = bisect_left(self.starts, mention.start)
        link = _LINK.match(self.text, self.whole(self.mentions[i - 1]).end) if i else None
        if not link or link.end() != mention.start:
            return ""
        if _PLURAL.match(self.text, mention.end):
            return "plural"
        return "several" if re.search(r"\n\s*or\b", link[0]) else ""

    def _next(self, mention: Mention) -> tuple[str, Mention | None]:
        """The option put beside `mention` ("A or C", "A to C"), and what stands between them."""
        for pattern in (_LINK, _BESIDE) if mention.letter else (_LINK,):
            link = pattern.match(self.text, mention.end)
            other = self.at(link.end()) if link else None
            if link and other:
                return self.text[mention.end : link.end()], self.whole(other)
        return "", None


def _joined(words: Iterable[str]) -> str:
    """Words without the blanks between them, but numbers kept apart: "non phasic" is "nonphasic"."""
    pieces: list[str] = []
    for word in words:
        if pieces and pieces[-1][-1:].isdigit() and word[:1].isdigit():
            pieces.append(_BREAK)
        pieces.append(word)
    return "".join(pieces)


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
