"""Which measured kernels stand beside a nest, and from which files."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.frontend.comments.warplens_comments import KernelDirective
from warplens.analysis.text.span import Span
from warplens.server.measure.counters.kernel_links import counters_for, linked_kernels, unknown_kernels
from warplens.server.measure.counters.linked_kernel import LinkedKernel
from warplens.server.measure.counters.model_file import save_model

pytestmark = pytest.mark.long

MM = LinkedKernel("mm", "K20", "k20", "name", 9, (), "", None, "", is_noise=False, mape_inside=None)
FAST = replace(MM, gpu="H100")
SUM = replace(MM, kernel="sum_kernel")


@pytest.mark.parametrize(
    ("said", "names", "found"),
    [
        ("", ("mm", "mm_kernel"), [("mm", "K20", "name"), ("mm", "H100", "name")]),
        ("", ("sum", "sum_kernel"), [("sum_kernel", "K20", "name")]),
        ("sum_kernel", ("mm",), [("sum_kernel", "K20", "comment")]),
        ("nothing", ("mm",), []),
        ("", ("MM",), []),
    ],
)
def test_a_comment_before_names(said: str, names: tuple[str, ...], found: list[tuple[str, str, str]]) -> None:
    linked = linked_kernels((MM, FAST, SUM, replace(MM, runs=1)), said, names)
    assert [(one.kernel, one.gpu, one.by) for one in linked] == found


@pytest.fixture
def folder(tmp_path: Path, matmul: StudiedKernel) -> Path:
    models = tmp_path / "project" / ".warplens" / "counters"
    models.mkdir(parents=True)
    save_model(models / "mm.counters", (matmul,))
    (models / "notes.txt").write_text("no model")
    return tmp_path / "project"


def names_for(path: Path, *roots: Path) -> list[str]:
    kernels, problems = counters_for(path, roots)
    assert problems == ()
    return [kernel.kernel for kernel in kernels]


def test_the_nearest_folder_upward_inside_the_root(folder: Path) -> None:
    assert names_for(folder / "f.c", folder) == ["matmul"]
    assert names_for(folder / "src" / "deep" / "f.c", folder) == ["matmul"]
    assert names_for(folder / "src" / "f.c", folder / "src") == []
    assert names_for(folder.parent / "f.c", folder) == []


def test_what_is_shown_of_a_model(folder: Path, matmul: StudiedKernel) -> None:
    ((kernel,), _) = counters_for(folder / "f.c", [folder])
    assert (kernel.kernel, kernel.gpu, kernel.profile, kernel.runs) == ("matmul", "Tesla K20c", "k20", 32)
    assert [dict(one.problem)["n"] for one in kernel.measured] == [256, 1024, 1792, 2560, 3328, 4096]
    assert {one.block for one in kernel.measured} == {(16, 16, 1)}  # the faster of the two
    assert (kernel.bottleneck, kernel.rule) == (matmul.bottlenecks[0].title, "WL201")


def test_a_model_that_was_written_again_is_read_again(folder: Path, matmul: StudiedKernel) -> None:
    path = folder / ".warplens" / "counters" / "mm.counters"
    assert names_for(folder / "f.c", folder) == ["matmul"]
    save_model(path, (replace(matmul, fit=replace(matmul.fit, kernel="renamed")),))
    os.utime(path, ns=(1, 1))
    assert names_for(folder / "f.c", folder) == ["renamed"]


def test_models_that_can_not_be_read_are_said_and_the_others_shown(folder: Path) -> None:
    models = folder / ".warplens" / "counters"
    shutil.copy(models / "mm.counters", folder.parent / "outside.counters")
    (models / "a_link.counters").symlink_to(folder.parent / "outside.counters")
    (models / "a_folder.counters").mkdir()
    (models / "damaged.counters").write_bytes(b"PK")
    os.mkfifo(models / "pipe.counters")
    kernels, problems = counters_for(folder / "f.c", [folder])
    assert [kernel.kernel for kernel in kernels] == ["matmul"]
    assert sorted(Path(problem.path).name for problem in problems) == [
        "a_folder.counters", "a_link.counters", "damaged.counters", "pipe.counters",
    ]  # fmt: skip
    assert all(problem.message.startswith("not read: ") for problem in problems)


def test_of_models_of_one_kernel_the_newest_counts(folder: Path, matmul: StudiedKernel) -> None:
    models = folder / ".warplens" / "counters"
    save_model(models / "again.counters", (matmul,))
    os.utime(models / "again.counters", ns=(0, 0))
    for name, newest in (("mm.counters", 1), ("again.counters", 2), ("mm.counters", 3)):
        os.utime(models / name, ns=(newest, newest))
        kernels, _ = counters_for(folder / "f.c", [folder])
        (linked,) = linked_kernels(kernels, "", ("matmul",))
        assert linked.model == name


def test_a_comment_that_names_no_kernel_is_noted() -> None:
    said = [KernelDirective(name, Span(5, 9)) for name in ("mm", "sum_kernl")]
    (problem,) = unknown_kernels((MM, SUM), said)
    assert problem.message == "no model in .warplens/counters has a kernel `sum_kernl`: did you mean `sum_kernel`?"
    assert (problem.span, problem.severity) == (Span(5, 9), "note")
    assert unknown_kernels((), said) == ()


def test_of_many_models_some_are_read(folder: Path) -> None:
    models = folder / ".warplens" / "counters"
    for number in range(40):
        shutil.copy(models / "mm.counters", models / f"m{number:02}.counters")
    kernels, (problem,) = counters_for(folder / "f.c", [folder])
    assert len(kernels) == 32
    assert "only 32 of its 41 models are read" in problem.message
