"""How long committees take where every call takes 100 ms: calls in one row against calls in all.

Run: `make bench`, or `python benchmarks/committees.py`. MedOrch should take four latencies a case however
many experts sit, and a cohort little more than all its calls, 32 at a time. The paper puts
MedOrch at about twice a single agent's time; that counts tokens, this counts waits.
"""

import argparse
import tempfile
import threading
import time
from pathlib import Path

from medagents import cohorts
from medagents.committees.baselines import Single
from medagents.committees.medorch import MedOrch
from medagents.committees.session import Committee
from medagents.experiments.sitting import seat
from medagents.models.scripted import ScriptedModel
from medagents.models.teams import led_by
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.threads import in_order
from medagents.types import Case, Reply, Request, Slot, Transport, plain_view

LATENCY = 0.1
"""Seconds a call."""

TOGETHER = 32
"""Calls at a time."""


class Distant(ScriptedModel):
    """A provider that takes `TOGETHER` calls at a time, over all models, and answers after the latency."""

    transport = Transport(concurrency=TOGETHER)
    places = threading.BoundedSemaphore(TOGETHER)

    def complete(self, request: Request) -> Reply:
        with Distant.places:
            time.sleep(LATENCY)
        return super().complete(request)


def says(request: Request) -> str:
    text = request.messages[-1].text
    if "Reply with JSON" not in text:
        return "B. So it looks."
    numbers = range(1, text.count('": "question to expert ') + 1)
    return '[{"Decision": "Yes", ' + ", ".join(f'"Expert {n}": "Why not C?"' for n in numbers) + "}]"


def seconds(
    committee: Committee, experts: int, cases: tuple[Case, ...], threads: int, folder: str
) -> tuple[float, int]:
    """Wall time of some cases through a committee, `threads` of them at a time, and the calls made."""
    names = [f"m{number}" for number in range(experts)]
    store = Store(Path(folder) / f"{committee.name}-{experts}-{threads}-{len(cases)}")
    recorders = {name: Recorder(Distant(says, name), store, Mode.RECORD) for name in names}

    def put(case: Case) -> int:
        team = seat(led_by(*names), recorders, Slot("vignettes", case.id, "benchmark", ""))
        return committee(plain_view(case), team).depth

    begun = time.perf_counter()
    depths = set(in_order(put, cases, threads, store.stopped))
    assert depths == {4 if isinstance(committee, MedOrch) else 1}
    return time.perf_counter() - begun, sum(recorder.calls for recorder in recorders.values())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--cases", type=int, default=64, help="cases of the cohort run (default 64)")
    cases = cohorts.load("vignettes", options.parse_args().cases)
    medorch = MedOrch("medorch_asked", decides=False)
    with tempfile.TemporaryDirectory() as folder:
        seconds(medorch, 3, cases[:1], 1, folder)  # imports and prompts are read once
        single = seconds(Single(), 3, cases[1:6], 1, folder)[0] / 5
        for experts in (3, 5, 9):
            one = seconds(medorch, experts, cases[1:6], 1, folder)[0] / 5
            print(
                f"MedOrch, {experts} experts: {one / (4 * LATENCY):.2f} times four latencies a case, "
                f"{one / single:.2f} times a single agent"
            )
        whole, calls = seconds(medorch, 3, cases, TOGETHER, folder)
        ideal = calls * LATENCY / TOGETHER
        print(
            f"cohort of {len(cases)} cases, {calls} calls, {TOGETHER} at a time: "
            f"{whole / ideal:.2f} times the ideal {ideal:.1f} s"
        )


if __name__ == "__main__":
    main()
