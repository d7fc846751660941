"""Downloads, from a server on the loopback interface."""

import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from medagents.cohorts import Cohort, Selection
from medagents.cohorts.fetch import fetch, fetch_cohort
from medagents.cohorts.records import Source
from medagents.types import MedagentsError

CONTENT = b"Fetched?,a,b,c,d,A\n"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and the address it is served at."""
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that does not exist yet."""
    monkeypatch.setenv("MEDAGENTS_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def cohort_of(*sources: Source) -> Cohort:
    return Cohort("toy", sources, "ours", False, "by hand", "all", lambda folder: Selection((), ()))


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def tar_with(folder: Path, member: str, content: bytes = CONTENT) -> str:
    """Write data.tar and return its checksum."""
    with tarfile.open(folder / "data.tar", "w") as archive:
        info = tarfile.TarInfo(member)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return sha((folder / "data.tar").read_bytes())


def test_a_file_with_the_pinned_checksum_arrives_under_its_path(served: tuple[Path, str], data: Path) -> None:
    (served[0] / "dev.csv").write_bytes(CONTENT)
    source = Source("set/test.csv", sha(CONTENT), url=f"{served[1]}/dev.csv")
    assert fetch_cohort(cohort_of(source)) == (data / "set" / "test.csv",)
    assert (data / "set" / "test.csv").read_bytes() == CONTENT
    assert [file.name for file in data.rglob("*") if file.is_file()] == ["test.csv"]


def test_a_wrong_checksum_leaves_nothing_behind(served: tuple[Path, str], data: Path) -> None:
    (served[0] / "good.csv").write_bytes(CONTENT)
    (served[0] / "bad.csv").write_bytes(b"changed")
    good = Source("good.csv", sha(CONTENT), url=f"{served[1]}/good.csv")
    bad = Source("bad.csv", sha(CONTENT), url=f"{served[1]}/bad.csv")
    with pytest.raises(MedagentsError, match=r"bad\.csv.*nothing was kept") as error:
        fetch_cohort(cohort_of(good, bad))
    assert "\n" not in str(error.value)
    assert not data.exists()


def test_members_come_out_of_an_archive_that_is_downloaded_once(served: tuple[Path, str], data: Path) -> None:
    tar = tar_with(served[0], "data/test/anatomy_test.csv")
    url, member = f"{served[1]}/data.tar", "data/test/anatomy_test.csv"
    sources = [Source(path, sha(CONTENT), url, tar, member) for path in ("a.csv", "b.csv")]
    fetch_cohort(cohort_of(*sources))
    assert (data / "a.csv").read_bytes() == (data / "b.csv").read_bytes() == CONTENT


def wheel_with(file: Path, member: str, content: bytes = CONTENT) -> str:
    """Write a zip archive and return its checksum."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(member, content)
    return sha(file.read_bytes())


def test_a_member_comes_out_of_a_wheel(served: tuple[Path, str], data: Path) -> None:
    wheel = wheel_with(served[0] / "toy-1.0-py3-none-any.whl", "toy/data/x.tgz")
    url = f"{served[1]}/toy-1.0-py3-none-any.whl"
    fetch_cohort(cohort_of(Source("set/x.tgz", sha(CONTENT), url, wheel, "toy/data/x.tgz")))
    assert (data / "set" / "x.tgz").read_bytes() == CONTENT


@pytest.mark.parametrize("content", [CONTENT, b"changed"])
def test_an_archive_that_lies_beside_its_member_is_not_downloaded(data: Path, content: bytes) -> None:
    wheel = wheel_with(data / "set" / "toy.whl", "toy/x.tgz", content)
    source = Source("set/x.tgz", sha(CONTENT), "http://127.0.0.1:9/never/toy.whl", wheel, "toy/x.tgz")
    if content == CONTENT:
        assert fetch_cohort(cohort_of(source))[0].read_bytes() == CONTENT
    else:
        with pytest.raises(MedagentsError, match="SHA-256"):
            fetch_cohort(cohort_of(source))
        assert not (data / "set" / "x.tgz").exists()


def test_an_unreadable_archive_is_a_one_line_error(data: Path) -> None:
    (data / "set").mkdir(parents=True)
    (data / "set" / "toy.tgz").write_bytes(b"not an archive")
    source = Source("set/x.csv", sha(CONTENT), "http://127.0.0.1:9/never/toy.tgz", "0" * 64, "x.csv")
    with pytest.raises(MedagentsError, match=r"cannot read x\.csv") as error:
        fetch_cohort(cohort_of(source))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("member", "expected", "says"),
    [
        ("data/test/other.csv", sha(CONTENT), "cannot read data/test/other.csv"),
        ("data/test/x.csv", "0" * 64, "expected 0000000000000000"),
    ],
)
def test_a_missing_or_changed_member_leaves_nothing_behind(
    served: tuple[Path, str], data: Path, member: str, expected: str, says: str
) -> None:
    tar = tar_with(served[0], "data/test/x.csv")
    source = Source("x.csv", expected, f"{served[1]}/data.tar", tar, member)
    with pytest.raises(MedagentsError, match=says):
        fetch_cohort(cohort_of(source))
    assert not data.exists()


def test_a_file_already_there_is_kept_and_not_asked_for(data: Path) -> None:
    data.mkdir()
    (data / "test.csv").write_bytes(CONTENT)
    unreachable = Source("test.csv", sha(CONTENT), url="http://127.0.0.1:9/never")
    assert fetch_cohort(cohort_of(unreachable)) == (data / "test.csv",)


def test_another_file_in_its_place_is_never_overwritten(data: Path) -> None:
    data.mkdir()
    (data / "test.csv").write_bytes(b"mine")
    with pytest.raises(MedagentsError, match="replace the file"):
        fetch_cohort(cohort_of(Source("test.csv", sha(CONTENT), url="http://127.0.0.1:9/never")))
    assert (data / "test.csv").read_bytes() == b"mine"


def test_an_address_that_does_not_answer_is_a_one_line_error(served: tuple[Path, str], data: Path) -> None:
    with pytest.raises(MedagentsError, match="nothing was kept") as error:
        fetch_cohort(cohort_of(Source("x.csv", sha(CONTENT), url=f"{served[1]}/absent.csv")))
    assert "\n" not in str(error.value)
    assert not data.exists()


@pytest.mark.parametrize("name", ["medqa", "medmcqa"])
def test_an_origin_without_a_plain_address_is_explained_with_the_checksum(name: str, data: Path) -> None:
    with pytest.raises(MedagentsError, match=r"Google Drive.*expected SHA-256: \S+ [0-9a-f]{64}"):
        fetch(name)
    assert not data.exists()


def test_a_source_without_a_checksum_is_not_told_as_an_empty_one(data: Path) -> None:
    with pytest.raises(MedagentsError, match="cannot be downloaded by a script") as error:
        fetch_cohort(cohort_of(Source("held.csv.gz", "")))
    assert str(error.value).endswith(f"in {data}")
    with pytest.raises(MedagentsError, match=rf"expected SHA-256: other\.csv {sha(CONTENT)}$"):
        fetch_cohort(cohort_of(Source("held.csv.gz", ""), Source("other.csv", sha(CONTENT))))
