"""What a call through our recorder costs beside the bare `openai` SDK, and beside inspect-ai where it is.

2,000 calls that each take 100 ms, 64 at a time, against one loopback server in a process of its own. Every
contender asks the same prompts in a process of its own, imports not counted; the best of a few rounds in
turns. Ours records as an experiment does: request and key, the SDK, the look at the store, the line written.
Run: python benchmarks/calls.py [--inspect /path/to/python with inspect-ai]
"""

import argparse
import importlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

CALLS, CONCURRENCY, LATENCY, ROUNDS = 2_000, 64, 0.1, 3
WALL, CPU, INSPECT = 1.15, 1.3, 0.25
"""At most: wall and CPU of the bare SDK's, CPU of inspect-ai's."""

SYSTEM = "Reply with the letter only."
CASE = "A 60-year-old man has had chest pain for two hours. " * 8


def cases():
    """The texts that are asked: a case of 400 characters each."""
    return [f"Case {number}. {CASE}\n\nWhich option?" for number in range(CALLS)]


def bare(url, folder):
    """The SDK in a pool of threads."""
    import openai

    def run():
        with openai.OpenAI(api_key="none", base_url=url, max_retries=0) as client:

            def ask(text):
                shown = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
                answer = client.chat.completions.create(
                    model="m", messages=shown, max_tokens=1, temperature=0.0, top_p=1.0
                )
                return answer.choices[0].message.content

            with ThreadPoolExecutor(CONCURRENCY) as pool:
                return list(pool.map(ask, cases()))

    return run


def ours(url, folder):
    """The recorder, with the cases in its pool of threads."""
    import openai  # noqa: F401
    import tenacity  # noqa: F401

    from medagents.models.openai_compatible import OpenAIModel
    from medagents.recorder import Mode, Recorder
    from medagents.recordings import Store
    from medagents.threads import in_order
    from medagents.types import Decoding, Prompt, Slot, Transport

    decoding = Decoding(max_tokens=1)

    def run():
        model = OpenAIModel("m", Transport(base_url=url, concurrency=CONCURRENCY))
        recorder = Recorder(model, Store(Path(folder)), Mode.RECORD)

        def ask(numbered):
            number, text = numbered
            slot = Slot("benchmark", f"c{number}", "calls", "isolated")
            return recorder.ask(slot, model.request(Prompt(SYSTEM, text, ""), decoding)).reply.text

        return list(in_order(ask, enumerate(cases()), recorder.concurrency, recorder.store.stopped))

    return run


def inspect(url, folder):
    """A task of inspect-ai, with its log, as its users run it. No dependency of ours: hence no import."""
    ai = importlib.import_module("inspect_ai")

    def run():
        settings = {"max_tokens": 1, "temperature": 0.0, "top_p": 1.0, "max_connections": CONCURRENCY}
        config = ai.model.GenerateConfig(**settings)
        model = ai.model.get_model(
            "openai/m", base_url=url, api_key="none", config=config, responses_api=False
        )
        solver = [ai.solver.system_message(SYSTEM), ai.solver.generate()]
        task = ai.Task([ai.dataset.Sample(text) for text in cases()], solver)
        (log,) = ai.eval(task, model, log_dir=folder, display="none", max_samples=CONCURRENCY)
        assert log.status == "success", log.error
        return [sample.output.completion for sample in log.samples]

    return run


CONTENDERS = {"bare": bare, "ours": ours, "inspect": inspect}


def measure(contender, url):
    """Print wall time and CPU time of one contender in this process, and the sorted replies, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        run = CONTENDERS[contender](url, folder)
        before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        replies = run()
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"wall": wall, "cpu": cpu, "replies": "".join(sorted(replies))}))


def rounds(pythons, url):
    """Least wall time and least CPU time of each contender, in seconds; whether all had the same replies."""
    best, replies = {}, set()
    for turn in range(ROUNDS):
        for name, python in pythons.items():
            if name == "inspect" and turn:
                continue  # it takes a minute
            command = [python, __file__, "--contender", name, "--url", url]
            said = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
            found = json.loads(said.splitlines()[-1])
            replies.add(found.pop("replies"))
            held = best.setdefault(name, found)
            best[name] = {what: min(held[what], seconds) for what, seconds in found.items()}
    return best, len(replies) == 1


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--inspect", metavar="PYTHON", help="an interpreter that has inspect-ai")
    options.add_argument("--contender", choices=CONTENDERS, help=argparse.SUPPRESS)
    options.add_argument("--url", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.contender:
        return measure(given.contender, given.url)
    pythons = {"bare": sys.executable, "ours": sys.executable}
    pythons |= {"inspect": given.inspect} if given.inspect else {}
    command = [sys.executable, "-m", "tests.loopback", "--latency", str(LATENCY)]
    server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        best, same = rounds(pythons, f"{server.stdout.readline().strip()}/v1")
    finally:
        server.stdin.close()
        server.wait()
    print(f"{CALLS} calls of {1e3 * LATENCY:.0f} ms, {CONCURRENCY} at a time, best of {ROUNDS}")
    for name, found in best.items():
        print(f"  {name:10} wall {found['wall']:6.2f} s   CPU {1e3 * found['cpu'] / CALLS:6.2f} ms a call")
    ours, bare = best["ours"], best["bare"]
    wall, cpu = ours["wall"] / bare["wall"], ours["cpu"] / bare["cpu"]
    print(f"  ours / bare: wall {wall:.2f} (at most {WALL}), CPU {cpu:.2f} (at most {CPU})")
    sound = same and wall <= WALL and cpu <= CPU
    if "inspect" in best:
        share = ours["cpu"] / best["inspect"]["cpu"]
        print(f"  ours / inspect-ai: CPU {share:.2f} (at most {INSPECT})")
        sound &= share <= INSPECT
    else:
        print("  inspect-ai: not installed; give an interpreter that has it with --inspect")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
