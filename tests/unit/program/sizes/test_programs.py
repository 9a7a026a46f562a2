"""Which functions and values of a folder belong to a file's program."""

from __future__ import annotations

from support.programs.linked import nests, report
from support.programs.sized_programs import MAIN, NET, RUN, sizes_of, text_of


def test_what_the_main_of_another_program_sets_does_not_count() -> None:
    use = """struct net { int inputs, outputs, hidden; };
    struct net *init(int, int, int);
    int main(void) {
        extern double x[];
        struct net *n = init(SIZES);
        for (int i = 0; i < n->inputs; i++)
            x[i] = 1;
    }"""
    files = {"net.c": NET, "small.c": use.replace("SIZES", "20, 3, 1"), "large.c": use.replace("SIZES", "800, 60, 20")}
    for path, size in (("small.c", 20), ("large.c", 800)):
        assert sizes_of(nests(report(files, path))["main"]) == {"n->inputs": (size, "program")}


def test_a_static_name_is_that_of_its_file() -> None:
    files = {
        "a.c": "static int n = 100;\nvoid a(double *x) { for (int i = 0; i < n; i++) x[i] = 0; }\n",
        "b.c": "static int n = 200;\nstatic int m(void) { return 3000; }\n"
        "void b(double *x) { int k = m(); for (int i = 0; i < n + k; i++) x[i] = 0; }\n",
        "c.c": "int m(void) { return 7; }\n",
    }
    assert sizes_of(nests(report(files, "a.c"))["a"]) == {"n": (100, "program")}
    found = sizes_of(nests(report(files, "b.c"))["b"])
    assert found["n"] == (200, "program")
    assert {value for value, _ in found.values()} <= {200, 3000}


def test_of_two_definitions_none_answers() -> None:
    files = {
        "run.c": "int size(void);\nvoid run(double *x) { int n = size(); for (int i = 0; i < n; i++) x[i] = 0; }\n",
        "a.c": "int size(void) { return 50; }\n",
        "b.c": "int size(void) { return 60; }\n",
    }
    assert [origin for _, origin in sizes_of(nests(report(files, "run.c"))["run"]).values()] == ["default"]
    del files["b.c"]
    facts = nests(report(files, "run.c"))["run"].facts
    assert facts is not None
    assert [count.average.evaluate({}) for count in facts.trip_counts] == [50]


def test_definitions_that_agree_answer() -> None:
    files = {
        "run.c": "int size(void);\nvoid run(double *x) { int n = size(); for (int i = 0; i < n; i++) x[i] = 0; }\n",
        "a.c": "int size(void) { return 50; }\n",
        "b.c": "enum { SIZE = 50 }; int size(void) { return SIZE; }\n",
    }
    assert list(sizes_of(nests(report(files, "run.c"))["run"]).values()) == [(50, "program")]


def test_a_call_that_no_main_leads_to_does_not_count() -> None:
    files = {"run.c": RUN, "main.c": f"{MAIN.format('run(x, 500);')}void unused(void) {{ run(x, 70000); }}\n"}
    assert sizes_of(nests(report(files, "run.c"))["run"]) == {"n": (500, "program")}


def test_another_program_of_the_folder_does_not_count() -> None:
    """Two programs have their own set-up for structures of one type, and share a file."""
    header = "struct grid { int n; };\nvoid init(struct grid *); void step(struct grid *, double *);\n"
    setup = "void init(struct grid *g) {{ g->n = {}; }}\n"
    own = "void own(struct grid *g, double *x) { for (int i = 0; i < g->n; i++) x[i] = 0; }\n"
    main = "extern double x[];\nint main(void) { struct grid g; init(&g); own(&g, x); step(&g, x); }\n"
    files = {
        "step.c": f"{header}void step(struct grid *g, double *x) {{ for (int i = 0; i < g->n; i++) x[i] += 1; }}\n",
        "small/main.c": header
        + setup.format(100)
        + own.replace("own(", "own_small(")
        + main.replace("own(", "own_small("),
        "large/main.c": header + setup.format(5000) + own + main,
    }
    assert sizes_of(nests(report(files, "small/main.c"))["own_small"]) == {"g->n": (100, "program")}
    assert sizes_of(nests(report(files, "large/main.c"))["own"]) == {"g->n": (5000, "program")}
    shared = nests(report(files, "step.c"))["step"]
    assert sizes_of(shared)["g->n"][0] in {100, 5000}
    assert "elsewhere" in text_of(shared, "g->n")
