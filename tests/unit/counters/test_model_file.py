"""A model as a file: what is written is read again, and nothing else is."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.counters.predict import predict_time
from warplens.hwprofiles.counter_metrics import counter_vocabulary
from warplens.server.measure.counters import model_file
from warplens.server.measure.counters.model_file import ModelFileError, load_model, save_model
from warplens.server.measure.counters.study_json import study_json
from warplens.server.measure.counters.study_sections import heading, sections

pytestmark = pytest.mark.long

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def saved(tmp_path: Path, matmul: StudiedKernel) -> Path:
    path = tmp_path / "mm.counters"
    save_model(path, (matmul,))
    return path


def rewritten(path: Path, change: Change) -> Path:
    """With another content of its JSON."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    content = json.loads(entries["model.json"])
    change(content)
    entries["model.json"] = json.dumps(content).encode()
    return packed(path, entries)


def packed(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return path


def test_what_was_written_is_read_again(saved: Path, matmul: StudiedKernel) -> None:
    (found,) = load_model(saved)
    titles = counter_vocabulary().titles
    assert study_json(found) == study_json(matmul)
    assert sections(found, titles) == sections(matmul, titles)
    assert heading(found) == heading(matmul)
    assert found.measured == matmul.measured
    assert found.fit.model is not None
    assert matmul.fit.model is not None
    asked = {"n": 3000.0, "threads_per_block": 256.0}
    assert predict_time(found.fit.model, asked) == predict_time(matmul.fit.model, asked)


def test_a_fit_without_a_model_too(tmp_path: Path, matmul: StudiedKernel, noise_fit: KernelFit) -> None:
    path = tmp_path / "noise.counters"
    save_model(path, (replace(matmul, fit=noise_fit, profile=None),))
    (found,) = load_model(path)
    assert found.fit.model is None
    assert found.fit.noise == noise_fit.noise


@pytest.mark.cold_start
def test_reading_and_predicting_needs_no_library_of_the_fit(saved: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from warplens.server.measure.counters.model_file import load_model\n"
        "from warplens.analysis.counters.predict import predict_time\n"
        "(kernel,) = load_model(Path(sys.argv[1]))\n"
        "predict_time(kernel.fit.model, {'n': 3000.0, 'threads_per_block': 256.0})\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'sklearn', 'scipy', 'statsmodels', 'pymars',"
        " 'matplotlib', 'pandas'}))\n"
    )
    found = subprocess.run(
        [sys.executable, "-P", "-c", program, str(saved)], capture_output=True, text=True, check=True
    )
    assert found.stdout == "[]\n"


def set_version(content: dict[str, Any]) -> None:
    content["version"] = 99


def set_format(content: dict[str, Any]) -> None:
    content["format"] = "another"


def first_fit(content: dict[str, Any]) -> Any:
    return content["kernels"][0]["fit"]


def set_column(content: dict[str, Any]) -> None:
    first_fit(content)["groups"][0]["importance"]["column"] = 99


def set_asked(content: dict[str, Any]) -> None:
    first_fit(content)["groups"][0]["group"]["asked"] = "nothing"


def set_text_for_number(content: dict[str, Any]) -> None:
    first_fit(content)["noise"]["explained"] = "much"


def set_not_a_number(content: dict[str, Any]) -> None:
    first_fit(content)["noise"]["explained"] = float("nan")


def set_hinge(content: dict[str, Any]) -> None:
    first_fit(content)["model"]["chain"]["counters"][0]["terms"].append([1.0, [[7, 0.0, True]]])


def set_unknown_key(content: dict[str, Any]) -> None:
    first_fit(content)["surprise"] = 1


def drop_kernel(content: dict[str, Any]) -> None:
    del content["kernels"][0]["table"]


def set_array(content: dict[str, Any]) -> None:
    content["kernels"][0]["table"]["values"] = "../secret"


def set_shape(content: dict[str, Any]) -> None:
    content["kernels"][0]["table"]["metrics"].append("one_more")


def set_scales(content: dict[str, Any]) -> None:
    first_fit(content)["scales"].pop()


def set_loadings(content: dict[str, Any]) -> None:
    fit = first_fit(content)
    fit["components"]["loadings"] = fit["components"]["variance"]


def set_curve(content: dict[str, Any]) -> None:
    curve = next(group["curve"] for group in first_fit(content)["groups"] if group["curve"])
    curve["low"] = first_fit(content)["components"]["variance"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (set_version, "written by another version of Warplens .format 99, this one reads 2.: fit it again"),
        (set_format, "or only a part of one .it does not say that it is one"),
        (set_column, "column that does not exist"),
        (set_asked, "quantity that does not exist"),
        (set_text_for_number, "damaged"),
        (set_not_a_number, "damaged"),
        (set_hinge, "over a column that does not exist"),
        (set_unknown_key, "damaged"),
        (drop_kernel, "damaged"),
        (set_array, "damaged"),
        (set_shape, "a row for each run"),
        (set_scales, "scale for each"),
        (set_loadings, "components do not fit"),
        (set_curve, "curve"),
    ],
)
def test_a_model_that_contradicts_itself_is_refused(saved: Path, change: Change, why: str) -> None:
    with pytest.raises(ModelFileError, match=why) as error:
        load_model(rewritten(saved, change))
    assert str(error.value).startswith(str(saved))


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04" + bytes(60)])
def test_no_model_at_all(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.counters"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="not a model of counters"):
        load_model(path)


def test_a_file_that_ends_too_early(saved: Path) -> None:
    content = saved.read_bytes()
    for end in range(0, len(content), max(1, len(content) // 25)):
        saved.write_bytes(content[:end])
        with pytest.raises(ModelFileError):
            load_model(saved)


def test_a_changed_byte_is_found_or_changes_nothing_that_is_shown(saved: Path, matmul: StudiedKernel) -> None:
    content = saved.read_bytes()
    rng = np.random.default_rng(5)
    for at in rng.integers(0, len(content), 40):
        saved.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        try:
            (found,) = load_model(saved)
        except ModelFileError:
            continue
        assert study_json(found) == study_json(matmul)


class Bomb:
    """What a pickle would run."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("ran"),))


def test_nothing_in_an_array_is_run(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile(saved) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    objects = BytesIO()
    np.save(objects, np.array([Bomb()], dtype=object), allow_pickle=True)
    for content in (objects.getvalue(), pickle.dumps(Bomb())):
        path = packed(saved, entries | dict.fromkeys((name for name in entries if name.endswith(".npy")), content))
        with pytest.raises(ModelFileError):
            load_model(path)
    assert not Path("ran").exists()


def test_an_array_of_text_is_refused(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    texts = BytesIO()
    np.save(texts, np.array(["a", "b"]))
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(packed(saved, entries | {"a0.npy": texts.getvalue()}))


@pytest.mark.parametrize("limit", ["_MOST_UNPACKED", "_MOST_JSON"])
def test_what_unpacks_to_too_much_is_not_unpacked(saved: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(model_file, limit, 1 << 20)
    packed(saved, {"model.json": bytes(4 << 20)})
    with pytest.raises(ModelFileError, match="unpacks to more than"):
        load_model(saved)


def test_more_than_can_be_read_again_is_not_written(
    tmp_path: Path, matmul: StudiedKernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_file, "_MOST_JSON", 1 << 10)
    path = tmp_path / "mm.counters"
    with pytest.raises(ModelFileError, match="fit fewer kernels at once"):
        save_model(path, (matmul,))
    assert not path.exists()


def test_an_array_larger_than_its_entry_takes_no_memory(saved: Path) -> None:
    """A header may promise anything: numpy must not allocate it."""
    header = BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)})
    with zipfile.ZipFile(saved) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with pytest.raises(ModelFileError):
        load_model(packed(saved, entries | {"a0.npy": header.getvalue() + bytes(800)}))


def test_a_link_that_leads_out_of_the_folder_is_not_followed(saved: Path, tmp_path: Path) -> None:
    inside = tmp_path / "models"
    inside.mkdir()
    link = inside / "mm.counters"
    link.symlink_to(saved)
    with pytest.raises(ModelFileError, match="link that leads out of"):
        load_model(link, inside=inside)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="No such file"):
        load_model(tmp_path / "none.counters")
