"""What keeps the survey honest: directives are not seen, places are those of the file, a hang costs one task."""

import os
import time
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

from accuracy.real_c.places import Places
from accuracy.real_c.unmarked import without_pragmas
from accuracy.real_c.workers import run
from support.c_nests.parsed import only_nest
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.nest import LoopNest, loops_of
from warplens.analysis.text.macro_definitions import MacroDirective

_LOOPS = """void f(int n, float a[64][64]) {{
{0}
 for (int i = 1; i < n; i++) {{
  if (n > 3) {{
{0}
   for (int j = 0; j < n; j++) a[i][j] = a[i - 1][j];
  }}
 }}
}}"""


def _nest(directive: str) -> LoopNest:
    source = _LOOPS.format(directive)
    return only_nest(source)


def test_a_loop_is_judged_as_if_nobody_had_marked_it() -> None:
    marked = _nest("#pragma omp parallel for")
    assert [len(loop.pragmas) for loop in loops_of(marked)] == [1, 1]
    assert _renumbered(replace(marked, root=without_pragmas(marked.root)), {}) == _renumbered(_nest(""), {})


def _renumbered(part: object, numbers: dict[object, int]) -> object:
    """All values of a part, with ids of nodes counted anew: a directive takes one too."""
    if isinstance(part, tuple):
        return tuple(_renumbered(each, numbers) for each in part)
    if not is_dataclass(part):
        return part
    values = [(each.name, getattr(part, each.name)) for each in fields(part)]
    return type(part).__name__, tuple(
        (
            name,
            numbers.setdefault(value, len(numbers)) if name in {"id", "declared_in"} else _renumbered(value, numbers),
        )
        for name, value in values
    )


def test_places_know_the_users_file_and_others() -> None:
    source = 'int a;\n\nvoid f(void) {\n#include "body.h"\n}\n'
    text = '# 1 "/p/x/a.c"\nint a;\n\nvoid f(void) {\n# 1 "/p/x/body.h" 1\n;\nfor (;;) ;\n# 5 "/p/x/a.c" 2\n}\n'
    places = Places("x/a.c", Path("/p"), source, Preprocessed(text, "/p/x/a.c"))
    assert places.lines == 6
    assert places.at(source.index("void")) == "x/a.c:3"
    assert places.origin(text.index("void")) == "x/a.c:3"
    assert places.origin(text.index("for")) == "x/body.h:2"
    assert places.origin(text.rindex("}")) == "x/a.c:5"


def test_a_loop_in_a_macro_is_written_where_the_macro_is_defined() -> None:
    source = '#include "m.h"\nvoid f(int n, int *a) {\n  EACH(i,\n       n) a[i] = 1;\n  for (;;) ;\n}\n'
    text = (
        '# 1 "/p/x/a.c"\n\nvoid f(int n, int *a) {\n# 4 "/p/x/a.c"\n#pragma omp for\n# 4 "/p/x/a.c"\n'
        " for (int i = 0; i < n; i++) a[i] = 1;\n  for (;;) ;\n}\n"
    )
    macros = (MacroDirective("EACH", 0, "/p/x/m.h", 7, is_definition=True),)
    places = Places("x/a.c", Path("/p"), source, Preprocessed(text, "/p/x/a.c", macros=macros))
    assert places.written(text.index("for (int")) == "x/m.h:7"
    assert places.written(text.index("for (;;)")) == ""


def test_a_task_that_hangs_is_ended_and_the_others_go_on() -> None:
    results = dict(run([600.0, 0.0, 0.001], time.sleep, 2, 6.0))
    assert results == {600.0: "not done in 6 s", 0.0: None, 0.001: None}


def test_a_process_that_dies_costs_its_task_only() -> None:
    assert dict(run([3, 4], os._exit, 1, 60.0)) == {3: "the process died", 4: "the process died"}
