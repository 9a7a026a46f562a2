"""A size that somebody said decides what follows from it."""

from __future__ import annotations

import pytest
from support.programs.linked import nests, report
from support.programs.sized_programs import sizes_of
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (SizeChoice("config.dim", 4096, "file"), {"dim": 4096, "heads": 32}),
        (SizeChoice("dim", 640, "file", "config"), {"dim": 640, "heads": 32}),
        (SizeChoice("total", 9000, "setting"), {"dim": 9000, "heads": 32}),
        (SizeChoice("k", 777, "file", "setup"), {"dim": 777, "heads": 32}),
    ],
)
def test_what_is_said_once_decides_what_follows_from_it(choice: SizeChoice, expected: dict[str, int]) -> None:
    files = {
        "setup.c": (
            "#include <stdio.h>\nstruct config { int dim, heads; };\nextern int total;\n"
            "void setup(struct config *c, int k) {\n    k = k + 0;\n    c->dim = k;\n    c->heads = 32;\n}\n"
            'void start(struct config *c) { scanf("%d", &total); setup(c, total); }\n'
        ),
        "use.c": (
            "struct config { int dim, heads; };\n"
            "void use(struct config *p, double *x) {\n    int dim = p->dim, heads = p->heads;\n"
            "    for (int i = 0; i < dim; i++)\n        for (int h = 0; h < heads; h++)\n"
            "            x[i * heads + h] = 0;\n}\n"
        ),
        "main.c": (
            "struct config { int dim, heads; };\nint total;\n"
            "void start(struct config *); void use(struct config *, double *);\n"
            "extern double x[];\nint main(void) { struct config c; start(&c); use(&c, x); }\n"
        ),
    }
    found = sizes_of(nests(report(files, "use.c", AnalysisOptions(sizes=(choice,))))["use"])
    assert {name.split("->")[-1]: value for name, (value, _) in found.items()} == expected
