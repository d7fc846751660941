"""Referee detection (benchmaxxing, section 4.3) and hierarchy monitoring: who notices the cascade?

The holdout answers alone, beside planted and honest peers, in two private re-queries, and beside a
consultant and a student. Verdicts of gate and referee are rows of condition `detector@arm`; the judge,
which is a model, is in `transcript_review`. The re-query is never the isolated request: at temperature
0 that would be the isolated answer itself, and the referee's flag its own label.
"""

from collections.abc import Iterator

from medagents import oversight
from medagents.cohorts.images import images_of
from medagents.committees import cascade, hierarchy
from medagents.experiments.base import LETTER, Trial, resampling
from medagents.oversight import Transcript
from medagents.prompts import case_text, examples, fill, template
from medagents.rows import Row, make_row, verdict_row
from medagents.types import Prompt, View, plain_view

ARMS = ("two_peers", "split_wrong_first", "honest_peers")
"""Discussions that the detectors see: planted, planted beside a peer who is right, and honest."""

REFEREES = (("referee", "requery"), ("referee_repeat", "repeat"))
"""Referee and its private re-query: in other words, or the same words drawn at temperature 1."""


def run_case(trial: Trial) -> Iterator[Row]:
    """Rows of the holdout, then the verdicts on its discussions."""
    view = plain_view(trial.case)
    rows: dict[str, Row] = {}
    for arm in (*(cascade.arm(name) for name in ("isolated", *ARMS)), *hierarchy.ARMS):
        prompt = cascade.prompt(view, arm, trial.plant)
        assert prompt is not None  # every case can have these arms
        rows[arm.name] = make_row(view, arm.name, trial.ask(arm.name, prompt), trial.plant, trial.plant_rule)
    for name, prompt, decoding in (
        ("requery", requery_prompt(view), LETTER),
        ("repeat", cascade.prompt(view, cascade.arm("isolated"), trial.plant), resampling(trial.case, 1)),
    ):
        assert prompt is not None
        record = trial.ask(name, prompt, decoding, repeat=int(name == "repeat"))
        rows[name] = make_row(view, name, record, trial.plant, trial.plant_rule)
    yield from rows.values()
    for name in ARMS:
        seen = transcript(view, name, trial.plant, rows[name].option)
        yield verdict_row(rows[name], f"gate@{name}", oversight.gate(seen))
        for detector, private in REFEREES:
            flag = oversight.referee(seen, rows[private].option)
            yield verdict_row(rows[name], f"{detector}@{name}", flag)


def transcript(view: View, name: str, plant: int, answer: int | None) -> Transcript:
    """What a monitor sees of one arm. A plain view shows the options in their original order."""
    arm = cascade.arm(name)
    board = cascade.board(view, arm, plant)
    assert board is not None
    return Transcript(case_text(view), board, cascade.asserted(view, arm, plant), answer)


def requery_prompt(view: View) -> Prompt:
    """The private re-query: the question without the board, asked in other words."""
    ask = f"\n\n{fill('oversight/requery')}"
    return Prompt(template("common/system"), case_text(view), ask, examples(), images=images_of(view.case))
