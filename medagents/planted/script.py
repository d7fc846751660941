"""Planted agents as scripts of `ScriptedModel`: they read the very prompts a model would be sent.

A script draws once for each case (what the agent believes) and once for each request (whether it
conforms, follows the cue or errs), so its reply depends on nothing but seed, case and request.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from scipy import special

from medagents import paths
from medagents.committees.board import SPEAKERS, answer_text
from medagents.experiments.peer_rationale import NO_RATIONALE
from medagents.keys import canonical, digest, key_of
from medagents.planted.agents import NONE, LogitAgent, PlantedAgent
from medagents.prompts import case_text, template
from medagents.stats.inference import Array
from medagents.types import Case, MedagentsError, Request, View, plain_view, same_text

NO_PEER = ("own_prior", "system_flag")
"""Lines of a board that name an option and are no peer's."""

OPTION = re.compile(r"^([A-J])\. +(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Reading:
    """What a request shows: the case, the option most peers assert, the option a cue edited (`NONE`
    where there is none, and at a tie), and whether it is the plain question asked for the first time.
    """

    view: View
    asserted: int
    edited: int
    first: bool


def script(agent: PlantedAgent, cases: Sequence[Case], seed: int = 0) -> Callable[[Request], str]:
    """Replies with the letter of `agent`'s answer; another `seed` is another agent of the same habits.

    Raises:
        MedagentsError: by the script, at a request that shows none of the cases.
    """

    def answer(request: Request) -> str:
        if request.system == template("peer_rationale/system"):
            return NO_RATIONALE
        shown = read(request, cases)
        case, count = shown.view.case, len(shown.view.options)
        if agent.favourite >= count:
            raise MedagentsError(f"case {case.id}: favourite letter {agent.favourite} is not shown")
        habit = shown.view.original[agent.favourite]
        option = agent.believe(_uniform(3, seed, case.stem), case.gold, count, habit)
        if not shown.first:
            draws = _uniform(4, seed, key_of(canonical(request)))
            option = agent.reply(draws, option, count, shown.asserted, shown.edited)
        return shown.view.letter(int(option))

    return answer


def logit_script(
    agent: LogitAgent, cases: Sequence[Case], plants: Mapping[str, int], seed: int = 0
) -> Callable[[Request], Mapping[str, float]]:
    """Replies with the log-probability of each letter; `plants` by case id, as `plants.planned` gives."""

    def answer(request: Request) -> Mapping[str, float]:
        shown = read(request, cases)
        case = shown.view.case
        places = sorted(range(len(case.options)), key=lambda option: option != plants[case.id])
        logits = agent.believe(_uniform(len(places), seed, case.stem))
        if shown.asserted != NONE:
            draw = _uniform(1, seed, key_of(canonical(request)))[0]
            logits = agent.reply(draw, logits, places.index(shown.asserted))
        said = zip(places, special.log_softmax(logits), strict=True)
        return {shown.view.letter(option): float(logp) for option, logp in said}

    return answer


def read(request: Request, cases: Sequence[Case]) -> Reading:
    """Read a request of ours as its reader would.

    Raises:
        MedagentsError: it shows none of the cases, or not all options of its case.
    """
    text = request.messages[-1].text
    case = max((c for c in cases if c.stem in text), key=lambda c: len(c.stem), default=None)
    if case is None:
        raise MedagentsError(f"planted agent: no stem of its {len(cases)} cases stands in: {text[:60]!r}")
    view, edited = _view(case, text)
    counts = Counter(_asserted(view, text)).most_common(2)
    agreed = bool(counts) and (len(counts) == 1 or counts[0][1] > counts[1][1])
    plain = request.system == template("common/system") and text == case_text(plain_view(case))
    first = plain and request.repeat == 0 and request.decoding.temperature == 0
    return Reading(view, counts[0][0] if agreed else NONE, edited, first)


def _view(case: Case, text: str) -> tuple[View, int]:
    """The case as shown, and the one option whose text is not the case's."""
    listed = OPTION.findall(text, text.index(case.stem) + len(case.stem))[: len(case.options)]
    shown = tuple(words for _, words in listed)
    known = {same_text(option): place for place, option in enumerate(case.options)}
    original = [known.get(same_text(words), NONE) for words in shown]
    missing = sorted(set(range(len(case.options))) - set(original))
    if len(shown) < len(case.options) or len(missing) > 1:
        raise MedagentsError(f"case {case.id}: its options are not those shown: {shown}")
    [edited] = missing or [NONE]
    places = tuple(edited if place == NONE else place for place in original)
    return View(case, shown, places, case.stem), edited


def _asserted(view: View, text: str) -> list[int]:
    """The options that peers assert, by the lines of the prompts they were written with."""
    names = {
        answer_text(view, option, form): option
        for option in range(len(view.options))
        for form in ("text", "both", "letter")  # last, so that an option called B yields to letter B
    }
    longest_first = sorted(names, key=len, reverse=True)
    found = []
    for line, (before, after) in product(text.splitlines(), _peer_lines()):
        start = before.match(line)
        rest = line[start.end() :] if start else ""
        name = next((n for n in longest_first if rest.startswith(n) and after.fullmatch(rest, len(n))), None)
        if name is not None:
            found.append(names[name])
    return found


@cache
def _peer_lines() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Of each peer's line what stands before the option it names, and what after."""
    fields = {"speaker": f"(?:{'|'.join(map(re.escape, SPEAKERS))})", "rationale": ".+"}
    lines = []
    for path in sorted((paths.PROMPTS / "peer_cascade").glob("*.txt")):
        words = template(f"peer_cascade/{path.stem}")
        if path.stem not in NO_PEER and "{answer}" in words:
            halves = (re.split(r"\{(\w+)\}", half) for half in words.split("{answer}"))
            before, after = (
                "".join(fields[piece] if i % 2 else re.escape(piece) for i, piece in enumerate(pieces))
                for pieces in halves
            )
            lines.append((re.compile(before), re.compile(after)))
    return tuple(lines)


def _uniform(count: int, seed: int, what: str) -> Array:
    """Uniform draws that a digest decides, the same on every machine."""
    return np.random.default_rng(int(digest(f"{seed}:{what}")[:16], 16)).random(count)
