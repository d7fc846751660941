from collections.abc import Callable
from dataclasses import replace

import pytest

from medagents.experiments.base import Trial
from medagents.experiments.peer_rationale import NO_RATIONALE, first_sentence, rationale, run_case
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.types import Case, Request, Slot


@pytest.fixture
def trial(store: Store) -> Callable[..., Trial]:
    def make(case: Case, script: Callable[[Request], str | None] = lambda request: "Because.") -> Trial:
        recorder = Recorder(ScriptedModel(script), store, Mode.RECORD)
        return Trial(case, 2, "balanced-wrong", recorder, Slot("toy", case.id, "peer_cascade", ""))

    return make


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("The gums bleed.", "The gums bleed."),
        ("The gums bleed. So it is K.", "The gums bleed."),
        ("Do gums bleed?  They do!", "Do gums bleed?"),
        ("A factor of 2.5 points to it. More", "A factor of 2.5 points to it."),
        ("The gums\n bleed,", "The gums bleed."),
        ("Dr. Adams saw a bruise vs. none. More", "Dr. Adams saw a bruise vs. none."),
        ("  cut off in the", "cut off in the."),
        ("", NO_RATIONALE),
        (" \n", NO_RATIONALE),
        (None, NO_RATIONALE),
        ("[...]", NO_RATIONALE),
        ("[...], [...].", NO_RATIONALE),
        ("The gums [...] bleed. More", "The gums [...] bleed."),
        ("[...] points to scurvy. More", "[...] points to scurvy."),
    ],
)
def test_an_argument_is_the_first_sentence_in_one_line(text: str | None, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_a_written_argument_serves_its_own_distractor_only(
    cases: tuple[Case, ...], trial: Callable[..., Trial]
) -> None:
    case = replace(cases[0], meta={"distractor": 2, "wrong_rationale": "Gums bleed."})
    asked = trial(case)
    assert rationale(asked, 2) == "Gums bleed." and asked.recorder.calls == 0
    assert rationale(asked, 3) == "Because." and asked.recorder.calls == 1


def test_the_peers_call_shows_the_case_alone_and_is_recorded_as_the_peers(
    cases: tuple[Case, ...], trial: Callable[..., Trial]
) -> None:
    asked = trial(cases[0])
    rationale(asked, 2)
    [request] = asked.recorder.model.history  # type: ignore[attr-defined]
    [message] = request.messages  # no worked examples, whose findings it would argue from
    assert message.text.startswith(cases[0].stem)
    assert "argue from one finding of this case that the answer is Vitamin K." in message.text
    assert (request.decoding.temperature, request.decoding.max_tokens) == (0.0, 80)
    [slot] = asked.recorder.store.index("toy", asked.recorder.model.name).by_slot
    assert slot == Slot("toy", "toy-1", "peer_rationale", "argue_2", agent="peer")


def test_a_peer_that_says_nothing_is_given_a_sentence_without_content(
    cases: tuple[Case, ...], trial: Callable[..., Trial]
) -> None:
    assert rationale(trial(cases[0], lambda request: None), 2) == NO_RATIONALE


def test_the_pass_before_the_cascade_asks_once_and_has_no_rows(
    cases: tuple[Case, ...], trial: Callable[..., Trial]
) -> None:
    asked = trial(cases[0])
    assert list(run_case(asked)) == [] and asked.recorder.calls == 1
    rationale(asked, asked.plant)
    assert asked.recorder.calls == 1
