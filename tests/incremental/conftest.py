"""What the tests of incremental analysis share: a file with one header, and a comparison that misses nothing."""

import subprocess
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from pathlib import Path

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Recomputed, Report
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.text.line_markers import without_line_directives
from warplens.analysis.text.macro_definitions import without_macro_directives, words
from warplens.hwprofiles.loader import load_cpu, load_gpu

AnswerOf = Callable[..., Report]
Difference = Callable[[object, object], str]


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("long")


@pytest.fixture(scope="module", autouse=True)
def one_launch(few_launches_in_module: None) -> None:
    """A search is kept and done again as a whole: among one launch or thousands."""


@pytest.fixture(scope="session")
def answer_of(tmp_path_factory: pytest.TempPathFactory) -> AnswerOf:
    """`answer_of(source, header, memo, options) -> Report`, where `header` is what `shared.h` holds.

    The report says nothing of the work it took, so that it can be compared.
    """
    folders: dict[str, Path] = {}
    gpu, cpu = load_gpu("a100"), load_cpu("server")

    @lru_cache(maxsize=256)
    def preprocessed(source: str, header: str) -> Preprocessed:
        folder = folders.get(header)
        if folder is None:
            folder = folders[header] = tmp_path_factory.mktemp("include")
            (folder / "shared.h").write_text(header)
        written = without_line_directives(source)
        command = ["cc", "-E", "-dD", "-x", "c", "-std=gnu11", "-fopenmp", "-w", "-I", str(folder), "-"]
        run = subprocess.run(command, input=f'# 1 "main.c"\n{written}', capture_output=True, text=True, check=False)
        text, macros = without_macro_directives(run.stdout.replace(f"{folder}/", ""), "main.c", words(written))
        return Preprocessed(text, "main.c", macros=macros)

    def answer(
        source: str, header: str = "", memo: Memo | None = None, options: AnalysisOptions | None = None
    ) -> Report:
        report = analyse(
            source,
            preprocessed(source, header),
            gpu,
            cpu,
            options or AnalysisOptions(),
            Memo() if memo is None else memo,
        )
        return replace(report, recomputed=Recomputed(0, 0, 0))

    return answer


def _first_difference(left: object, right: object, path: str = "report") -> str:
    if left is right:
        return ""
    if type(left) is not type(right):
        return f"{path}: {left!r} is not {right!r}"
    parts: list[tuple[str, object, object]] = []
    if is_dataclass(left):
        parts = [(f".{f.name}", getattr(left, f.name), getattr(right, f.name)) for f in fields(left)]
    elif isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        parts = [(f"[{n}]", *both) for n, both in enumerate(zip(left, right, strict=True))]
    elif left != right or (isinstance(left, float) and repr(left) != repr(right)):
        return f"{path}: {left!r} is not {right!r}"
    found = (_first_difference(one, other, f"{path}{name}") for name, one, other in parts)
    return next((difference for difference in found if difference), "")


@pytest.fixture(scope="session")
def first_difference() -> Difference:
    """`first_difference(left, right)`: where two values differ, types too (1, 1.0; 0.0, -0.0); empty when nowhere."""
    return _first_difference
