"""A clock for calls that wait: no test sleeps."""


class Clock:
    """Seconds since the start, and every sleep in order; time passes only by sleeping."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
