"""The texts after restructuring fixes (tests/fixtures/fixes) compile without a warning and compute what they did."""

import subprocess
from pathlib import Path

from support.fix_fixtures.fixture import case_name, cases, read
from support.restructured.equivalence import Changed, differing
from warplens.analysis.text.loop_places import find_places

CODES = ("interchange", "split", "local-sum", "privatise")


def _after(path: Path) -> Path:
    return path.with_name(f"{path.stem}.after.c")


def _functions(source: str) -> list[str]:
    """Definitions in source order; a place ends before the function's closing brace."""
    places = [place.whole for place in find_places(source).functions]
    return [source[place.start : source.index("}", place.end) + 1] for place in places]


def test_texts_after_compile_without_a_warning() -> None:
    paths = [str(_after(path)) for path in cases(*CODES, "restrict") if _after(path).exists()]
    assert len(paths) > 10
    command = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", *paths]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not ran.stderr, ran.stderr


def test_functions_after_compute_the_same(tmp_path: Path) -> None:
    """All of them in one program: their names differ."""
    sources: list[str] = []
    changed: list[Changed] = []
    for path in cases(*CODES):
        if _after(path).exists():
            source, after = read(path).source, _after(path).read_bytes().decode()
            pairs = zip(_functions(source), _functions(after), strict=True)
            sources.append(source)
            changed += [Changed(_name(old), case_name(path), new) for old, new in pairs if old != new]
    assert {one.label.rpartition("-")[0] for one in changed} == set(CODES)
    assert differing("\n".join(sources), changed, tmp_path) == []


def _name(function: str) -> str:
    return function.partition("(")[0].split()[-1].strip("*")
