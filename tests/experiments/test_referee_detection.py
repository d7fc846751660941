"""Holdouts and judges whose answers are known beforehand: every verdict must come out as defined."""

from collections.abc import Callable
from pathlib import Path

import pytest

from medagents import paths, rows, study
from medagents.experiments.referee_detection import ARMS
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.types import LETTERS, Case, MedagentsError, Request

AGAIN = "Read the question again"


def text(request: Request) -> str:
    return request.messages[-1].text


def at_hand(request: Request, cases: tuple[Case, ...]) -> Case:
    return next(case for case in cases if case.stem in text(request))


def conformist(cases: tuple[Case, ...], requery: int = 0) -> Callable[[Request], str]:
    """Knows every answer; says what the first speaker says; re-queried, answers `requery` places on."""

    def script(request: Request) -> str:
        case = at_hand(request, cases)
        if "Dr. Adams" in text(request):
            return text(request).split("Dr. Adams")[1].split("answers ")[1][0]
        return LETTERS[(case.gold + requery * (AGAIN in text(request))) % len(case.options)]

    return script


def flags(frame, condition: str) -> list[int]:
    return frame.loc[frame["condition"] == condition, "option"].tolist()


def test_gate_and_referee_both_catch_a_holdout_that_copies(ask: Callable, cases: tuple[Case, ...]) -> None:
    frame, _ = ask("referee_detection", conformist(cases))
    for detector in ("gate", "referee"):
        assert flags(frame, f"{detector}@two_peers") == [0] * 5
    assert flags(frame, "gate@honest_peers") == [0] * 5  # agreement is all a gate sees
    assert flags(frame, "referee@honest_peers") == [1] * 5  # the re-query gives the same answer


def test_a_requery_that_wavers_is_what_makes_the_referee_flag_honest_agreement(
    ask: Callable, cases: tuple[Case, ...]
) -> None:
    frame, _ = ask("referee_detection", conformist(cases, requery=1))
    assert flags(frame, "referee@honest_peers") == [0] * 5
    assert flags(frame, "referee_repeat@honest_peers") == [1] * 5


def test_a_holdout_that_ignores_its_peers_is_never_flagged(ask: Callable, cases: tuple[Case, ...]) -> None:
    frame, _ = ask("referee_detection", lambda request: LETTERS[at_hand(request, cases).gold])
    for detector in ("gate", "referee", "referee_repeat"):
        assert flags(frame, f"{detector}@two_peers") == [1] * 5
        assert flags(frame, f"{detector}@split_wrong_first") == [1] * 5 if detector != "gate" else True
    assert flags(frame, "gate@split_wrong_first") == [0] * 5  # the right peer's answer is endorsed too


def test_the_requery_is_never_the_isolated_request(ask: Callable, cases: tuple[Case, ...]) -> None:
    frame, _ = ask("referee_detection", conformist(cases))
    keys = {name: frame.loc[frame["condition"] == name, "key"].tolist() for name in frame["condition"]}
    for name in ("requery", "repeat"):
        assert not set(keys[name]) & set(keys["isolated"])


def test_no_verdict_is_made_up_where_the_holdout_is_silent(ask: Callable, cases: tuple[Case, ...]) -> None:
    frame, _ = ask("referee_detection", lambda request: None if "Dr. Adams" in text(request) else "A")
    part = frame[frame["condition"].isin([f"gate@{name}" for name in ARMS])]
    assert set(part["status"]) == {"unparseable"} and part["option"].isna().all()


@pytest.fixture
def review(tmp_path: Path, cases: tuple[Case, ...], monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple]:
    """Rows of a judge over the discussions of two recorded holdouts, and what the judge was asked."""
    monkeypatch.setattr(paths, "ROWS", tmp_path / "rows")
    for name, script in (("copier", conformist(cases)), ("judge", lambda _: "A")):
        recorder = Recorder(ScriptedModel(script, name), Store(tmp_path / "held"), Mode.RECORD)
        frame = study.run("referee_detection", cases, recorder, "toy")
        rows.write(frame, rows.path_of("toy", name, "referee_detection", paths.ROWS))

    def run(script: Callable[[Request], str | None]) -> tuple:
        model = ScriptedModel(script, "judge")
        recorder = Recorder(model, Store(tmp_path / "judged"), Mode.RECORD)
        return study.run("transcript_review", cases, recorder, "toy"), model.history

    return run


def test_a_judge_reads_the_discussions_of_every_holdout_its_own_among_them(
    review: Callable, cases: tuple[Case, ...]
) -> None:
    frame, history = review(lambda request: "Y")
    judged = [f"judge@{arm}@{holdout}" for holdout in ("copier", "judge") for arm in ARMS]
    assert [name for name in dict.fromkeys(frame["condition"]) if name.startswith("judge@")] == judged
    assert all(flags(frame, name) == [0] * 5 for name in judged)
    assert len(history) == len({text(request) for request in history})
    assert all(AGAIN not in text(request) for request in history)


def test_a_referee_of_another_lineage_compares_with_its_own_requery(
    review: Callable, cases: tuple[Case, ...]
) -> None:
    frame, _ = review(lambda request: "N")
    own = {case.id: 0 for case in cases}  # the judge answers A whatever it is asked
    said = frame[frame["condition"] == "referee@honest_peers@copier"].set_index("case")["option"]
    assert said.to_dict() == {case.id: int(case.gold == own[case.id]) for case in cases}
    assert not frame["condition"].str.fullmatch("referee@.*@judge").any()


def test_the_label_of_a_verdict_is_the_holdouts(review: Callable, cases: tuple[Case, ...]) -> None:
    frame, _ = review(lambda request: "mumble")
    assert set(frame.loc[frame["condition"].str.startswith("judge@"), "status"]) == {"unparseable"}
    assert set(frame["case"]) == {case.id for case in cases}


def test_without_recorded_holdouts_a_review_says_what_to_record(ask: Callable) -> None:
    with pytest.raises(MedagentsError, match="first record its referee_detection"):
        ask("transcript_review", lambda request: "Y")
