"""A limit on what a run spends: the call that could pass it is not made, whoever else is calling."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from medagents import study
from medagents.budget import Budget, Budgeted, BudgetReached
from medagents.models.prices import Prices
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store, read_shard, shards
from medagents.types import (
    Case,
    Decoding,
    MedagentsError,
    Message,
    Prompt,
    Provenance,
    Reply,
    Request,
    Status,
    Usage,
)


@pytest.fixture
def prices(tmp_path: Path) -> Prices:
    """A dollar a token of the prompt, and ten a token of the reply."""
    path = tmp_path / "prices.csv"
    columns = "model,input,output,thoughts,batch,since,read,source\n"
    path.write_text(f"{columns}m,1000000,10000000,10000000,1,,2026-11-30,me\n", encoding="utf-8")
    return Prices(path, date(2026, 12, 1))


def request(model: str = "m", tokens: int = 4, max_tokens: int = 2) -> Request:
    """At 2.5 characters a token; at most 24 USD unless said otherwise."""
    text = "x" * int(2.5 * tokens)
    return Request(model, (Message("user", text),), decoding=Decoding(max_tokens=max_tokens))


def spend(budget: Budget, used: Usage, asked: Request | None = None) -> None:
    with budget.reserved(asked or request()) as paid:
        paid.append(used)


def test_what_is_spent_is_what_was_used_and_not_what_might_have_been(prices: Prices) -> None:
    budget = Budget(100.0, prices)
    spend(budget, Usage(3, 1, 0))
    spend(budget, Usage(4, 0, 2))
    assert budget.spent == 3 + 10 + 4 + 20
    assert str(budget) == "2 calls made for 37.0000 USD"


def test_the_call_that_could_pass_the_limit_is_not_made(prices: Prices) -> None:
    budget = Budget(48.0, prices)
    spend(budget, Usage(4, 2, 0))
    spend(budget, Usage(4, 2, 0))  # 24 of 24 left
    assert budget.spent == 48
    with pytest.raises(BudgetReached) as error:
        spend(budget, Usage())
    assert str(error.value) == (
        "the next call could cost 24.0000 USD and pass --max-cost 48; 2 calls made for 48.0000 USD; "
        "what is recorded is kept: the same command goes on"
    )


def test_a_smaller_call_may_still_fit(prices: Prices) -> None:
    budget = Budget(40.0, prices)
    spend(budget, Usage(4, 2, 0))
    with pytest.raises(BudgetReached):
        spend(budget, Usage())
    spend(budget, Usage(4, 1, 0), request(max_tokens=1))
    assert budget.spent == 38


def test_a_call_that_got_no_reply_frees_what_was_held_back(prices: Prices) -> None:
    budget = Budget(24.0, prices)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), budget.reserved(request()):
            raise ZeroDivisionError
    assert (budget.spent, budget.calls) == (0, 0)
    spend(budget, Usage(1, 0, 0))


def test_where_the_server_counts_no_tokens_the_most_is_taken_as_spent(prices: Prices) -> None:
    budget = Budget(None, prices)
    spend(budget, Usage())
    assert budget.spent == 24


def test_without_a_limit_an_unknown_price_is_said_and_no_error(prices: Prices) -> None:
    budget = Budget(None, prices)
    spend(budget, Usage(9, 9, 9), request("stranger"))
    assert str(budget) == "1 calls made, at a price that is not known"


def test_with_a_limit_an_unknown_price_is_an_error_before_the_call(prices: Prices) -> None:
    with pytest.raises(MedagentsError, match=r"no price of stranger in .*prices\.csv"):
        spend(Budget(1e9, prices), Usage(), request("stranger"))


class Costly:
    """A model whose replies use what they are given to use, once it is let go on."""

    name = "m"

    def __init__(self, used: Usage) -> None:
        self.used, self.go, self.begun = used, threading.Event(), threading.Semaphore(0)

    def request(self, prompt: Prompt, decoding: Decoding, repeat: int = 0) -> Request:
        return request()

    def complete(self, request: Request) -> Reply:
        self.begun.release()
        self.go.wait(10)
        return Reply("B", Status.ANSWERED, "stop", "m", self.used, "e", "", Provenance.SCRIPTED)


def test_calls_in_flight_count_at_the_most_they_may_cost(prices: Prices) -> None:
    """Room for two calls at their most: the third waits, and is made since the first two cost less."""
    model = Costly(Usage(4, 0, 0))
    budget = Budget(50.0, prices)
    held = Budgeted(model, budget)
    with ThreadPoolExecutor(3) as pool:
        calls = [pool.submit(held.complete, request()) for _ in range(3)]
        for _ in range(2):
            assert model.begun.acquire(timeout=10)
        assert not model.begun.acquire(timeout=0.1), "the third waits"
        model.go.set()
        assert [call.result().text for call in calls] == ["B"] * 3
    assert (budget.calls, budget.spent) == (3, 12)


def test_calls_that_ended_leave_nothing_held_back_whatever_their_sums_round_to(prices: Prices) -> None:
    """0.1 + 0.2 - 0.2 - 0.1 is not 0 in binary: a call that waits for that would wait for ever."""
    prices.own.write_text(prices.own.read_text().replace("m,1000000,", "m,100000,"), encoding="utf-8")
    budget = Budget(0.5, Prices(prices.own))
    with budget.reserved(request(tokens=1, max_tokens=0)), budget.reserved(request(tokens=2, max_tokens=0)):
        pass
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(spend, budget, Usage(), request(tokens=6, max_tokens=0))
        assert isinstance(ended.exception(timeout=10), BudgetReached)


def test_however_many_threads_ask_the_limit_is_never_passed(prices: Prices) -> None:
    model = Costly(Usage(4, 2, 0))
    model.go.set()
    budget = Budget(24.0 * 5 + 23, prices)
    held = Budgeted(model, budget)

    def ask(_: int) -> bool:
        try:
            held.complete(request())
        except BudgetReached:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(40))) == 5
    assert (budget.calls, budget.spent) == (5, 120)


def test_a_run_stops_with_all_it_paid_for_recorded_and_goes_on_from_there(
    cases: tuple[Case, ...], store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "own.csv"
    columns = "model,input,output,thoughts,batch,since,read,source\n"
    path.write_text(f"{columns}scripted,1000,1000,1000,1,,2026-11-30,me\n", encoding="utf-8")
    prices = Prices(path)
    model = ScriptedModel(lambda _: "B")

    def run(budget: Budget) -> object:
        recorder = Recorder(Budgeted(model, budget), store, Mode.RECORD)
        return study.run("peer_cascade", cases, recorder, "toy")

    first = Budget(5.0, prices)
    with pytest.raises(BudgetReached, match="what is recorded is kept"):
        run(first)
    assert 0 < first.spent <= 5.0
    stored = [record for *_, file in shards(store.root) for record in read_shard(file)[0]]
    assert len({record.key for record in stored}) == first.calls == len(model.history) > 3
    second = Budget(1e9, prices)
    run(second)
    alone = ScriptedModel(lambda _: "B")
    study.run("peer_cascade", cases, Recorder(alone, Store(tmp_path / "alone"), Mode.RECORD), "toy")
    assert first.calls + second.calls == len(alone.history), "nothing was asked twice"
