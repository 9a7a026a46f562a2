"""Functions of a program's headers give sizes as those of its files do; what they say is placed in the header."""

import pytest
from support.programs.linked import nests
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import NestReport, Report
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.program.indexed_file import indexed, linked
from warplens.analysis.program.program import Program
from warplens.analysis.program.sizes.file_sizes import FileLines, FileSizes
from warplens.analysis.program.sizes.read_sizes import read_sizes
from warplens.hwprofiles.loader import load_cpu, load_gpu

HEADER = """static inline int
side(int n)
{
    return n * 2;
}
static inline void scale(double *x, int n) {
    for (int i = 0; i < n; i++) x[i] *= 2.0;
}
static inline int unused(void) { return 7; }
"""
MAIN = (
    "double x[1 << 20];\nint main(void) { int n = side(2048); for (int i = 0; i < n; i++) x[i] = 0; scale(x, 600); }\n"
)


def including(name: str, text: str, header: str, path: str, flags: str = "", before: str = "") -> Preprocessed:
    """A file whose line 1 (`before`) stands before, whose others behind an `#include`."""
    entered = f'# 1 "{path}" 1{flags}\n{header}# {2 if before else 1} "{name}" 2\n'
    return Preprocessed(f'# 1 "{name}"\n{before}{entered}{text}', name)


def report(text: str, preprocessed: Preprocessed, program: Program | None = None, memo: Memo | None = None) -> Report:
    machines = load_gpu("a100"), load_cpu("server")
    return analyse(text, preprocessed, *machines, AnalysisOptions(), memo or Memo(), program=program)


def sizes(nest: NestReport) -> dict[str, int]:
    assert nest.evaluation is not None
    guessed = {a.subject for a in nest.evaluation.assumptions if a.origin == "default"}
    return {name: value for name, value in nest.evaluation.sizes if name not in guessed}


def read(preprocessed: Preprocessed, text: str = MAIN, memo: Memo | None = None) -> tuple[FileSizes, FileLines]:
    return read_sizes(text, preprocessed, memo or Memo())


GRID = """typedef struct { int n; double *x; } grid;
static inline void
prepare(grid *g, int n)
{
    g->n = n * 2;
}
"""
USES_GRID = (
    "grid g;\nvoid run(grid *g) { for (int i = 0; i < g->n; i++) g->x[i] = 0; }\n"
    "int main(void) { prepare(&g, 2048); run(&g); }\n"
)


@pytest.mark.parametrize("before", ["", "int first;\n"])
def test_a_size_follows_from_a_function_of_a_header(before: str) -> None:
    found = report(before + USES_GRID, including("/w/src/a.c", USES_GRID, GRID, "../inc/grid.h", before=before))
    nest = nests(found)["run"]
    assert sizes(nest) == {"g->n": 4096}
    (sources,) = (sources for name, sources in nest.size_sources if name == "g->n")
    assert ("/w/inc/grid.h", 5, "g->n = n * 2") in {(one.path, one.line, one.text) for one in sources}


def test_without_a_call_nothing_follows() -> None:
    text = USES_GRID.replace("prepare(&g, 2048);", "")
    assert sizes(nests(report(text, including("/w/a.c", text, GRID, "/w/grid.h")))["run"]) == {}


@pytest.mark.parametrize("before", ["", "int first;\n"])
def test_only_what_is_called_is_read_and_belongs_to_the_file(before: str) -> None:
    found, lines = read(including("/w/a.c", MAIN, HEADER, "/w/size.h", before=before), before + MAIN)
    assert {one.name: one.header for one in found.functions} == {"main": "", "side": "/w/size.h", "scale": "/w/size.h"}
    assert all(one.is_static for one in found.functions if one.header)
    assert {"side", "scale"} <= found.statics
    assert dict(lines.functions) == {"main": 3 if before else 2, "side": 1, "scale": 6}
    assert dict(lines.headers) == {"side": "/w/size.h", "scale": "/w/size.h"}


def test_what_a_function_of_a_header_calls_there_is_read_too() -> None:
    header = GRID + "static inline void begin(grid *g) { prepare(g, 8); }\n"
    text = USES_GRID.replace("prepare(&g, 2048)", "begin(&g)")
    preprocessed = including("/w/a.c", text, header, "/w/grid.h")
    assert [one.name for one in read(preprocessed, text)[0].functions] == ["run", "main", "begin", "prepare"]
    assert sizes(nests(report(text, preprocessed))["run"]) == {"g->n": 16}


def test_functions_of_the_system_s_headers_are_not_read() -> None:
    found, lines = read(including("/w/a.c", MAIN, HEADER, "/usr/include/size.h", flags=" 3 4"))
    assert [one.name for one in found.functions] == ["main"]
    assert not lines.headers


def test_each_is_read_once_wherever_the_file_is_edited() -> None:
    memo = Memo()
    first = read(including("/w/a.c", MAIN, HEADER, "/w/size.h"), memo=memo)[0]
    edited = "\n\n" + MAIN.replace("x[i] = 0", "x[i] = 1")
    again = read(including("/w/a.c", edited, "int more;\n" + HEADER, "/w/size.h"), edited, memo)
    assert again[0].functions[1:] == first.functions[1:]
    assert all(one is other for one, other in zip(again[0].functions[1:], first.functions[1:], strict=True))
    assert dict(again[1].functions)["side"] == 2


def test_a_header_s_loops_have_the_sizes_of_all_calls_in_all_files() -> None:
    other = "double y[1 << 20];\nvoid more(void) { scale(y, 90000); }\n"
    files = [
        indexed(text, including(name, text, HEADER, "size.h"), Memo())
        for name, text in (("/w/a.c", MAIN.replace("main", "start")), ("/w/b.c", other))
    ]
    alone = Preprocessed(HEADER, "/w/size.h")
    nest = nests(report(HEADER, alone, linked(files)))["scale"]
    assert sizes(nest) == {"n": 90000}
    one = nests(report(HEADER, alone, linked(files[:1])))["scale"]
    assert sizes(one) == {"n": 600}


def test_functions_of_the_same_name_in_two_headers_are_two() -> None:
    own = including("/w/a.c", USES_GRID, GRID, "/w/grid.h")
    other = GRID.replace("g->n", "g->m").replace("int n;", "int n, m;").replace("grid", "row")
    uses = "row r;\nvoid other(void) { prepare(&r, 70); }\n"
    files = [
        indexed(USES_GRID, own, Memo()),
        indexed(uses, including("/w/b.c", uses, other, "/w/row.h"), Memo()),
    ]
    assert sizes(nests(report(USES_GRID, own, linked(files)))["run"]) == {"g->n": 4096}


def test_a_function_that_is_no_c_costs_only_itself() -> None:
    broken = "static inline int side(int n) { return ] n; }\n" + HEADER.partition("}\n")[2]
    found, _ = read(including("/w/a.c", MAIN, broken, "/w/size.h"))
    assert "scale" in [one.name for one in found.functions]
