"""Replay: look-ups a second through `Recorder.ask`, bare look-ups, and the time to load a shard.

A store of 20,000 synthetic records of the cascade's size (1,000 cases, 20 conditions) in a temporary
folder, with and without request texts; CPU time, so that other work on the machine does not count.
Run: python benchmarks/replay.py
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from medagents.models.local import LocalModel
from medagents.prompts import examples
from medagents.recorder import Recorder
from medagents.recordings import Store, make_record, write_shard
from medagents.types import Decoding, Prompt, Provenance, Reply, Slot, Status, Usage

CASES, CONDITIONS, ASKED = 1_000, 20, 5_000
LETTER = Decoding(temperature=0.0, max_tokens=1, top_logprobs=60)
REPLY = Reply(
    text="C",
    status=Status.ANSWERED,
    finish="length",
    model_returned="synthetic",
    usage=Usage(360, 1),
    engine="synthetic 0",
    time="2000-01-01T00:00:00+00:00",
    provenance=Provenance.SCRIPTED,
    letters={letter: -1.0 - place / 7 for place, letter in enumerate("ABCDEFGHIJ")},
)


def calls(model):
    """Slots and requests: worked examples, a case of 400 characters, and an arm's own turn."""
    for case in range(CASES):
        text = f"Case {case}. " + "A 60-year-old man has had chest pain for two hours. " * 8
        for condition in range(CONDITIONS):
            prompt = Prompt("Reply with the letter only.", text, f"\n\nPeer {condition}: B", examples())
            yield (
                Slot("synthetic", f"c{case}", "peer_cascade", f"arm{condition}"),
                model.request(prompt, LETTER),
            )


def timed(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def measure(root, publishable):
    """Print the figures of one store; whether every reply came back."""
    model = LocalModel("synthetic", root / "none.gguf", "ab" * 32, "chatml")
    asked = list(calls(model))
    path = root / "synthetic" / "synthetic" / "peer_cascade.jsonl"
    path.parent.mkdir(parents=True)
    write_shard(path, (make_record(slot, request, REPLY, publishable) for slot, request in asked))
    store = Store(root)
    loading, index = timed(lambda: store.index("synthetic", "synthetic"))
    recorder = Recorder(model, store)
    some = asked[:: len(asked) // ASKED]
    asking, records = timed(lambda: [recorder.ask(slot, request) for slot, request in some])
    bare, _ = timed(lambda: [store.index("synthetic", "synthetic").by_slot[slot] for slot, _ in asked])
    print(f"{len(asked)} records, {'with texts' if publishable else 'keys alone'}")
    print(f"  shard            {path.stat().st_size / 1e6:9.1f} MB")
    print(f"  load             {loading:9.2f} s   {len(asked) / loading:9.0f} records/s")
    print(f"  Recorder.ask     {1e6 * asking / len(some):9.1f} us  {len(some) / asking:9.0f} look-ups/s")
    print(f"  bare look-up     {1e6 * bare / len(asked):9.2f} us  {len(asked) / bare:9.0f} look-ups/s")
    return len(index.by_slot) == len(asked) and all(record.reply == REPLY for record in records)


def main():
    sound = True
    for publishable in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            sound &= measure(Path(folder), publishable)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
