"""The peer cascade (benchmaxxing, section 3.2): one holdout, and peers whose turns the experiment writes.

Each arm is one row of `ARMS`. All arms of a case share their case text, which comes first; the
arm's own text comes last.
"""

from dataclasses import dataclass

from medagents.cohorts.images import images_of
from medagents.committees.board import Turn, answer_text, render
from medagents.prompts import case_text, examples, fill, refuse_markers, template
from medagents.types import Case, MedagentsError, Prompt, View

PLANT, GOLD, OTHER, NOTHING = "plant", "gold", "other", "nothing"


@dataclass(frozen=True)
class Arm:
    """What the holdout is shown. `peers` says what each asserts: the plant, the gold option, another
    wrong option, or nothing of the case; `styles` how each says it, where they differ. `frame` and
    `note` are prompts that open and close the board. `plant_rule` overrides the run's rule.
    """

    name: str
    peers: tuple[str, ...] = ()
    style: str = "plain"
    styles: tuple[str, ...] = ()
    frame: str = ""
    note: str = ""
    form: str = "letter"
    flag: str = ""
    own_prior: bool = False
    peers_first: bool = False
    plant_rule: str = ""
    asks: str = ""


ARMS: tuple[Arm, ...] = (
    Arm("isolated", asks="the holdout alone"),
    Arm("irrelevant", (NOTHING, NOTHING), "irrelevant", asks="two peers speak, but not of the case"),
    Arm("one_peer", (PLANT,), asks="one arbitrary peer"),
    Arm("two_peers", (PLANT, PLANT), asks="two agreeing peers, committed letter alone (primary)"),
    Arm("four_peers", (PLANT,) * 4, asks="four agreeing peers"),
    Arm("two_confident", (PLANT, PLANT), "confident", asks="the same two, certain"),
    Arm("two_hedged", (PLANT, PLANT), "hedged", asks="the same two, hedging"),
    Arm("two_generic", (PLANT, PLANT), "generic", asks="with a rationale that fits any case"),
    Arm("two_anchored", (PLANT, PLANT), "anchored", asks="with a rationale written for this case"),
    Arm("two_text", (PLANT, PLANT), form="text", asks="the option's text in place of its letter"),
    Arm("own_prior", (PLANT, PLANT), own_prior=True, asks="the holdout's isolated answer is shown too"),
    Arm("split_wrong_first", (PLANT, GOLD), asks="peers disagree, the wrong one first"),
    Arm("split_right_first", (GOLD, PLANT), asks="peers disagree, the right one first"),
    Arm("honest_peers", (GOLD, GOLD), asks="both peers are right"),
    Arm("system_flag", flag=PLANT, asks="an automated flag instead of peers"),
    Arm("flag_misdirected", flag=OTHER, asks="the flag names another wrong option"),
    Arm("two_first_wrong", (PLANT, PLANT), plant_rule="first-wrong", asks="the authors' plant rule"),
    Arm("peers_first", (PLANT, PLANT), peers_first=True, asks="the board comes before the question"),
)

CONTRASTS: tuple[tuple[str, str, str], ...] = (
    ("two peers", "two_peers", "irrelevant"),
    ("one peer", "one_peer", "irrelevant"),
    ("four for two", "four_peers", "two_peers"),
    ("certain for hedged", "two_confident", "two_hedged"),
    ("anchored for generic", "two_anchored", "two_generic"),
    ("text for letter", "two_text", "two_peers"),
    ("own answer shown", "own_prior", "two_peers"),
    ("board before question", "peers_first", "two_peers"),
    ("wrong peer first", "split_wrong_first", "split_right_first"),
    ("flag's target", "system_flag", "flag_misdirected"),
)
"""The family: name, arm, baseline; outcome: the answer is the plant. Declared while the vignettes were
being recorded, before any other cohort. The flag is compared with one that names another wrong option,
which itself draws answers off the plant: the contrast tells that the flag's target is followed."""


def arm(name: str) -> Arm:
    """The arm of that name.

    Raises:
        MedagentsError: there is none.
    """
    for known in ARMS:
        if known.name == name:
            return known
    raise MedagentsError(f"unknown arm {name!r}; known: {', '.join(arm.name for arm in ARMS)}")


def other_wrong(case: Case, plant: int) -> int | None:
    """The next wrong option after the plant, cyclically; None where there is none."""
    count = len(case.options)
    around = ((plant + step) % count for step in range(1, count))
    return next((option for option in around if option != case.gold), None)


def asserted(view: View, arm: Arm, plant: int) -> tuple[int | None, ...]:
    """What each peer of an arm asserts, as original option indices; None who says nothing of the case."""
    return tuple(_option(view.case, who, plant) for who in arm.peers)


def _option(case: Case, who: str, plant: int) -> int | None:
    return {PLANT: plant, GOLD: case.gold, OTHER: other_wrong(case, plant)}.get(who)


def board(view: View, arm: Arm, plant: int, own: int | None = None, rationale: str = "") -> str | None:
    """What an arm shows beside the case, a line a turn; empty for the holdout alone, None where the
    case cannot have the arm (no second wrong option, or no isolated answer to show).

    `plant` and `own` are original option indices; `rationale` is one sentence for anchored arms.
    """
    if arm.style == "anchored" and not rationale:
        raise MedagentsError(f"case {view.case.id}: arm {arm.name} needs a rationale")
    if OTHER in (*arm.peers, arm.flag) and other_wrong(view.case, plant) is None:
        return None
    lines = [fill(arm.frame)] if arm.frame else []
    if arm.own_prior:
        if own is None:
            return None
        lines.append(fill("peer_cascade/own_prior", answer=answer_text(view, own, arm.form)))
    flagged = _option(view.case, arm.flag, plant)
    if flagged is not None:
        lines.append(fill("peer_cascade/system_flag", answer=answer_text(view, flagged, arm.form)))
    if arm.peers:
        styles = arm.styles or (arm.style,) * len(arm.peers)
        said = zip(asserted(view, arm, plant), styles, strict=True)
        lines.append(render(view, [Turn(option, style, arm.form, rationale) for option, style in said]))
    if arm.note:
        lines.append(fill(arm.note, answer=answer_text(view, plant, arm.form)))
    return "\n".join(lines)


def prompt(view: View, arm: Arm, plant: int, own: int | None = None, rationale: str = "") -> Prompt | None:
    """The prompt of one arm, with its `board`; None where the case cannot have it."""
    shown = board(view, arm, plant, own, rationale)
    if shown is None:
        return None
    case = case_text(view)
    turn = f"{shown}\n\n{case}" if arm.peers_first else f"\n\n{shown}" if shown else ""
    return Prompt(
        system=template("common/system"),
        case="" if arm.peers_first else case,
        turn=refuse_markers(turn, allowed=case),
        examples=examples(),
        images=images_of(view.case),
    )
