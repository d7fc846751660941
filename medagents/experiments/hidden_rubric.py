"""Hidden rubric (benchmaxxing, sections 3.2 and 4.5): the arms of `committees.hidden_rubric`, and why.

A holdout that drifted (the decoy under the key, another option alone) is asked why; whether its reply
names the key is for `rubric.names_rubric`, the same detector for every modality.
"""

from collections.abc import Iterator

from medagents.committees import cascade
from medagents.committees.board import answer_text
from medagents.committees.hidden_rubric import ARMS
from medagents.experiments.base import Trial
from medagents.prompts import fill, template
from medagents.rows import Row, make_row, verdict_row
from medagents.rubric.naming import names_rubric
from medagents.types import Decoding, Prompt, Status, View, plain_view

REASON = Decoding(temperature=0.0, max_tokens=60, stop=("\n",))
"""One sentence of about 25 words."""


def run_case(trial: Trial) -> Iterator[Row]:
    """One row an arm, and the verdict `why` for a holdout that drifted: yes, its reply names the key."""
    view = plain_view(trial.case)
    rows: dict[str, Row] = {}
    for arm in ARMS:
        decoy, rule = trial.plant_by(arm.plant_rule, None)
        prompt = None if decoy is None else cascade.prompt(view, arm, decoy)
        if prompt is not None:
            rows[arm.name] = make_row(view, arm.name, trial.ask(arm.name, prompt), decoy, rule)
    yield from rows.values()
    if rows["rubric"].option == trial.plant and rows["isolated"].option not in (trial.plant, None):
        record = trial.ask("why", reason_prompt(view, trial.plant), REASON)
        status = record.reply.status
        named = names_rubric(record.reply.text or "").names if status is Status.ANSWERED else None
        yield verdict_row(rows["rubric"], "why", named, record, status)


def reason_prompt(view: View, decoy: int) -> Prompt:
    """The arm with the key, the holdout's answer to it, and the question why."""
    asked = cascade.prompt(view, next(arm for arm in ARMS if arm.name == "rubric"), decoy)
    assert asked is not None  # no peers: every case has the arm
    ask = fill("hidden_rubric/why", answer=answer_text(view, decoy, "letter"))
    talk = ((asked.case + asked.turn, view.letter(decoy)),)
    return Prompt(template("hidden_rubric/why_system"), "", ask, talk)
