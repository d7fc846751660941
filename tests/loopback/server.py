"""The core: minimal HTTP/1.1 with keep-alive, cheap enough to measure a client with."""

import asyncio
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True)
class Received:
    """One request as it came; header names in lower case. `number` counts arrivals from 0."""

    number: int
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    @cached_property
    def json(self) -> Any:
        """The body read as JSON; None where there is none."""
        return json.loads(self.body) if self.body else None

    @property
    def id(self) -> str:
        """The same for two requests that ask the same."""
        return sha256(self.path.encode() + b"\n" + self.body).hexdigest()


@dataclass(frozen=True)
class Answer:
    """What goes out: a body (bytes as they are, anything else as JSON) after `delay` seconds.

    With `reset` the connection is reset in its place.
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    reset: bool = False

    def data(self) -> bytes:
        """The body as sent."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Behaviour = Answer | Callable[[Answer], Answer] | None
"""What to do with one request: an answer in its place, a change to the good answer, or (None) nothing."""

Say = Callable[[str], str]
"""Text of a prompt -> text of its reply."""

Handler = Callable[[Received, Say], Answer]


@dataclass(frozen=True)
class Route:
    """The good answer to requests of a method whose whole path matches a pattern."""

    method: str
    pattern: str
    handler: Handler

    def takes(self, received: Received) -> bool:
        """Whether a request is of this route."""
        return received.method == self.method and re.fullmatch(self.pattern, received.path) is not None


def answered(prompt: str) -> str:
    """One of the letters A to D, always the same for the same prompt."""
    return "ABCD"[sha256(prompt.encode()).digest()[0] % 4]


def slow(seconds: float) -> Behaviour:
    """The good answer, late."""
    return lambda good: replace(good, delay=good.delay + seconds)


def malformed(good: Answer) -> Answer:
    """The good answer cut off in the middle, so that it is no JSON."""
    data = good.data()
    return replace(good, body=data[: len(data) // 2])


def reset(good: Answer) -> Answer:
    """The connection is reset and no answer comes."""
    return replace(good, reset=True)


class Loopback:
    """The server, in a thread of its own while in a `with` block.

    Args:
        port: 0 for any free one.
        latency: seconds before every answer goes out.
        say: text of a prompt -> text of the good reply.
        routes: both protocols if None.
        keep: whether requests are kept (not when a client is measured).

    `requests` holds what came, in order of arrival. `billed` counts, by `Received.id`, the answers of
    status 200 that went out, also to clients that had gone: a provider bills these too. `peak` is the
    most requests that were in work at one time.
    """

    def __init__(
        self,
        port: int = 0,
        latency: float = 0.0,
        say: Say = answered,
        routes: Sequence[Route] | None = None,
        keep: bool = True,
    ) -> None:
        from . import gemini, openai

        self.port, self.latency, self.say, self.keep = port, latency, say, keep
        self.routes = [*openai.ROUTES, *gemini.ROUTES] if routes is None else list(routes)
        self.requests: list[Received] = []
        self.billed: Counter[str] = Counter()
        self.count = self.busy = self.peak = 0
        self._behaviours: list[Behaviour] = []
        self._choose: Callable[[Received], Behaviour] = lambda _: None
        self._connections: set[_Connection] = set()

    @property
    def url(self) -> str:
        """Address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def behave(self, behaviours: Sequence[Behaviour] | Callable[[Received], Behaviour]) -> None:
        """Misbehave: a list is used up by the next requests in order of arrival, after which answers are
        good again; a function is asked for every request from now on.
        """
        if callable(behaviours):
            self._behaviours, self._choose = [], behaviours
        else:
            self._behaviours, self._choose = list(behaviours), lambda _: None

    def answer(self, received: Received) -> Answer:
        """What goes out for a request."""
        behaviour = self._behaviours.pop(0) if self._behaviours else self._choose(received)
        if isinstance(behaviour, Answer):
            return behaviour
        route = next((route for route in self.routes if route.takes(received)), None)
        if route is None:
            return Answer({"error": {"message": f"no route {received.method} {received.path}"}}, 404)
        good = route.handler(received, self.say)
        return behaviour(good) if behaviour else good

    def __enter__(self) -> "Loopback":
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(
            self._loop.create_server(lambda: _Connection(self), "127.0.0.1", self.port)
        )
        self.port = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, name="loopback", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join()
        self._loop.close()

    def _stop(self) -> None:
        self._server.close()
        for connection in list(self._connections):
            connection.transport.abort()
        self._loop.call_soon(self._loop.stop)


class _Connection(asyncio.Protocol):
    """One connection: reads whole requests, writes answers in their order."""

    def __init__(self, server: Loopback) -> None:
        self.server, self.data, self.waiting = server, bytearray(), False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server._connections.discard(self)

    def data_received(self, data: bytes) -> None:
        self.data += data
        self.next()

    def next(self) -> None:
        """Take the next request, if a whole one is there and the last one is answered."""
        end = self.data.find(b"\r\n\r\n")
        if self.waiting or end < 0:
            return
        first, *lines = self.data[:end].decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        size = end + 4 + int(headers.get("content-length", 0))
        if len(self.data) < size:
            return
        method, target, _ = first.split(" ")
        where = urlsplit(target)
        body = bytes(self.data[end + 4 : size])
        del self.data[:size]
        received = Received(self.server.count, method, where.path, where.query, headers, body)
        self.server.count += 1
        if self.server.keep:
            self.server.requests.append(received)
        self.waiting = True
        self.server.busy += 1
        self.server.peak = max(self.server.peak, self.server.busy)
        answer = self.server.answer(received)
        delay = self.server.latency + answer.delay
        if delay:
            asyncio.get_running_loop().call_later(delay, self.send, received, answer)
        else:
            self.send(received, answer)

    def send(self, received: Received, answer: Answer) -> None:
        self.waiting = False
        self.server.busy -= 1
        if answer.reset:
            self.transport.abort()
            return
        if answer.status == 200:
            self.server.billed[received.id] += 1
        if self.transport.is_closing():
            return
        data = answer.data()
        headers = {"content-type": "application/json", "content-length": str(len(data)), **answer.headers}
        head = f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Error')}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(head.encode("latin-1") + b"\r\n" + data)
        self.next()
