"""One retry policy and one rate limit, under a clock that moves only when somebody sleeps."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from clock import Clock

from medagents.models.calls import (
    Caller,
    CallFailed,
    Limits,
    Pace,
    QuotaExhausted,
    prompt_tokens,
    retry_after,
)
from medagents.recordings import read_shard, shards
from medagents.threads import in_order
from medagents.types import Image, MedagentsError, Message, Request, Transport


def caller(clock: Clock, limits: Limits | None = None, **transport: float) -> Caller:
    return Caller("m", Transport(**transport), limits or Limits(), clock, clock.sleep)


def attempts(*outcomes: object) -> tuple[Callable[[], object], list[object]]:
    """A function that raises or returns these in turn, and what of them is left."""
    left = list(outcomes)

    def attempt() -> object:
        outcome = left.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    return attempt, left


def test_the_delay_a_server_names_is_obeyed(clock):
    """FC13: told to wait 37 s, the second attempt comes no earlier, and is the last that is needed."""
    attempt, left = attempts(CallFailed("HTTP 429", delay=37.0), "ok", "never asked")
    assert caller(clock)(attempt) == "ok"
    assert 37 <= sum(clock.slept) <= 38
    assert left == ["never asked"]


def test_without_a_delay_each_wait_is_twice_the_last_and_a_random_second(clock):
    attempt, _ = attempts(*[CallFailed("HTTP 503")] * 4, "ok")
    assert caller(clock)(attempt) == "ok"
    for waited, least in zip(clock.slept, (1, 2, 4, 8), strict=True):
        assert least <= waited <= least + 1


def test_a_wait_is_told_with_its_reason(clock, caplog):
    caplog.set_level(logging.INFO)
    attempt, _ = attempts(CallFailed("HTTP 429: slow down", delay=30.0), "ok")
    caller(clock)(attempt)
    [told] = caplog.messages
    assert told.startswith("m: HTTP 429: slow down; again in 3")


def test_attempts_are_capped_and_the_error_says_what_the_last_one_met(clock):
    attempt, left = attempts(*[CallFailed("HTTP 500: overloaded")] * 9)
    with pytest.raises(MedagentsError) as error:
        caller(clock, max_attempts=3)(attempt)
    assert str(error.value) == "m: no reply after 3 attempts: HTTP 500: overloaded; nothing stored"
    assert not isinstance(error.value, CallFailed), "no outer layer should take it for one attempt"
    assert len(left) == 6


def test_the_time_of_all_attempts_is_capped(clock):
    attempt, left = attempts(*[CallFailed("HTTP 429", delay=60.0)] * 9)
    with pytest.raises(MedagentsError, match="after 2 attempts"):
        caller(clock, max_seconds=100.0)(attempt)
    assert len(left) == 7 and clock.now < 62


def test_a_delay_beyond_the_time_allowed_is_not_slept_through_nor_held_against_others(clock):
    call = caller(clock, max_seconds=600.0)
    attempt, _ = attempts(CallFailed("HTTP 503", delay=3600.0), "ok")
    with pytest.raises(MedagentsError, match="after 1 attempt: HTTP 503"):
        call(attempt)
    assert call(attempt) == "ok"
    assert clock.slept == []


def test_the_time_spent_waiting_for_a_place_below_the_limits_is_not_counted(clock):
    call = caller(clock, Limits(requests_per_minute=1), max_seconds=100.0)
    for _ in range(9):
        call(lambda: "ok")
    clock.now = 0.0  # as for a thread that has queued behind nine others
    attempt, _ = attempts(CallFailed("HTTP 500"), "ok")
    assert call(attempt) == "ok"
    assert clock.now >= 540


def test_a_request_that_is_refused_is_not_sent_again(clock):
    attempt, left = attempts(CallFailed("HTTP 400: no such field", again=False), "ok")
    with pytest.raises(MedagentsError, match="after 1 attempt: HTTP 400: no such field"):
        caller(clock)(attempt)
    assert left == ["ok"] and clock.slept == []


def test_a_quota_of_a_day_stops_this_call_and_all_later_ones(clock):
    call = caller(clock)
    attempt, left = attempts(QuotaExhausted("HTTP 429: requests per day"), "ok")
    for _ in range(2):
        with pytest.raises(QuotaExhausted, match=r"requests per day; what is recorded is kept.*same command"):
            call(attempt)
    assert left == ["ok"] and clock.slept == []


def test_a_quota_of_a_day_wakes_those_who_wait_for_their_turn():
    call = Caller("m", Transport(), Limits(requests_per_minute=1))
    asked = threading.Semaphore(0)

    def attempt() -> None:
        raise QuotaExhausted("HTTP 429: requests per day")

    def ask(_: int) -> str:
        asked.release()
        try:
            call(attempt)
        except QuotaExhausted:
            return "stopped"
        return "went on"

    with ThreadPoolExecutor(3) as pool:  # the second and third would wait a minute and more
        assert list(pool.map(ask, range(3))) == ["stopped"] * 3


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ZeroDivisionError()])
def test_other_errors_are_no_reason_to_try_again(clock, error):
    attempt, left = attempts(error, "ok")
    with pytest.raises(type(error)):
        caller(clock)(attempt)
    assert left == ["ok"]


def starts(clock: Clock, limits: Limits, tokens: list[int]) -> list[float]:
    """When calls of so many tokens start, asked for one after the other at once."""
    pace, begun = Pace(limits, clock, clock.sleep), []
    for count in tokens:
        pace.wait(count)
        begun.append(clock.now)
    return begun


@pytest.mark.parametrize("waits", ["for the server", "for its place below the limit"])
def test_a_wait_ends_with_the_run_and_nothing_is_asked_after_it(waits):
    """With a real clock: what is waited for takes a minute."""
    call = Caller("m", Transport(max_attempts=2), Limits(tokens_per_minute=1))
    asked, waits_now = [], threading.Event()
    if waits != "for the server":
        call.pace.wait(1)  # takes the place of a minute
        waits_now.set()

    def attempt() -> None:
        asked.append(waits)
        waits_now.set()
        raise CallFailed("HTTP 429", delay=60)

    def work(item: int) -> None:
        if item == 0:
            call(attempt)
        assert waits_now.wait(20)
        raise ValueError("the end")

    with pytest.raises(ValueError, match="the end"):
        list(in_order(work, range(9), 2, threading.Event()))
    assert asked == ["for the server"] * (waits == "for the server")


def test_requests_are_spread_evenly_over_a_minute(clock):
    assert starts(clock, Limits(requests_per_minute=30), [1] * 5) == [0, 2, 4, 6, 8]


def test_tokens_are_spread_evenly_over_a_minute(clock):
    begun = starts(clock, Limits(tokens_per_minute=600), [100, 50, 100, 1])
    assert begun == pytest.approx([0, 10, 15, 25])


def test_the_tighter_of_two_limits_decides(clock):
    limits = Limits(requests_per_minute=60, tokens_per_minute=600)
    assert starts(clock, limits, [1, 100, 1, 1]) == pytest.approx([0, 1, 11, 12])


def test_without_limits_nobody_waits(clock):
    assert starts(clock, Limits(), [10**9] * 3) == [0, 0, 0]


def test_time_that_passed_unused_is_not_made_up_for(clock):
    pace = Pace(Limits(requests_per_minute=6), clock, clock.sleep)
    pace.wait(1)
    clock.now = 300.0
    for _ in range(2):
        pace.wait(1)
    assert clock.now == 310.0


def test_threads_share_one_limit():
    slept = []
    pace = Pace(Limits(requests_per_minute=60), lambda: 0.0, slept.append)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(pace.wait, [1] * 8))
    assert sorted(slept) == [1, 2, 3, 4, 5, 6, 7]


def test_when_one_is_told_to_wait_the_others_wait_too(clock):
    begun = []

    def sleep(seconds: float) -> None:
        if begun:
            clock.sleep(seconds)
        else:  # the one that was told goes to sleep, and another comes
            begun.append(clock.now)
            begun.append(call(lambda: clock.now))

    call = Caller("m", Transport(), Limits(), clock, sleep)
    attempt, _ = attempts(CallFailed("HTTP 429", delay=30.0), "ok")
    assert call(attempt) == "ok"
    assert begun == [0.0, 30.0]


def test_one_who_had_a_place_before_the_others_were_told_to_wait_takes_a_new_one(clock):
    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        if len(clock.slept) == 1:
            pace.hold(20.0)  # told to another thread meanwhile

    pace = Pace(Limits(requests_per_minute=12), clock, sleep)
    pace.wait(1)
    pace.wait(1)
    assert clock.slept[0] == 5.0
    assert clock.now == 25.0


@pytest.mark.parametrize("limits", [{"requests_per_minute": 0}, {"tokens_per_minute": -1}])
def test_a_limit_that_lets_nothing_through_is_refused(limits):
    with pytest.raises(MedagentsError, match="per minute must be 1 or more"):
        Limits(**limits)


NOW = datetime(1994, 11, 6, 8, 49, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("37", 37.0),
        ("1.5", 1.5),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 37.0),  # the example of RFC 9110, section 5.6.7
        ("Sun, 06 Nov 1994 08:48:00 GMT", 0.0),
        ("-3", 0.0),
        ("soon", None),
        ("", None),
        ("inf", None),
        ("nan", None),
        (None, None),
    ],
)
def test_retry_after_is_a_number_or_a_date(header, seconds):
    assert retry_after(header, NOW) == seconds


@pytest.mark.committed
def test_tokens_of_recorded_prompts_are_never_under_estimated():
    ratios = []
    for _, _, _, path in shards():
        for record in read_shard(path)[0]:
            if record.request and record.reply.usage.prompt:
                texts = [Message(message["role"], message["text"]) for message in record.request["messages"]]
                request = Request(record.request["model"], tuple(texts), record.request["system"])
                ratios.append(prompt_tokens(request) / record.reply.usage.prompt)
    assert len(ratios) > 1000
    assert min(ratios) >= 1
    assert sorted(ratios)[len(ratios) // 2] < 1.5, "nor so far over that a budget would be of no use"


def test_an_image_counts_for_at_least_eight_tiles_of_170_tokens_and_85():
    plain = Request("m", (Message("user", "Normal?"),))
    seen = Request("m", plain.messages, images=(Image(b"", "image/png"),) * 2)
    assert prompt_tokens(seen) - prompt_tokens(plain) >= 2 * (8 * 170 + 85)
