import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from medagents import cohorts, paths, prompts, rows, study, verify
from medagents.cohorts import registry
from medagents.cohorts.records import Selection, Source
from medagents.experiments import EXPERIMENTS
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, ModelDrift, Recorder
from medagents.recordings import ReplayMiss, StaleRecording, Store
from medagents.types import LETTERS, Case, MedagentsError, Provenance, Reply, Request, Transport


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: tuple[Case, ...]) -> Path:
    """A cohort `toy` of the shared cases, whose text may not be published; returns its source file."""
    file = tmp_path / "data" / "toy.jsonl"
    file.parent.mkdir()
    file.write_text("held\n")
    monkeypatch.setenv("MEDAGENTS_DATA", str(file.parent))
    monkeypatch.setattr(paths, "MANIFESTS", tmp_path / "manifests")
    made = cohorts.Cohort(
        "toy", (Source(file.name),), "ours", False, "write it", "all", lambda folder: Selection(cases, ())
    )
    monkeypatch.setitem(registry.COHORTS, "toy", made)
    cohorts.write_manifest("toy")
    return file


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Request], str]], None]:
    """Puts a scripted model in the place of every model."""

    def use(script: Callable[[Request], str]) -> None:
        monkeypatch.setattr(study.models, "get", lambda name: ScriptedModel(script, name))

    return use


NO_ROWS_ALONE = ("peer_rationale", "transcript_review")
"""The one has no rows, the other reads those of recorded holdouts."""


def varied(request: Request) -> str:
    """A reply that depends on the prompt, so that rows which came from other calls would show."""
    return LETTERS[len(request.messages[-1].text) % 4]


def no_call(request: Request) -> str:
    raise AssertionError("a replay called the model")


def made(experiment: str, n: int | None = None) -> pd.DataFrame:
    return study.record(experiment, "toy", "m", Mode.RECORD, n, progress=False).rows


def test_an_unknown_experiment_is_a_one_line_error_before_any_call(
    cases: tuple[Case, ...], store: Store
) -> None:
    recorder = Recorder(ScriptedModel(no_call), store, Mode.RECORD)
    with pytest.raises(MedagentsError, match=r"unknown experiment 'peer'; known: .*peer_cascade") as error:
        study.run("peer", cases, recorder, "toy")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ("loudest", "'loudest' is unknown; a run takes balanced-wrong or from-file"),
        ("first-wrong", "'first-wrong' is one of single arms"),
        ("longest-wrong", "'longest-wrong' is one of single arms"),
        ("from-file", "toy-1"),
    ],
)
def test_a_rule_that_does_not_serve_is_a_one_line_error_before_any_call(
    cases: tuple[Case, ...], store: Store, rule: str, fault: str
) -> None:
    recorder = Recorder(ScriptedModel(no_call), store, Mode.RECORD)
    with pytest.raises(MedagentsError, match=fault) as error:
        study.run("peer_cascade", cases, recorder, "toy", rule)
    assert "\n" not in str(error.value)


def test_the_rule_asked_for_is_in_every_row(
    cases: tuple[Case, ...], scripted: ScriptedModel, store: Store
) -> None:
    frame = study.run("cue_sensitivity", cases, Recorder(scripted, store, Mode.RECORD), "toy")
    assert set(frame["plant_rule"]) == {"balanced-wrong"}
    assert list(dict.fromkeys(frame["case"])) == [case.id for case in cases]


def test_another_plant_rule_is_recorded_beside_the_cohorts_own_and_replaces_nothing(
    model: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(study.SIZES, ("peer_cascade", "vignettes"), 3)
    model(varied)
    own = study.record("peer_cascade", "vignettes", "m", Mode.RECORD, progress=False)
    shard = paths.RECORDINGS / "vignettes" / "m" / "peer_cascade.jsonl"
    table = rows.path_of("vignettes", "m", "peer_cascade")
    before = shard.read_bytes(), table.read_bytes()
    other = study.record(
        "peer_cascade", "vignettes", "m", Mode.RECORD, progress=False, plant_rule="balanced-wrong"
    )
    assert (shard.read_bytes(), table.read_bytes()) == before
    assert {path.name for path in shard.parent.glob("peer_cascade*.jsonl")} == {
        "peer_cascade.jsonl",
        "peer_cascade@balanced-wrong.jsonl",
    }
    assert set(other.rows["plant_rule"]) == {"balanced-wrong", "first-wrong"}
    assert set(own.rows["plant_rule"]) == {"from-file", "first-wrong"}
    isolated = [found.rows[found.rows["condition"] == "isolated"]["key"].tolist() for found in (own, other)]
    assert isolated[0] == isolated[1], "one and the same request is one call"
    named = study.record(
        "peer_cascade", "vignettes", "m", Mode.REPLAY, progress=False, plant_rule="from-file"
    )
    pd.testing.assert_frame_equal(named.rows, own.rows)  # the cohort's own rule, by its name
    model(no_call)
    replayed = study.replay("peer_cascade", "vignettes", "m", plant_rule="balanced-wrong")
    pd.testing.assert_frame_equal(replayed.rows, other.rows)
    assert verify.report() == 0


def test_a_rule_that_was_not_recorded_is_named_in_the_command_that_records_it(model: Callable) -> None:
    model(no_call)
    with pytest.raises(ReplayMiss, match=r"--experiment break_it .*--model m --plant-rule balanced-wrong$"):
        study.replay("break_it", "vignettes", "m", 1, plant_rule="balanced-wrong")


def test_judges_read_discussions_of_the_cohorts_own_rule_only(model: Callable) -> None:
    model(no_call)
    with pytest.raises(MedagentsError, match="leave the rule out"):
        study.record("transcript_review", "vignettes", "m", Mode.RECORD, 1, plant_rule="balanced-wrong")


@pytest.mark.parametrize(("n", "whole"), [(None, True), (2, False)])
@pytest.mark.parametrize("at_hand", [True, False])
def test_figures_of_a_trial_go_below_build(
    data: Path, model: Callable, n: int | None, whole: bool, at_hand: bool
) -> None:
    model(varied)
    made("peer_cascade")
    if not at_hand:
        data.unlink()
    found = study.replay("peer_cascade", "toy", "m", n)
    assert found.figures == (paths.FIGURES if whole else paths.BUILD / "figures")


def test_figures_of_a_study_without_committed_rows_go_below_build(data: Path, model: Callable) -> None:
    model(varied)
    made("peer_cascade")
    rows.path_of("toy", "m", "peer_cascade").unlink()
    assert study.replay("peer_cascade", "toy", "m").figures == paths.BUILD / "figures"


def test_plants_of_the_first_cases_do_not_depend_on_how_many_are_run(
    ask: Callable, cases: tuple[Case, ...]
) -> None:
    whole, _ = ask("cue_sensitivity", lambda request: "A")
    first, _ = ask("cue_sensitivity", lambda request: "A", cases[:2])
    pd.testing.assert_frame_equal(first, whole.iloc[: len(first)])


@pytest.mark.parametrize("experiment", [name for name in EXPERIMENTS if name not in NO_ROWS_ALONE])
def test_what_was_recorded_replays_to_the_same_rows_without_a_call(
    data: Path, model: Callable, experiment: str
) -> None:
    model(varied)
    recorded = made(experiment)
    model(no_call)
    replayed = study.replay(experiment, "toy", "m")
    assert replayed.source == study.REPLAYED
    assert len(recorded) and len(set(recorded["option"])) > 1
    pd.testing.assert_frame_equal(replayed.rows, recorded)


def test_a_model_given_as_a_files_path_is_recorded_under_its_name(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study.models, "get", lambda path: ScriptedModel(varied, Path(path).stem))
    recorded = study.record("cue_sensitivity", "toy", "/far/away/m.gguf", Mode.RECORD, progress=False)
    assert [file.parent.name for file in paths.ROWS.rglob("*.csv")] == ["m"]
    replayed = study.replay("cue_sensitivity", "toy", "/far/away/m.gguf")
    pd.testing.assert_frame_equal(replayed.rows, recorded.rows)


def test_recording_again_asks_nothing_and_writes_the_same_bytes(data: Path, model: Callable) -> None:
    model(varied)
    made("peer_cascade")
    files = sorted([*paths.RECORDINGS.rglob("*.jsonl"), *paths.ROWS.rglob("*.csv")])
    before = [file.read_bytes() for file in files]
    model(no_call)
    made("peer_cascade")
    assert len(files) == 3 and [file.read_bytes() for file in files] == before


def test_rows_and_replies_are_committed_but_no_text_of_an_unpublishable_cohort(
    data: Path, model: Callable, cases: tuple[Case, ...]
) -> None:
    model(varied)
    made("peer_cascade")
    for file in [*paths.RECORDINGS.rglob("*.jsonl"), *paths.ROWS.rglob("*.csv")]:
        text = file.read_text()
        assert "toy-1" in text and not any(case.stem in text for case in cases)


def test_experiments_recorded_together_give_the_rows_that_each_gives_alone(
    data: Path, model: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(study.SIZES, ("break_it", "toy"), 3)
    names = ["peer_cascade", "break_it", "hidden_rubric"]
    model(varied)
    alone = {name: made(name) for name in names}
    shutil.rmtree(paths.RECORDINGS)
    together = study.record_together(names, "toy", "m", Mode.RECORD, progress=False)
    assert list(together) == names
    for name in names:
        pd.testing.assert_frame_equal(together[name].rows, alone[name])
    assert together["break_it"].rows["case"].nunique() == 3


def test_experiments_recorded_together_put_each_case_through_all_before_the_next(
    data: Path, monkeypatch: pytest.MonkeyPatch, cases: tuple[Case, ...]
) -> None:
    asked = ScriptedModel(varied, "m")
    monkeypatch.setattr(study.models, "get", lambda name: asked)
    study.record_together(["cue_sensitivity", "peer_cascade"], "toy", "m", Mode.RECORD, progress=False)
    order = [next(case.id for case in cases if case.stem in r.messages[-1].text) for r in asked.history]
    assert order == sorted(order) and len(set(order)) == 5


def test_the_engine_check_is_not_recorded_with_others(data: Path, model: Callable) -> None:
    model(no_call)
    with pytest.raises(MedagentsError, match="record it by itself"):
        study.record_together(["peer_cascade", "engine_check"], "toy", "m", Mode.RECORD)


def test_a_part_of_a_cohort_is_recorded_without_replacing_its_rows(data: Path, model: Callable) -> None:
    model(varied)
    assert set(made("prompt_format", 2)["case"]) == {"toy-1", "toy-2"}
    assert not rows.path_of("toy", "m", "prompt_format").exists()
    assert set(study.replay("prompt_format", "toy", "m", 1).rows["case"]) == {"toy-1"}
    with pytest.raises(ReplayMiss, match="toy-3"):
        study.replay("prompt_format", "toy", "m")


def test_without_the_cohorts_data_a_replay_reads_committed_rows_and_says_so(
    data: Path, model: Callable
) -> None:
    model(varied)
    recorded = made("peer_cascade")
    data.unlink()
    fallen = study.replay("peer_cascade", "toy", "m")
    assert fallen.source == study.FROM_ROWS != study.REPLAYED and fallen.recorder is None
    assert "committed rows" in fallen.source and "MEDAGENTS_DATA" in fallen.source
    pd.testing.assert_frame_equal(fallen.rows, recorded)
    some = study.replay("peer_cascade", "toy", "m", n=2).rows
    pd.testing.assert_frame_equal(some, recorded[recorded["case"].isin(["toy-1", "toy-2"])])


@pytest.mark.parametrize("n", [0, -1, 6])
@pytest.mark.parametrize("at_hand", [True, False])
def test_more_cases_than_there_are_is_an_error_with_and_without_the_data(
    data: Path, model: Callable, n: int, at_hand: bool
) -> None:
    model(varied)
    made("prompt_format")
    if not at_hand:
        data.unlink()
    with pytest.raises(MedagentsError, match=rf"5 .*n = {n} is out of range"):
        study.replay("prompt_format", "toy", "m", n)


def test_replies_of_a_condition_are_read_from_recordings_and_missing_where_rows_stand_in(
    data: Path, model: Callable
) -> None:
    model(varied)
    recorded = made("prompt_format")
    model(no_call)
    found = study.replay("prompt_format", "toy", "m")
    said = found.replies("letter")
    chosen = recorded[recorded["condition"] == "letter"].set_index("case")["option"]
    assert {case: LETTERS.index(reply) for case, reply in said.items()} == chosen.to_dict()
    assert found.replies("no_such_condition") == {}
    data.unlink()
    assert study.replay("prompt_format", "toy", "m").replies("letter") == {}


def test_without_data_and_without_rows_the_error_names_the_rows(data: Path, model: Callable) -> None:
    model(no_call)
    data.unlink()
    with pytest.raises(MedagentsError, match=r"prompt_format\.csv: no such rows"):
        study.replay("prompt_format", "toy", "m")


def test_a_changed_prompt_stops_a_replay_and_a_recording_instead_of_asking_anew(
    data: Path, model: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model(varied)
    made("peer_cascade")
    edited = tmp_path / "prompts"
    shutil.copytree(paths.PROMPTS, edited)
    (edited / "peer_cascade" / "plain.txt").write_text("{speaker} would say {answer}.\n")
    monkeypatch.setattr(paths, "PROMPTS", edited)
    model(no_call)
    prompts.template.cache_clear()
    try:
        for again in (lambda: study.replay("peer_cascade", "toy", "m"), lambda: made("peer_cascade")):
            with pytest.raises(StaleRecording, match=r"toy-1, one_peer .*changed: messages"):
                again()
    finally:
        prompts.template.cache_clear()


def test_a_study_covers_the_whole_cohort_unless_a_size_is_set(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(study.recorded_cases("toy", "m", "peer_cascade")) == 5
    monkeypatch.setitem(study.SIZES, ("peer_cascade", "toy"), 3)
    assert len(study.recorded_cases("toy", "m", "peer_cascade")) == 3
    assert len(study.recorded_cases("toy", "m", "peer_cascade", 4)) == 4
    assert len(study.recorded_cases("toy", "m", "prompt_format")) == 5


def test_every_set_size_is_of_a_known_experiment_and_cohort() -> None:
    assert all(experiment in EXPERIMENTS and cohort in cohorts.names() for experiment, cohort in study.SIZES)


def test_only_our_own_text_is_publishable() -> None:
    assert [name for name in cohorts.names() if study.publishable(name)] == ["vignettes"]


# Several cases at a time


class Crowd(ScriptedModel):
    """A scripted model that takes five calls at a time. `before` is called with the case of each."""

    def __init__(self, cases: tuple[Case, ...], before: Callable[[str], None] = lambda case: None) -> None:
        super().__init__(varied, "m")
        self.transport, self.cases, self.before = Transport(concurrency=5), cases, before

    def case_of(self, request: Request) -> str:
        return next(case.id for case in self.cases if case.stem in request.messages[-1].text)

    def complete(self, request: Request) -> Reply:
        self.before(self.case_of(request))
        return super().complete(request)

    def asked(self) -> list[str]:
        return list(dict.fromkeys(map(self.case_of, self.history)))


def backwards(cases: tuple[Case, ...]) -> Callable[[str], None]:
    """Lets no call of a case return before the next case has had its first one."""
    begun = {case.id: threading.Event() for case in cases}
    following = dict(zip(list(begun), list(begun)[1:], strict=False))

    def before(case: str) -> None:
        if case in following:
            assert begun[following[case]].wait(20)
        begun[case].set()

    return before


@pytest.mark.parametrize("experiment", ["cue_sensitivity", "peer_cascade", "break_it", "hidden_rubric"])
def test_cases_worked_on_together_give_the_rows_of_one_after_another(
    data: Path, monkeypatch: pytest.MonkeyPatch, model: Callable, cases: tuple[Case, ...], experiment: str
) -> None:
    model(varied)
    one_by_one = made(experiment)
    shards = {path: path.read_bytes() for path in paths.RECORDINGS.rglob("*.jsonl")}
    shutil.rmtree(paths.RECORDINGS)
    crowd = Crowd(cases, backwards(cases))
    monkeypatch.setattr(study.models, "get", lambda name: crowd)
    together = study.record(experiment, "toy", "m", Mode.RECORD, progress=False)
    assert crowd.asked() == [case.id for case in reversed(cases)]
    pd.testing.assert_frame_equal(together.rows, one_by_one)
    assert together.calls == len(crowd.history)
    assert {path: path.read_bytes() for path in paths.RECORDINGS.rglob("*.jsonl")} == shards


def test_a_replay_makes_no_thread_whatever_the_transport_allows(
    data: Path, monkeypatch: pytest.MonkeyPatch, model: Callable, cases: tuple[Case, ...]
) -> None:
    model(varied)
    recorded = made("peer_cascade")
    threads = set()
    crowd = Crowd(cases)
    ask = Recorder.ask
    monkeypatch.setattr(study.models, "get", lambda name: crowd)
    monkeypatch.setattr(
        Recorder, "ask", lambda self, *asked: threads.add(threading.get_ident()) or ask(self, *asked)
    )
    pd.testing.assert_frame_equal(study.replay("peer_cascade", "toy", "m").rows, recorded)
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("error", [MedagentsError, KeyboardInterrupt, TimeoutError])
def test_an_error_ends_the_run_when_the_calls_in_flight_are_recorded_and_the_next_run_asks_the_rest(
    data: Path, monkeypatch: pytest.MonkeyPatch, cases: tuple[Case, ...], error: type[BaseException]
) -> None:
    in_flight, failed = threading.Barrier(5), threading.Event()

    def fail(case: str) -> None:
        if case == "toy-3":
            in_flight.wait(20)
            failed.set()
            raise error("no reply")
        if not failed.is_set():
            in_flight.wait(20)
            assert store.stopped.wait(20)

    crowd, store = Crowd(cases, fail), Store(paths.RECORDINGS)
    recorder = Recorder(crowd, store, Mode.RECORD)
    with pytest.raises(error, match="no reply"):
        study.run("peer_cascade", cases, recorder, "toy")
    assert sorted(crowd.asked()) == ["toy-1", "toy-2", "toy-4", "toy-5"] and len(crowd.history) == 4
    held = Store(paths.RECORDINGS).index("toy", "m").by_slot
    assert sorted((slot.case, slot.condition) for slot in held) == [
        (case, "isolated") for case in ("toy-1", "toy-2", "toy-4", "toy-5")
    ]
    crowd.before = lambda case: None
    rest = study.run("peer_cascade", cases, recorder, "toy")
    fresh = Recorder(Crowd(cases), Store(paths.RECORDINGS.parent / "fresh"), Mode.RECORD)
    pd.testing.assert_frame_equal(rest, study.run("peer_cascade", cases, fresh, "toy"))
    assert recorder.calls == len(crowd.history) == fresh.calls


def test_a_reply_of_another_model_ends_the_run_and_names_its_case(
    cases: tuple[Case, ...], store: Store
) -> None:
    both = threading.Barrier(2)

    class Routed(Crowd):
        def complete(self, request: Request) -> Reply:
            reply = replace(super().complete(request), provenance=Provenance.LIVE)
            if self.case_of(request) == "toy-2":
                both.wait(20)
                return replace(reply, model_returned="m-lite")
            both.wait(20)
            assert store.stopped.wait(20)
            return reply

    crowd = Routed(cases)
    with pytest.raises(ModelDrift, match="case toy-2, isolated: asked m, answered by m-lite"):
        study.run("peer_cascade", cases[:2], Recorder(crowd, store, Mode.RECORD), "toy")
    assert [slot.case for slot in Store(store.root).index("toy", "m").by_slot] == ["toy-1"]
    assert len(crowd.history) == 2


# As a notebook asks


def test_a_study_is_replayed_or_first_recorded_as_the_mode_says(data: Path, model: Callable) -> None:
    with pytest.raises(ReplayMiss):
        model(no_call)
        study.get("prompt_format", "toy", "m")
    model(varied)
    recorded = study.get("prompt_format", "toy", "m", mode="record")
    model(no_call)
    replayed = study.get("prompt_format", "toy", "m")
    pd.testing.assert_frame_equal(replayed.rows, recorded.rows)
    assert recorded.source == replayed.source == study.REPLAYED
    assert study.get("prompt_format", "toy", "m", 2).rows["case"].nunique() == 2
    model(lambda request: "A")
    assert set(study.get("prompt_format", "toy", "m", mode="refresh").rows["option"]) == {0}


def test_an_unknown_mode_is_a_one_line_error(data: Path, model: Callable) -> None:
    model(no_call)
    with pytest.raises(MedagentsError, match=r"unknown mode 'rerecord'; known: replay, record, refresh$"):
        study.get("prompt_format", "toy", "m", mode="rerecord")
