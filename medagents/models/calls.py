"""How every provider's calls are paced and tried again: one retry policy, one rate limit.

A provider makes one attempt and raises `CallFailed` where no reply came; `Caller` decides whether and
when to try again. A reply that was blocked, cut off or empty is a reply: it is never asked for again.
"""

import logging
import math
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

from medagents.threads import Stopped, ending
from medagents.types import MedagentsError, Request, Transport

if TYPE_CHECKING:
    from tenacity import RetryCallState

log = logging.getLogger(__name__)

T = TypeVar("T")

BACKOFF_FIRST, BACKOFF_MOST, JITTER = 1.0, 60.0, 1.0
"""Seconds: the first wait where the server names none (doubled each time), the longest such wait, and
the most that is added at random to any wait, so that threads do not come back all at once.
"""


CHARACTERS_PER_TOKEN = 2.5
"""Fewer than in any recorded prompt (2.77; the median is 3.2), so that tokens are rather over-estimated."""

TOKENS_PER_IMAGE = 1600
"""About what the dearest common way of counting gives: OpenAI's eight tiles of 170 and 85 more are 1,445
tokens, Gemini's tiles of 768 pixels 258 each.
"""


class CallFailed(MedagentsError):
    """One attempt got no reply.

    Args:
        message: what happened, in one line and without the key.
        delay: seconds the server asks to wait, None if it does not say.
        again: whether another attempt makes sense; not where the request itself is refused.
    """

    def __init__(self, message: str, delay: float | None = None, again: bool = True) -> None:
        super().__init__(message)
        self.delay, self.again = delay, again


class QuotaExhausted(CallFailed):
    """A quota that no wait of minutes renews (of a day, or of credit): the run stops."""

    def __init__(self, message: str) -> None:
        super().__init__(
            f"{message}; what is recorded is kept: once the quota is renewed, the same command goes on",
            again=False,
        )


@dataclass(frozen=True)
class Limits:
    """What a provider allows a minute; None is no limit. Tokens count the prompt and the longest reply."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and value < 1:
                raise MedagentsError(f"{name.replace('_', ' ')} must be 1 or more, not {value}")


class Pace:
    """Gives every call of all threads its time, so that calls are spread evenly below the limits.

    Each call takes the share of a minute that it uses up: of 60 requests a minute one starts each
    second. That keeps the limit over every window a provider may count in, not only whole minutes.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self.limits, self._clock, self._sleep = limits, clock, sleep
        self._lock = threading.Lock()
        self._free = self._held = float("-inf")

    def wait(self, tokens: int) -> None:
        """Return when a call of that many tokens may start."""
        while True:
            with self._lock:
                now = self._clock()
                start = max(now, self._free, self._held)
                self._free = start + self._share(tokens)
            if start > now:
                self._sleep(start - now)
            if start >= self._held:  # else the server told another thread to wait meanwhile
                return

    def hold(self, delay: float) -> None:
        """Let no call start for so many seconds: what the server tells one thread, all obey."""
        with self._lock:
            self._held = max(self._held, self._clock() + delay)

    def _share(self, tokens: int) -> float:
        requests = 60 / self.limits.requests_per_minute if self.limits.requests_per_minute else 0.0
        return max(
            requests, 60 * tokens / self.limits.tokens_per_minute if self.limits.tokens_per_minute else 0.0
        )


class Caller:
    """Makes the calls of one model: paced, tried again where that makes sense, given up in time.

    Threads may share it. `clock` (seconds) and `sleep` are for tests; the default sleep ends early when
    another thread finds the quota exhausted, or the run ends (`threads.ending`).
    """

    def __init__(
        self,
        name: str,
        transport: Transport,
        limits: Limits = Limits(),
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self.name, self.transport = name, transport
        self._exhausted: QuotaExhausted | None = None
        self._stopped = threading.Event()
        self._clock, self._sleep = clock, sleep or self._rest
        self.pace = Pace(limits, self._clock, self._sleep)

    def _rest(self, seconds: float) -> None:
        (ending() or self._stopped).wait(seconds)

    def __call__(self, attempt: Callable[[], T], tokens: int = 0) -> T:
        """What `attempt` returns, tried again as long as `transport` allows.

        Args:
            attempt: makes one request; raises `CallFailed` where no reply came.
            tokens: of the prompt and the longest reply, for the limit of tokens a minute.

        Raises:
            QuotaExhausted: at once, here and for every later call.
            Stopped: the run ends, and there is no reply yet.
            MedagentsError: no reply after the last attempt.
        """
        from tenacity import Retrying, retry_if_exception, wait_exponential_jitter

        backoff = wait_exponential_jitter(BACKOFF_FIRST, BACKOFF_MOST, jitter=JITTER)
        started: list[float] = []  # when each attempt began: waiting for a place below the limits is free

        def wait(state: "RetryCallState") -> float:
            failed = state.outcome.exception() if state.outcome else None
            told = failed.delay if isinstance(failed, CallFailed) else None
            return backoff(state) if told is None else told + random.uniform(0, JITTER)

        def stop(state: "RetryCallState") -> bool:
            late = self._clock() - started[0] + state.upcoming_sleep > self.transport.max_seconds
            return late or state.attempt_number >= self.transport.max_attempts

        def hold(state: "RetryCallState") -> None:
            failed = state.outcome.exception() if state.outcome else None
            log.info("%s: %s; again in %.0f s", self.name, failed, state.upcoming_sleep)
            if isinstance(failed, CallFailed) and failed.delay:
                self.pace.hold(failed.delay)

        def once() -> T:
            self.pace.wait(tokens)
            if self._exhausted:
                raise self._exhausted
            if (run := ending()) and run.is_set():
                raise Stopped(f"{self.name}: not asked, since the run ends; run again")
            started.append(self._clock())
            return attempt()

        policy = Retrying(
            stop=stop,
            wait=wait,
            retry=retry_if_exception(lambda error: isinstance(error, CallFailed) and error.again),
            sleep=self._sleep,
            before_sleep=hold,
            reraise=True,
        )
        try:
            return policy(once)
        except QuotaExhausted as error:
            self._exhausted = error
            self._stopped.set()
            raise
        except CallFailed as error:
            tries = "1 attempt" if len(started) == 1 else f"{len(started)} attempts"
            raise MedagentsError(f"{self.name}: no reply after {tries}: {error}; nothing stored") from error


def prompt_tokens(request: Request) -> int:
    """Tokens of a prompt, estimated from its characters and images: rather too many than too few."""
    characters = len(request.system) + sum(len(message.text) for message in request.messages)
    return math.ceil(characters / CHARACTERS_PER_TOKEN) + TOKENS_PER_IMAGE * len(request.images)


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a `Retry-After` header asks to wait (RFC 9110: a number, or an HTTP date).

    None where there is no header or it says neither. A date that is past is no wait.
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        seconds = _until(header, now or datetime.now(UTC))
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _until(date: str, now: datetime) -> float:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return (then - now).total_seconds()
