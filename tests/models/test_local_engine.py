"""The real engine on the smallest weights, where both are on this machine."""

from dataclasses import replace

import pytest

from medagents import models
from medagents.committees import cascade
from medagents.models.catalog import weights_of
from medagents.types import Case, Decoding, Prompt, plain_view

SMALLEST = "smollm2-135m"
LETTER = Decoding(max_tokens=1, top_logprobs=40)


@pytest.fixture
def fresh():
    pytest.importorskip("xllamacpp", reason="needs the engine: make local")
    if not weights_of(SMALLEST).file.exists():
        pytest.skip(f"needs the weights: python -m medagents fetch {SMALLEST}")
    return lambda: models.get(SMALLEST)


def test_a_reply_does_not_depend_on_what_was_asked_before(fresh, cases: tuple[Case, ...]) -> None:
    prompts: list[Prompt] = []
    for case in cases[:2]:
        for name in ("isolated", "two_peers", "peers_first"):
            prompt = cascade.prompt(plain_view(case), cascade.arm(name), (case.gold + 1) % len(case.options))
            assert prompt is not None
            prompts.append(prompt)
    prompts.append(replace(prompts[0], system="Answer in one word.", examples=()))
    said = []
    for order in (range(len(prompts)), reversed(range(len(prompts)))):
        model = fresh()
        replies = {i: model.complete(model.request(prompts[i], LETTER)) for i in order}
        said.append({i: (reply.text, reply.letters) for i, reply in replies.items()})
    assert said[0] == said[1]
    assert len({str(value) for value in said[0].values()}) > 1, "the prompts tell replies apart"
