"""Sizes that one call or one statement sets stay together; of several calls one is taken, and the others are said."""

from __future__ import annotations

from support.programs.linked import nests, report
from support.programs.sized_programs import MAIN, NET, RUN, sizes_of, text_of
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice


def test_of_several_calls_the_heaviest_is_taken_and_the_others_said() -> None:
    calls = "run(x, 256); run(x, 32000); run(x, 32000);"
    nest = nests(report({"run.c": RUN, "main.c": MAIN.format(calls)}, "run.c"))["run"]
    assert sizes_of(nest) == {"n": (32000, "program")}
    assert "2 of 3 calls" in text_of(nest, "n")
    assert "256" in text_of(nest, "n")


USES = """struct net; struct net *init(int, int, int);
int main(void) { struct net *a = init(2, 3, 1000), *b;
 b = init(800, 60, 20); }
"""


def test_what_other_calls_and_statements_set_is_told_with_its_place() -> None:
    calls = "int main(void) { extern double x[];\n run(x, 40);\n run(x, 4096);\n run(x, 9);\n run(x, 40); }"
    nest = nests(report({"run.c": RUN, "main.c": f"void run(double *, int);\n{calls}"}, "run.c"))["run"]
    told = [(dict(one.sizes), one.source.text, one.source.path, one.source.line) for one in nest.other_calls]
    assert told == [({"n": 40}, "run(x, 40)", "main.c", 3), ({"n": 9}, "run(x, 9)", "main.c", 5)]
    said = AnalysisOptions(sizes=(SizeChoice("n", 7, "setting"),))
    files = {"run.c": RUN, "main.c": f"void run(double *, int);\n{calls}"}
    assert nests(report(files, "run.c", said))["run"].other_calls == ()
    members = nests(report({"net.c": NET, "main.c": USES}, "net.c"))["run"]
    assert [dict(one.sizes) for one in members.other_calls] == [{"net->inputs": 2, "net->outputs": 1000}]


def test_sizes_of_one_call_stay_together() -> None:
    matrix = (
        "void fill(double *a, int n, int m) {\n    for (int i = 0; i < n; i++)\n        for (int j = 0; j < m; j++)\n"
        "            a[i * m + j] = 1.0;\n}\n"
    )
    main = (
        "void fill(double *a, int n, int m);\nextern double a[];\n"
        "int main(void) { fill(a, 10, 9000); fill(a, 8000, 20); }\n"
    )
    nest = nests(report({"fill.c": matrix, "main.c": main}, "fill.c"))["fill"]
    assert sizes_of(nest) == {"n": (8000, "program"), "m": (20, "program")}


def test_members_that_one_call_sets_stay_together() -> None:
    small = (
        "struct net; struct net *init(int, int, int);\nint main(void)\n{\n    struct net *n = init(2, 3, 1000);\n}\n"
    )
    files = {"net.c": NET, "small.c": small, "large.c": small.replace("2, 3, 1000", "800, 60, 20")}
    found = nests(report(files, "net.c"))
    assert sizes_of(found["run"]) == {"net->inputs": (800, "program"), "net->outputs": (20, "program")}
    assert "`struct net *n = init(800, 60, 20)` (elsewhere 2)" in text_of(found["run"], "net->inputs")


def test_what_the_function_itself_makes_is_nearer_than_what_another_one_does() -> None:
    use = """struct net { int inputs, outputs, hidden; };
    struct net *init(int, int, int);
    extern double x[];
    void small(void) { struct net *n = init(20, 3, 1); for (int i = 0; i < n->inputs; i++) x[i] = 1; }
    void large(void) { struct net *n = init(800, 3, 1); for (int i = 0; i < n->inputs; i++) x[i] = 1; }
    int main(void) { large(); small(); }"""
    found = nests(report({"net.c": NET, "use.c": use}, "use.c"))
    assert sizes_of(found["small"]) == {"n->inputs": (20, "program")}
    assert sizes_of(found["large"]) == {"n->inputs": (800, "program")}


def test_how_long_the_way_of_a_value_is_does_not_make_it_likelier() -> None:
    net = """struct net { int total; };
    static struct net made;
    struct net *init(int hidden, int inputs, int outputs) {
        const int first = hidden ? (inputs + 1) * hidden : 0;
        const int last = outputs * (hidden ? hidden : inputs) + first;
        made.total = first + last;
        return &made;
    }
    void run(struct net *net, double *x) { for (int i = 0; i < net->total; i++) x[i] = 1; }
    """
    main = "struct net; struct net *init(int, int, int);\nint main(void) { init(0, 2, 1);\n init(50, 1000, 10); }"
    found = nests(report({"net.c": net, "main.c": main}, "net.c"))
    assert sizes_of(found["run"]) == {"net->total": (2 * 1001 * 50 + 10 * 50, "program")}


def test_a_bound_that_a_condition_chooses_is_one_or_the_other() -> None:
    main = "struct net; struct net *init(int, int, int); int main(void) { struct net *n = init(800, 60, 20); }\n"
    found = nests(report({"net.c": NET, "main.c": main}, "net.c"))
    assert sizes_of(found["train"]) == {"iterations of k": (60, "program"), "net->hidden": (60, "program")}


def test_a_size_that_the_command_line_always_says_is_not_what_another_call_passes() -> None:
    source = """
    #include <stdlib.h>
    struct list { int n; double *x; };
    void make(struct list *list, int n) { list->n = n; list->x = malloc(n * sizeof(double)); }
    void run(struct list *list) { for (int i = 0; i < list->n; i++) list->x[i] = 1; }
    int main(int argc, char **argv) {
        struct list points, groups;
        make(&groups, 5);
        make(&points, atoi(argv[1]));
        run(&points);
    }"""
    assert sizes_of(nests(report({"a.c": source}, "a.c"))["run"])["list->n"] == (1024, "default")
    options = AnalysisOptions(arguments=("3000",))
    assert sizes_of(nests(report({"a.c": source}, "a.c", options))["run"])["list->n"] == (3000, "program")
