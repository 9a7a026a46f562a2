"""Front-end tests preprocess with the system's compiler, as the server does, where there is anything to preprocess."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support.compiler_output import compiler_output, plain_text
from support.nest_invariants import violations
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.dump import dump
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.text.line_markers import without_line_directives

Parse = Callable[..., TranslationUnit]
Nests = Callable[[str], list[LoopNest]]


@pytest.fixture
def parse(tmp_path: Path) -> Parse:
    """`parse(source, memo)`; every nest is held against the invariants."""

    def preprocessed(source: str) -> Preprocessed:
        if plain_text(source) is not None:
            return compiler_output("unit.c", source)
        file = tmp_path / "unit.c"
        file.write_bytes(without_line_directives(source).encode())
        command = ["cc", "-E", "-std=gnu11", "-w", "unit.c"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        return Preprocessed(done.stdout.decode("utf-8", "replace"), "unit.c")

    def run(source: str, memo: Memo | None = None) -> TranslationUnit:
        unit = parse_unit(source, preprocessed(source), memo or Memo())
        for function in unit.functions:
            for lowered in function.nests:
                assert violations(lowered.nest) == (), dump(lowered.nest)
        return unit

    return run


@pytest.fixture
def nests(parse: Parse) -> Nests:
    """All nests of a source."""
    return lambda source: [n.nest for f in parse(source).functions for n in f.nests]


@pytest.fixture
def lines(nests: Nests) -> Callable[[str], list[str]]:
    """Dumped statements of the only nest of `void f(PARAMETERS) { BODY }`, objects left out."""

    def run(body: str) -> list[str]:
        prelude = (
            "#include <math.h>\ntypedef struct { float x, y; double v[4]; } point;\n"
            "struct grid { int nx, ny; double *data; };\n"
            "struct owner { int count; struct item { double value, x, y; } items[5]; };\n"
            "point load(int); double *where(int);\n"
        )
        parameters = (
            "int n, int m, double *a, const double *restrict b, double c[n][m], point *p, struct grid *g, int *idx,"
            "struct owner *o"
        )
        found = nests(f"{prelude}void g0(int);\nvoid f({parameters}) {{ {body} }}")
        assert len(found) == 1
        return [line.strip() for line in dump(found[0]).splitlines() if line.lstrip()[:1].isdigit()]

    return run
