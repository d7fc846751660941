"""The commands on recordings as files: list, verify, sums and merge."""

import argparse
from collections.abc import Callable
from pathlib import Path

Add = Callable[..., argparse.ArgumentParser]


def add_commands(add: Add) -> None:
    """Add these commands to a command line; `add` takes name, function, help and example."""
    add("list", _list, "list every shard, with how many calls it holds", "recordings list")
    add(
        "verify",
        _verify,
        "check recordings and rows against their sums, against each other, and against the requests that "
        "are built again where the cohort's text is here",
        "recordings verify",
    )
    sums = add(
        "sums",
        _sums,
        "write the SHA-256 of finished recordings, rows and turns into cache/SHA256SUMS",
        "recordings sums cache/recordings/vignettes/smollm2-135m/break_it.jsonl",
    )
    sums.add_argument("files", nargs="*", type=Path, help="those to list anew; every one if none is named")
    merge = add(
        "merge",
        _merge,
        "merge shards of recordings into one, without loss",
        "recordings merge one.jsonl two.jsonl all.jsonl",
    )
    merge.add_argument("sources", nargs="+", type=Path, metavar="SOURCE", help="shards to read")
    merge.add_argument("target", type=Path, metavar="TARGET", help="shard to write; what it holds is kept")


def _list(_: argparse.Namespace) -> None:
    from medagents import recordings

    for cohort, model, experiment, path in recordings.shards():
        print(f"{cohort:18} {model:20} {experiment:18} {len(recordings.read_shard(path)[0]):6} records")


def _verify(_: argparse.Namespace) -> int:
    from medagents import verify

    return verify.report()


def _sums(options: argparse.Namespace) -> None:
    from medagents import paths, sums

    sums.update(options.files or [*sums.listed(), *sums.files()])
    print(f"{paths.SUMS}: {len(sums.listed())} files")


def _merge(options: argparse.Namespace) -> None:
    from medagents import recordings

    print(f"{options.target}: {recordings.merge(options.sources, options.target)} records")
