from collections.abc import Callable

from medagents import study
from medagents.committees import cascade
from medagents.experiments.engine_check import ARMS
from medagents.models.scripted import chat
from medagents.types import Case, Decoding, plain_view


def test_two_arms_are_asked_with_the_prompts_of_the_cascade(ask: Callable, cases: tuple[Case, ...]) -> None:
    frame, history = ask("engine_check", lambda request: "A")
    assert frame["condition"].tolist() == ["isolated", "two_peers"] * 5
    cascade_frame, cascade_history = ask("peer_cascade", lambda request: "A")
    asked = {request.messages for request in history}
    assert len(asked) == 10 and asked <= {request.messages for request in cascade_history}
    both = cascade_frame[cascade_frame["condition"].isin(ARMS)].reset_index(drop=True)
    assert frame.equals(both)


def test_the_engine_reads_whole_prompts_for_the_check_and_only_then(cases: tuple[Case, ...]) -> None:
    prompt = cascade.prompt(plain_view(cases[0]), cascade.arm("isolated"), 0)
    assert prompt is not None
    check, plain = (study.engine("smollm2-135m", name) for name in ("engine_check", "peer_cascade"))
    whole, pieces = (model.request(prompt, Decoding()) for model in (check, plain))
    assert whole.messages == pieces.messages == chat(prompt)
    assert whole.engine["case_chars"] is None
    assert pieces.engine["case_chars"] == len(prompt.case)
