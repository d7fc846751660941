"""`python -m medagents`: one subcommand a task; each says what it needs in `--help`."""

import argparse
import io
import logging
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medagents import cli_models, cli_recordings
from medagents.types import MedagentsError

EXAMPLE = "example: "


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; a fault is one line on standard error and exit status 1."""
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # it would tell of every single call
    options = parser().parse_args(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn  # type: ignore[assignment]
            status = int(options.run(options) or 0)
            sys.stdout.flush()  # a full disk is noticed here, and not where nobody can catch it
        return status
    except MedagentsError as error:
        print(f"medagents: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever reads, such as head, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        what = " ".join(str(error.strerror or error).split())
        place = f"{error.filename}: " if error.filename else ""
        print(f"medagents: {place}{what}; give another place, or free this one", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("medagents: stopped; what was recorded is kept, the same command goes on", file=sys.stderr)
        return 130


def _warn(message: Warning | str, category: type[Warning], *_: object) -> None:
    """A warning as one line, without the line of source that raised it."""
    print(f"medagents: {message}", file=sys.stderr)


def _adder(commands: Any) -> cli_models.Add:
    """Adds commands that say in their help what they do and how they are called."""

    def add(name: str, run: object, help: str, example: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = commands.add_parser(
            name, help=help, description=help, epilog=f"{EXAMPLE}python -m medagents {example}"
        )
        made.set_defaults(run=run)
        return made

    return add


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="python -m medagents", description="Clinical committees, reproducibly."
    )
    add = _adder(top.add_subparsers(required=True, metavar="COMMAND"))
    add(
        "answers",
        _answers,
        'read replies on standard input, a JSON object a line: {"id", "reply", "options"} (a list of texts, '
        'or letter to text); write {"id", "status", "option", "letter", "rule"} a line, options from 0 on',
        "answers < replies.jsonl",
    )
    listed = add("cohorts", _cohorts, "list the cohorts: what is here, and how to get the rest", "cohorts")
    listed.add_argument(
        "--write-manifests", action="store_true", help="write the manifests of the cohorts that are here"
    )
    listed.add_argument(
        "--refused", metavar="COHORT", help="list every record left out of a cohort, with its reason"
    )
    fetch = add(
        "fetch",
        _fetch,
        "download a cohort's data, a local model's weights or the authors' rows, by checksum",
        "fetch mmlu_medical",
    )
    fetch.add_argument("name", help="a cohort, a model or benchmaxxing (the rows of the first paper)")
    cli_models.add_commands(add)
    recordings = add("recordings", None, "list, verify or merge recordings", "recordings verify")
    actions = recordings.add_subparsers(required=True, metavar="ACTION")
    cli_recordings.add_commands(_adder(actions))
    figures = add(
        "figures", _figures, "execute the notebooks over all recorded cohorts and models", "figures"
    )
    figures.add_argument(
        "--workers", type=cli_models.positive, default=2, help="notebooks at a time (default 2)"
    )
    notebooks = add("notebooks", _notebooks, "execute the committed notebooks in place", "notebooks --check")
    notebooks.add_argument(
        "--check", action="store_true", help="change nothing; fail where outputs are stale"
    )
    audited = add(
        "audit",
        _audit,
        "recompute every printed number of the papers from the authors' rows",
        "audit --artefacts ROWS --out verdicts.csv",
    )
    audited.add_argument("--artefacts", type=Path, help="folder of the rows (default: MEDAGENTS_ARTEFACTS)")
    audited.add_argument("--out", type=Path, default=None, help="CSV to write (default build/audit.csv)")
    audited.add_argument(
        "--unpinned", action="store_true", help="take rows whose checksum is another, such as edited ones"
    )
    audited.add_argument(
        "--refresh",
        action="store_true",
        help="write the committed tables of medagents/audit instead (goes with neither --out nor --unpinned)",
    )
    run = add(
        "run", _run, "execute one notebook with other parameters", "run 02_peer_cascade -p COHORT=medqa"
    )
    run.add_argument("notebook", help="its name, such as 02_peer_cascade")
    run.add_argument(
        "-p",
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of its first code cell, such as COHORT=medqa or N=10; may be given several times",
    )
    return top


def _answers(_: argparse.Namespace) -> None:
    from medagents.answers import read_jsonl

    # JSON is UTF-8 whatever the locale says. A byte that is not becomes an escape JSON does not know, so
    # that its line is named; half a character pair in an id goes out as the escape it came in as.
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    read_jsonl(sys.stdin, sys.stdout)


def _cohorts(options: argparse.Namespace) -> int:
    from medagents import cohorts

    if options.refused:
        for refusal in cohorts.refused(options.refused):
            print(f"{refusal.file}:{refusal.line}\t{refusal.id}\t{refusal.reason}")
        return 0
    rows = cohorts.status()
    if options.write_manifests:
        return _write_manifests([row.name for row in rows if row.state != "missing"])
    for row in rows:
        cases = "?" if row.eligible is None else str(row.eligible)
        print(f"{row.name:18} {row.state:8} {cases:>5} cases   {row.licence}")
        if row.next:
            print(f"{'':18} {row.next}")
    return int(any(row.state == "broken" for row in rows))


def _write_manifests(names: Sequence[str]) -> int:
    from medagents import cohorts

    status = 0
    for name in names:
        try:
            print(cohorts.write_manifest(name))
        except MedagentsError as error:
            print(f"medagents: {error}", file=sys.stderr)
            status = 1
    return status


def _fetch(options: argparse.Namespace) -> None:
    from medagents import cohorts, models
    from medagents.audit import fetch as artefacts
    from medagents.cohorts import fetch as data
    from medagents.models import weights

    if options.name == "benchmaxxing":
        print(*artefacts.fetch(), sep="\n")
    elif options.name in models.names():
        print(weights.fetch(options.name))
    elif options.name in cohorts.names():
        print(*data.fetch(options.name), sep="\n")
    else:
        known = ", ".join([*cohorts.names(), *models.names(), "benchmaxxing"])
        raise MedagentsError(f"unknown cohort or model {options.name!r}; known: {known}")


def _figures(options: argparse.Namespace) -> int:
    from medagents import sweep

    status = sweep.report(sweep.sweep(sweep.figure_jobs(), workers=options.workers))
    if not status:
        from medagents import figures

        figures.write_manifest()
    return status


def _notebooks(options: argparse.Namespace) -> int:
    from medagents import sweep

    if options.check:
        stale = sweep.stale_outputs()
        for name in stale:
            print(f"{name}: committed outputs are stale; run: make notebooks", file=sys.stderr)
        return int(bool(stale))
    return sweep.report(sweep.sweep(sweep.notebook_jobs()))


def _audit(options: argparse.Namespace) -> None:
    from medagents import paths
    from medagents.audit import derived, verdicts
    from medagents.audit.rows import Rows

    if options.refresh and (options.unpinned or options.out):
        raise MedagentsError("--refresh writes the committed tables from the pinned rows; leave out the rest")
    rows = Rows(options.artefacts, pinned=not options.unpinned)
    if options.refresh:
        print(*derived.refresh(rows), sep="\n")
        return
    table = verdicts.audit(rows)
    out = options.out or paths.BUILD / "audit.csv"
    verdicts.write(table, out)
    for verdict in verdicts.VERDICTS:
        print(f"{(table['verdict'] == verdict).sum():4} {verdict}")
    print(out)


def _run(options: argparse.Namespace) -> int:
    from medagents import notebook as notebooks
    from medagents import paths, sweep

    notebook = paths.NOTEBOOKS / f"{options.notebook.removesuffix('.ipynb')}.ipynb"
    if not notebook.exists():
        known = ", ".join(path.stem for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")))
        raise MedagentsError(f"no notebook {options.notebook!r}; known: {known}")
    pairs = [pair.partition("=") for pair in options.parameter]
    if any(not sign for _, sign, _ in pairs):
        raise MedagentsError("a parameter is NAME=VALUE, such as -p COHORT=medqa")
    values = notebooks.from_text(notebook, {name: value for name, _, value in pairs})
    words = "__".join([notebook.stem, *(str(value) for value in values.values())])
    output = paths.BUILD / "notebooks" / f"{words.replace('/', '-')}.ipynb"
    status = sweep.report(sweep.sweep([sweep.job_of(notebook, output, **values)]))
    if not status:
        print(output)
    return status
