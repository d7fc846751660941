"""The image of a case, as it lies in the data folder: the bytes go to a provider untouched."""

from medagents.cohorts.records import MissingData, data_folder
from medagents.types import Case, Image, MedagentsError

MIMES = {".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png"}
"""File ending -> mime type."""


def images_of(case: Case) -> tuple[Image, ...]:
    """The image that `case.meta["image"]` names, below the data folder; none for a case of text.

    Raises:
        MissingData: there is no such file.
        MedagentsError: another kind of file than `MIMES`.
    """
    name = case.meta.get("image")
    if not name:
        return ()
    file = data_folder() / str(name)
    if file.suffix.lower() not in MIMES:
        raise MedagentsError(f"case {case.id}: {file.name} is none of {', '.join(MIMES)}")
    if not file.is_file():
        raise MissingData(f"case {case.id}: {file} is missing; put the data set's images there")
    return (Image(file.read_bytes(), MIMES[file.suffix.lower()]),)
