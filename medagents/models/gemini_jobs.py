"""Batches at Gemini's service: submitted once, polled by name, fetched when done.

Each step notes beside the batch what it did, so that the next one can be another process's. A job that
is lost is found by its content, and a batch is not paid for twice.
"""

import hashlib
import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from medagents.keys import canonical_json
from medagents.models.gemini import GeminiModel
from medagents.models.gemini_batch import Place, slots_of
from medagents.types import MedagentsError

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.types import BatchJob

log = logging.getLogger(__name__)

DONE = frozenset({"JOB_STATE_SUCCEEDED", "JOB_STATE_PARTIALLY_SUCCEEDED"})
"""States of a job whose results are there."""

LOST: Mapping[str, str] = {
    "JOB_STATE_FAILED": "the service refused it as a whole: record one case live to see why",
    "JOB_STATE_CANCELLED": "it was cancelled: submit again",
    "JOB_STATE_EXPIRED": "it was not done in time: submit again, in smaller batches",
}
"""States of a job that is over without success -> what to do. Any other state goes on."""


@dataclass(frozen=True)
class Job:
    """A batch at the service. `file` names its results there, None as long as there are none."""

    name: str
    state: str
    file: str | None = None

    @property
    def waiting(self) -> bool:
        """Whether the job goes on. A state that is not known yet counts as such."""
        return not self.file and self.state not in DONE and self.state not in LOST


def submit(path: Path, model: GeminiModel) -> str:
    """Send a batch, unless it has been; returns the job's name.

    The job carries a name made of the file's content, by which one that was begun by a process that
    died before it could note it is found again: it is not paid for twice.

    Raises:
        MedagentsError: no such batch, one of another model, or the service refuses.
    """
    place = Place(path)
    if not path.exists():
        raise MedagentsError(f"{path}: no such batch; write it first")
    begun = _job(place)
    if begun and begun.state not in LOST:
        return begun.name
    request = next(slots_of(place)).request
    if (request["model"], request["engine"]["api_version"]) != (model.model, model.api_version):
        raise MedagentsError(
            f"{path}: written for {request['model']} ({request['engine']['api_version']}), "
            f"not {model.model} ({model.api_version})"
        )
    with path.open("rb") as stream:
        title = f"medagents-{hashlib.file_digest(stream, 'sha256').hexdigest()[:16]}"
    name = model.call(lambda client: _found(client, title)) or _send(path, title, model)
    _note(place, Job(name, "JOB_STATE_PENDING"))
    return name


def _found(client: "Client", title: str) -> str | None:
    for job in client.batches.list(config={"page_size": 100}):
        if job.display_name == title and _state(job) not in LOST:
            return job.name
    return None


def _send(path: Path, title: str, model: GeminiModel) -> str:
    sent = model.call(
        lambda client: client.files.upload(
            file=str(path), config={"mime_type": "application/jsonl", "display_name": title}
        )
    )

    def create(client: "Client") -> str:
        if name := _found(client, title):  # an attempt whose answer was lost may have begun it
            return name
        job = client.batches.create(model=model.model, src=str(sent.name), config={"display_name": title})
        return str(job.name)

    return model.call(create)


def poll(path: Path, model: GeminiModel) -> Job:
    """The job as it is now; noted beside the batch.

    Raises:
        MedagentsError: not submitted, or the job is over without results (what to do is said).
    """
    place = Place(path)
    begun = _job(place)
    if begun is None:
        raise MedagentsError(f"{path}: not submitted yet; submit it first")
    found = model.call(lambda client: client.batches.get(name=begun.name))
    job = Job(begun.name, _state(found), found.dest.file_name if found.dest else None)
    _note(place, job)
    if not job.waiting and not job.file:
        remedy = LOST.get(job.state, "it has no results: look it up in Google AI Studio")
        raise MedagentsError(f"{path}: job {job.name} is {job.state}; {remedy}")
    return job


def wait(
    path: Path, model: GeminiModel, every: float = 60.0, sleep: Callable[[float], object] = time.sleep
) -> Job:
    """Poll every so many seconds until the results are there. May be stopped and run again.

    Raises:
        MedagentsError: as `poll`.
    """
    while (job := poll(path, model)).waiting:
        log.info("%s: %s", job.name, job.state)
        sleep(every)
    return job


def fetch(path: Path, model: GeminiModel) -> Path:
    """Download the results beside the batch; returns their file.

    Raises:
        MedagentsError: as `poll`, or the job goes on.
    """
    place = Place(path)
    job = poll(path, model)
    if job.waiting or not job.file:
        raise MedagentsError(f"{path}: job {job.name} is {job.state}; wait for it")
    file, draft = job.file, place.results.with_suffix(".draft")
    model.call(lambda client: client.files.download(file=file, destination=str(draft)))
    draft.replace(place.results)
    return place.results


def _job(place: Place) -> Job | None:
    """The job as last noted, None if there is none."""
    if not place.job.exists():
        return None
    try:
        return Job(**json.loads(place.job.read_text(encoding="utf-8")))
    except (TypeError, ValueError) as error:
        raise MedagentsError(
            f"{place.job}: damaged ({error}); delete it and submit again, which finds the job by its content"
        ) from None


def _note(place: Place, job: Job) -> None:
    draft = place.job.with_suffix(".draft")
    draft.write_text(canonical_json(asdict(job)) + "\n", encoding="utf-8")
    draft.replace(place.job)


def _state(job: "BatchJob") -> str:
    return str(job.state.value) if job.state else "JOB_STATE_UNSPECIFIED"
