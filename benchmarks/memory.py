"""Peak memory of a recording: 100,000 scripted calls beside 1,000, each in a process of its own.

Every call has a prompt of its own of 1,700 characters; they go through the recorder from four threads into
one shard, which is then sorted, as a run of an experiment does. What the caller keeps of each reply (a row)
is not counted. Run: python benchmarks/memory.py
"""

import collections
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from medagents.models.scripted import ScriptedModel
from medagents.prompts import examples
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.threads import in_order
from medagents.types import Decoding, Prompt, Slot, Transport

FEW, MANY, MOST = 1_000, 100_000, 1.25
"""Calls, and how many times the memory of few calls many may take."""

LETTERS = {letter: -1.0 - place / 7 for place, letter in enumerate("ABCDEFGHIJ")}
LETTER = Decoding(max_tokens=1, top_logprobs=60)


def record(count):
    """Record so many calls; print the peak of memory in MB and the seconds."""
    model = ScriptedModel(lambda request: LETTERS)
    model.history = collections.deque(maxlen=1)  # a real model keeps no requests either
    model.transport = Transport(concurrency=4)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(model, Store(Path(folder)), Mode.RECORD)

        def ask(number):
            text = f"Case {number}. " + "A 60-year-old man has had chest pain for two hours. " * 8
            prompt = Prompt("Reply with the letter only.", text, "\n\nPeer 1: B", examples())
            slot = Slot("synthetic", f"c{number // 20}", "peer_cascade", f"arm{number % 20}")
            recorder.ask(slot, model.request(prompt, LETTER))

        for _ in in_order(ask, range(count), recorder.concurrency, recorder.store.stopped):
            pass
        recorder.finish("synthetic", "peer_cascade")
        assert recorder.calls == count
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, time.perf_counter() - start)


def main():
    if len(sys.argv) > 1:
        return record(int(sys.argv[1]))
    peaks = {}
    for count in (FEW, MANY):
        said = subprocess.run(
            [sys.executable, __file__, str(count)], check=True, stdout=subprocess.PIPE
        ).stdout
        peaks[count], seconds = map(float, said.split())
        print(f"{count:7} calls   {peaks[count]:7.1f} MB at most   {1e3 * seconds / count:6.2f} ms a call")
    ratio = peaks[MANY] / peaks[FEW]
    print(f"ratio            {ratio:7.2f} (at most {MOST})")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
