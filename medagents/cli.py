"""`python -m medagents`: one subcommand a task; each says what it needs in `--help`."""

import argparse
import io
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from medagents import cli_models
from medagents.types import MedagentsError

EXAMPLE = "example: "


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; a fault is one line on standard error and exit status 1."""
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # it would tell of every single call
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except MedagentsError as error:
        print(f"medagents: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("medagents: stopped; what was recorded is kept, the same command goes on", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="python -m medagents", description="Clinical committees, reproducibly."
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, run: object, help: str, example: str) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name, help=help, description=help, epilog=f"{EXAMPLE}python -m medagents {example}"
        )
        made.set_defaults(run=run)
        return made

    add(
        "answers",
        _answers,
        "read replies (JSON lines) on standard input, write what they say",
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
    recordings = add("recordings", _recordings, "verify, list or merge recordings", "recordings verify")
    recordings.add_argument("action", choices=["verify", "list", "merge"])
    recordings.add_argument("paths", nargs="*", type=Path, help="merge: source shards, then the target")
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
        "--refresh", action="store_true", help="write the committed tables of medagents/audit instead"
    )
    run = add(
        "run", _run, "execute one notebook with other parameters", "run 02_peer_cascade -p COHORT=medqa"
    )
    run.add_argument("notebook", help="its name, such as 02_peer_cascade")
    run.add_argument("-p", "--parameter", action="append", default=[], metavar="NAME=VALUE")
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
        for row in rows:
            if row.state != "missing":
                print(cohorts.write_manifest(row.name))
        return 0
    for row in rows:
        cases = "?" if row.eligible is None else str(row.eligible)
        print(f"{row.name:18} {row.state:8} {cases:>5} cases   {row.licence}")
        if row.next:
            print(f"{'':18} {row.next}")
    return int(any(row.state == "broken" for row in rows))


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


def _recordings(options: argparse.Namespace) -> int:
    from medagents import recordings, verify

    if options.action == "merge":
        if len(options.paths) < 2:
            raise MedagentsError(
                "merge needs source shards and a target; see: python -m medagents recordings --help"
            )
        *sources, target = options.paths
        print(f"{target}: {recordings.merge(sources, target)} records")
        return 0
    if options.paths:
        raise MedagentsError(f"{options.action} takes no paths: it looks at every shard")
    if options.action == "list":
        for cohort, model, experiment, path in recordings.shards():
            print(f"{cohort:18} {model:20} {experiment:18} {len(recordings.read_shard(path)[0]):6} records")
        return 0
    return verify.report()


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
