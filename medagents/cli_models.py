"""The commands that ask models, or the recordings in their place: record, refresh, replay and batch."""

import argparse
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from medagents.types import MedagentsError, Model, Transport

if TYPE_CHECKING:
    from medagents.models.gemini import GeminiModel
    from medagents.models.prices import Prices

EXPERIMENTS = (
    *("cue_sensitivity", "peer_cascade", "peer_rationale", "break_it", "referee_detection", "hidden_rubric"),
    *("transcript_review", "prompt_format", "engine_check"),
)
SITTINGS = ("catfish_benchmark", "medorch_benchmark", "committee_cascade")
"""Those of `medagents.experiments`, which takes pandas to import: of one model, and of a team."""

PROVIDER = ("concurrency", "rpm", "tpm", "timeout", "base_url", "max_cost")
"""Options that are of no use with a model on this machine."""

Add = Callable[..., argparse.ArgumentParser]


def positive(text: str) -> int:
    """A whole number from 1 on, as an option."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def amount(text: str) -> float:
    """A number above 0, as an option."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value


def add_commands(add: Add) -> None:
    """Add these commands to a command line; `add` takes name, function, help and example."""
    for mode, help in (
        ("record", "ask the model for every call that is not recorded (resumable), then write the rows"),
        ("refresh", "ask the model for every call anew and replace the recordings when all are done"),
        (
            "replay",
            "rebuild the rows from the recordings, without a model; needs the cohort's text, without which a "
            "notebook shows the committed rows",
        ),
    ):
        made = add(
            mode,
            _study,
            help,
            f"{mode} --experiment peer_cascade --cohort vignettes --model qwen2.5-coder-1.5b",
        )
        made.set_defaults(mode=mode, dry_run=False, prices=None, **dict.fromkeys(PROVIDER))
        _add_study(made, required=True)
        if mode != "replay":
            _add_provider(made)
    batch = add(
        "batch",
        _batch,
        "ask a Gemini model by its Batch API, at half the price and within a day: "
        "write the file, submit it, poll, import the replies (recheck asks some of them anew, live)",
        "batch write build/cascade.jsonl --experiment peer_cascade --cohort vignettes "
        "--model gemini-3.5-flash",
    )
    actions = ["write", "submit", "poll", "import", "recheck"]
    batch.add_argument("action", choices=actions, help="what to do, one after another")
    batch.add_argument("file", type=Path, help="the batch; what belongs to it is kept beside it")
    _add_study(batch, required=False)
    batch.add_argument("--wait", action="store_true", help="poll until the results are there")
    batch.add_argument("--base-url", metavar="URL", help="address of the service, if another than Google's")
    batch.add_argument("--prices", type=Path, metavar="FILE", help="own prices, as for record")


def _add_study(made: argparse.ArgumentParser, required: bool) -> None:
    made.add_argument(
        "--experiment",
        required=required,
        nargs="+",
        metavar="EXPERIMENT",
        help=f"one, or several in one pass over the cases: {', '.join(EXPERIMENTS)}; "
        f"or one of a team: {', '.join(SITTINGS)}",
    )
    made.add_argument("--cohort", required=required, help="a name that `python -m medagents cohorts` lists")
    made.add_argument(
        "--model",
        required=required,
        help="a name of the catalogue, the path of a GGUF file, gemini-... (with @ and a thinking level or "
        "budget, if not the least), or openai:NAME; or a team: a "
        "name of medagents/models/teams.py, or models joined by +, the leader first",
    )
    made.add_argument("--n", type=int, help="the first N cases only (rows are not written then)")
    made.add_argument(
        "--plant-rule",
        default="",
        metavar="RULE",
        help="which wrong option peers assert, if not by the cohort's own rule: balanced-wrong or from-file "
        "(medagents/plants.py); recordings and rows then have names of their own",
    )


def _add_provider(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--dry-run", action="store_true", help="say what would be asked and cost, and ask nothing"
    )
    group = made.add_argument_group("models of a provider or server")
    group.add_argument("--concurrency", type=positive, metavar="N", help="calls at a time (default 1)")
    group.add_argument("--rpm", type=positive, metavar="N", help="requests a minute (default: no limit)")
    group.add_argument("--tpm", type=positive, metavar="N", help="tokens a minute (default: no limit)")
    group.add_argument("--timeout", type=amount, metavar="SECONDS", help="for one attempt (default 120)")
    group.add_argument(
        "--base-url",
        metavar="URL",
        help="address of the server, such as http://localhost:8000/v1 (openai:NAME: else MEDAGENTS_BASE_URL)",
    )
    group.add_argument("--max-cost", type=amount, metavar="USD", help="stop before a call could pass it")
    group.add_argument(
        "--prices", type=Path, metavar="FILE", help="own prices: a CSV as medagents/models/prices.csv"
    )


def _model(options: argparse.Namespace, name: str | None = None) -> Model:
    """The model asked for, or another one, with the options of a provider.

    Raises:
        MedagentsError: an unknown model, or one on this machine with options of a provider.
    """
    from medagents import models
    from medagents.models.calls import Limits
    from medagents.models.local import LocalModel

    usual = Transport()
    transport = Transport(
        timeout=options.timeout or usual.timeout,
        concurrency=options.concurrency or usual.concurrency,
        base_url=options.base_url,
    )
    limits = Limits(options.rpm, options.tpm)
    model = models.get(name or options.model, transport=transport, limits=limits)
    given = [name for name in PROVIDER if getattr(options, name) is not None]
    if isinstance(model, LocalModel) and given:
        raise MedagentsError(
            f"{model.name} runs on this machine, one call at a time and for nothing: leave out "
            + ", ".join(f"--{name.replace('_', '-')}" for name in given)
        )
    return model


def _opened(options: argparse.Namespace, stack: ExitStack, name: str | None = None) -> Model:
    """The model asked for, or another one; what it holds open is closed with the stack."""
    model = _model(options, name)
    if isinstance(model, AbstractContextManager):
        stack.enter_context(model)
    return model


def _study(options: argparse.Namespace) -> None:
    from medagents import study
    from medagents.budget import Budget, Budgeted, BudgetReached
    from medagents.models.local import LocalModel
    from medagents.models.prices import Prices
    from medagents.models.teams import is_team
    from medagents.recorder import Mode

    if is_team(options.model) or set(SITTINGS) & set(options.experiment):
        _sittings(options)
        return
    prices = Prices(options.prices)
    if options.dry_run:
        print(_estimate(options, _model(options), prices))
        return
    budget, opened = Budget(options.max_cost, prices), ExitStack()
    model = _opened(options, opened)
    paid = options.mode != Mode.REPLAY and not isinstance(model, LocalModel)
    chosen = Budgeted(model, budget) if paid else model
    try:
        done = study.record_together(
            options.experiment,
            options.cohort,
            chosen,
            Mode(options.mode),
            options.n,
            plant_rule=options.plant_rule,
        )
    except BaseException as error:
        if budget.calls and not isinstance(error, BudgetReached):  # which says so itself
            print(f"medagents: {budget}", file=sys.stderr)
        raise
    finally:
        opened.close()
    for experiment, found in done.items():
        print(f"{experiment}: {len(found.rows)} rows")
    print(budget if paid else f"{next(iter(done.values())).calls} calls made")


def _sittings(options: argparse.Namespace) -> None:
    """A committee experiment, whose models share one budget.

    Raises:
        MedagentsError: several experiments, an experiment of one model, or one model for a team.
    """
    from medagents import sittings
    from medagents.budget import Budget, Budgeted
    from medagents.models.local import LocalModel
    from medagents.models.prices import Prices
    from medagents.models.teams import folder_name
    from medagents.recorder import Mode

    if len(options.experiment) > 1 or options.experiment[0] not in SITTINGS:
        raise MedagentsError(f"a team takes one experiment of {', '.join(SITTINGS)} at a time")
    if options.plant_rule:
        raise MedagentsError("a team takes no --plant-rule: its peers assert what the cohort's own rule says")
    prices = Prices(options.prices)
    budget = Budget(options.max_cost, prices)
    [experiment], team, mode = options.experiment, folder_name(options.model), Mode(options.mode)
    if options.dry_run:
        print(_estimate_team(options, experiment, team, prices))
        return
    with ExitStack() as opened:

        def make(name: str) -> Model:
            model = _opened(options, opened, name)
            free = mode is Mode.REPLAY or isinstance(model, LocalModel)
            return model if free else Budgeted(model, budget)

        found = sittings.record(experiment, options.cohort, team, mode, options.n, make=make)
    print(f"{experiment}: {len(found.turns)} turns")
    print(budget if budget.calls else f"{found.calls} calls made")


def _estimate(options: argparse.Namespace, model: Model, prices: "Prices") -> str:
    from medagents import study
    from medagents.dry_run import estimate
    from medagents.recorder import Mode
    from medagents.recordings import Store

    sizes, cases = study.together(options.experiment, options.cohort, model.name, options.n)
    return estimate(
        lambda recorder: study.run_together(sizes, cases, recorder, options.cohort, options.plant_rule),
        [study.engine(model, options.experiment[0])],
        Store(),
        study.publishable(options.cohort),
        Mode(options.mode),
        prices,
    ).text()


def _estimate_team(options: argparse.Namespace, experiment: str, team: str, prices: "Prices") -> str:
    from medagents import sittings, study
    from medagents.dry_run import estimate
    from medagents.models.teams import roster
    from medagents.recorder import Mode
    from medagents.recordings import Store

    cases, names = sittings.recorded_cases(experiment, options.cohort, options.n), roster(team).models
    return estimate(
        lambda *recorders: sittings.run(
            experiment, cases, team, dict(zip(names, recorders, strict=True)), options.cohort
        ),
        [_model(options, name) for name in names],
        Store(),
        study.publishable(options.cohort),
        Mode(options.mode),
        prices,
    ).text()


def _batch(options: argparse.Namespace) -> int:
    from medagents.models import gemini_batch, gemini_jobs

    if options.action == "write":
        return _write_batch(options)
    written = next(gemini_batch.slots_of(gemini_batch.Place(options.file)))
    with _gemini(written.request["model"], options.base_url) as model:
        if options.action == "submit":
            print(gemini_jobs.submit(options.file, model))
        elif options.action == "poll":
            job = (gemini_jobs.wait if options.wait else gemini_jobs.poll)(options.file, model)
            print(f"{job.name}: {job.state}")
            if not job.waiting:
                print(gemini_jobs.fetch(options.file, model))
        elif options.action == "recheck":
            compared = gemini_batch.recheck(options.file, model)
            print(f"{sum(one.same for one in compared)} of {len(compared)} asked anew say the same")
        else:
            return _import_batch(options.file, written.slot.cohort)
    return 0


def _gemini(name: str, base_url: str | None) -> "GeminiModel":
    from medagents import models
    from medagents.models.gemini import GeminiModel

    model = models.get(name, transport=Transport(base_url=base_url))
    if not isinstance(model, GeminiModel):
        raise MedagentsError(f"{model.name} has no batches here; give a model of the Gemini API (gemini-...)")
    return model


def _write_batch(options: argparse.Namespace) -> int:
    from medagents import study
    from medagents.keys import canonical, key_of
    from medagents.models import gemini_batch
    from medagents.models.prices import Prices
    from medagents.pending import pending
    from medagents.recordings import Store

    if not (options.experiment and options.cohort and options.model):
        raise MedagentsError("batch write needs --experiment, --cohort and --model")
    model, prices = _gemini(options.model, options.base_url), Prices(options.prices)
    sizes, cases = study.together(options.experiment, options.cohort, model.name, options.n)
    asked = pending(
        lambda recorder: study.run_together(sizes, cases, recorder, options.cohort, options.plant_rule),
        model,
        Store(),
        study.publishable(options.cohort),
    )
    count = gemini_batch.write(asked, options.file)
    each = {key_of(canonical(request)): request for _, request in asked}.values()
    price = prices.find(asked[0][1])
    most = f"at most {price.batch * sum(map(price.most, each)):.4f} USD" if price else "price not known"
    print(f"{options.file}: {count} requests, {most}")
    return 0


def _import_batch(file: Path, cohort: str) -> int:
    from medagents import study, sums
    from medagents.models import gemini_batch
    from medagents.recordings import Store

    store = Store()
    done = gemini_batch.import_results(file, store, study.publishable(cohort))
    sums.after_run(store.written, ())  # the rest of the run lists what is new
    lost = f"{len(done.failed)} failed, {len(done.missing)} missing"
    print(f"{done.stored} stored, {done.held} stored before, {lost}")
    for key, reason in done.failed.items():
        print(f"{key[:12]}: {reason}", file=sys.stderr)
    return int(bool(done.failed or done.missing))
