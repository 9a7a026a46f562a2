"""What the statements of a program give its sizes: each program says in its first line which values are right."""

from __future__ import annotations

import pytest
from support.programs.linked import nests, report
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.engine.report import NestReport

RUN = "void run(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 2.0; }\n"
MAIN = "extern void run(double *x, int n);\nextern double x[];\nint main(int argc, char **argv) {{ {} }}\n"


def sizes_of(nest: NestReport) -> dict[str, tuple[int, str]]:
    """Value and origin of each size of a nest."""
    assert nest.evaluation is not None
    values = dict(nest.evaluation.sizes)
    return {a.subject: (values[a.subject], a.origin) for a in nest.evaluation.assumptions if a.kind == "size"}


def text_of(nest: NestReport, name: str) -> str:
    """What is said of a size."""
    assert nest.evaluation is not None
    (text,) = (a.text for a in nest.evaluation.assumptions if a.kind == "size" and a.subject == name)
    return text


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("run(x, 4096);", 4096),
        ("int n = 64; run(x, n * n);", 4096),
        ("int n; n = 1 << 12; run(x, n);", 4096),
        ("const int n = 5000; int m = n - 904; run(x, m);", 4096),
        ("int n[3] = {16, 256, 4096}; run(x, n[2]);", 4096),
        ("double length = 40.96, h = 0.01; int n = (int)(length / h + 0.5); run(x, n);", 4096),
        ("run(x, sizeof(double) * 512);", 4096),
        ("int n = argc > 1 ? 1 : 4096; run(x, n);", 4096),
        ("int n = 4096; if (argc > 1) n = atoi(argv[1]); run(x, n);", 4096),
        ("int n = 4095; n |= 1; run(x, n + 1);", 4096),
        ("struct { int n, m; } s = {.m = 4096}; run(x, s.m);", 4096),
        ("struct { int k, n, m; } s = {.n = 1, 4096}; run(x, s.m);", 4096),
        ("struct { int k, n; } s[2] = {[1] = {2, .n = 4096}, [0].k = 7}; run(x, s[1].n);", 4096),
        ("int n[4] = {[2] = 16, 4096}; run(x, n[3]);", 4096),
        ('int n = strlen("a\\n") * 2048; run(x, n);', 4096),
        ("long n = 8192, *p = &n; run(x, n / 2);", 4096),
        ("for (int step = 0; step < 10; step++) run(x, 4096);", 4096),
    ],
)  # fmt: skip
def test_the_caller_in_another_file_says_the_size(body: str, value: int) -> None:
    files = {"run.c": RUN, "main.c": f"#include <stdlib.h>\n{MAIN.format(body)}"}
    nest = nests(report(files, "run.c"))["run"]
    assert sizes_of(nest) == {"n": (value, "program")}


@pytest.mark.parametrize(
    "body",
    [
        "int n = atoi(argv[1]); run(x, n);",
        'int n; scanf("%d", &n); run(x, n);',
        "int n = 0; while (getchar() != -1) n++; run(x, n);",
        "int n = elsewhere(); run(x, n);",
        "int n = 0; if (argc > 1) n = atoi(argv[1]); run(x, n);",
        "int n = 1; if (argc > 1) n = atoi(argv[1]); run(x, n);",
        ";",
    ],
)
def test_what_the_source_does_not_tell_stays_open(body: str) -> None:
    files = {"run.c": RUN, "main.c": f"#include <stdio.h>\n#include <stdlib.h>\n{MAIN.format(body)}"}
    assert sizes_of(nests(report(files, "run.c"))["run"]) == {"n": (1024, "default")}


def test_where_an_open_size_comes_from_is_said() -> None:
    files = {"run.c": RUN, "main.c": f"#include <stdlib.h>\n{MAIN.format('int n = atoi(argv[1]); run(x, n);')}"}
    text = text_of(nests(report(files, "run.c"))["run"], "n")
    assert text.startswith("`n` is not known (the command line says it: `int main(int argc, char **argv)"), text
    assert "say how the program is called (`called_as` in `.warplens.toml`), or `// warplens: n = …`" in text


def test_arguments_that_somebody_said_are_read() -> None:
    body = "int n = atoi(argv[1]); run(x, argc == 3 ? n : 5);"
    files = {"run.c": RUN, "main.c": f"#include <stdlib.h>\n{MAIN.format(body)}"}
    options = AnalysisOptions(arguments=("3000", "in.dat"))
    assert sizes_of(nests(report(files, "run.c", options))["run"]) == {"n": (3000, "program")}


def test_a_scan_of_an_argument_reads_it_and_a_write_changes_nothing() -> None:
    source = """
    #include <stdio.h>
    void read_sizes(char **argv, int *n, int *m) {
        sscanf(argv[1], "%d", n);
        sscanf(argv[2], "%d,%d", m, n + 1);
    }
    void run(double *x, int n, int m, int k) {
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int l = 0; l < k; l++) x[(i * m + j) * k + l] = 1;
    }
    int main(int argc, char **argv) {
        extern double x[];
        int n, m, k = 30;
        read_sizes(argv, &n, &m);
        fwrite(&k, sizeof k, 1, stdout);
        run(x, n, m, k);
    }"""
    found = sizes_of(nests(report({"a.c": source}, "a.c"))["run"])
    assert found == {"n": (1024, "default"), "m": (1024, "default"), "k": (30, "program")}
    options = AnalysisOptions(arguments=("3000", "20,4"))
    found = sizes_of(nests(report({"a.c": source}, "a.c", options))["run"])
    assert found == {"n": (3000, "program"), "m": (20, "program"), "k": (30, "program")}


def test_fields_with_defaults_and_what_is_derived_from_them() -> None:
    """A structure that one function fills, another one completes, and a third gets by value."""
    header = "typedef struct { int dim, heads, layers; } config;\n"
    fill = (
        f"{header}#include <string.h>\n#include <stdlib.h>\n"
        "config read_options(int argc, char **argv) {\n"
        "    config c;\n    c.dim = 288;\n    c.heads = 6;\n"
        '    for (int i = 1; i < argc; i++)\n        if (strcmp(argv[i], "-d") == 0)\n'
        "            c.dim = atoi(argv[++i]);\n    return c;\n}\n"
        "void complete(config *c) { c->layers = c->dim / 48; }\n"
    )
    use = (
        f"{header}void attend(const config *p, float *q) {{\n"
        "    int head_size = p->dim / p->heads;\n"
        "    for (int h = 0; h < p->heads; h++)\n        for (int i = 0; i < head_size; i++)\n"
        "            q[h * head_size + i] *= 0.5f;\n}\n"
        "void all(config c, float *q) {\n    for (int l = 0; l < c.layers; l++)\n        q[l] = 0;\n}\n"
    )
    main = (
        f"{header}config read_options(int, char **); void complete(config *); void attend(const config *, float *);\n"
        "void all(config, float *);\nstatic float q[1000];\n"
        "int main(int argc, char **argv) {\n    config c = read_options(argc, argv);\n    complete(&c);\n"
        "    attend(&c, q);\n    all(c, q);\n}\n"
    )
    files = {"fill.c": fill, "use.c": use, "main.c": main}
    found = nests(report(files, "use.c"))
    assert sizes_of(found["attend"]) == {"head_size": (48, "program"), "p->heads": (6, "program")}
    assert sizes_of(found["all"]) == {"c.layers": (6, "program")}
    assert "may change it" in text_of(found["attend"], "head_size")
    places = [(one.path, one.line) for one in dict(found["attend"].size_sources)["head_size"]]
    assert places == [("use.c", 3), ("fill.c", 6), ("fill.c", 7)]


def test_globals_assigned_once_in_another_file() -> None:
    files = {
        "setup.c": (
            "#define NA 14000\nint firstrow, lastrow;\nvoid setup(void) {\n    firstrow = 1;\n    lastrow = NA;\n}\n"
        ),
        "use.c": (
            "extern int firstrow, lastrow;\nvoid scale(double *x) {\n"
            "    for (int j = 1; j <= lastrow - firstrow + 1; j++)\n        x[j] *= 2.0;\n}\n"
        ),
        "main.c": "void setup(void); int main(void) { setup(); }\n",
    }
    nest = nests(report(files, "use.c"))["scale"]
    assert sizes_of(nest) == {"firstrow": (1, "program"), "lastrow": (14000, "program")}
    assert dict(nest.size_sources)["lastrow"][0].line == 5
    assert "`lastrow = NA`" in text_of(nest, "lastrow")


def test_of_several_calls_the_heaviest_is_taken_and_the_others_said() -> None:
    calls = "run(x, 256); run(x, 32000); run(x, 32000);"
    nest = nests(report({"run.c": RUN, "main.c": MAIN.format(calls)}, "run.c"))["run"]
    assert sizes_of(nest) == {"n": (32000, "program")}
    assert "2 of 3 calls" in text_of(nest, "n")
    assert "256" in text_of(nest, "n")


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


USES = """struct net; struct net *init(int, int, int);
int main(void) { struct net *a = init(2, 3, 1000), *b;
 b = init(800, 60, 20); }
"""


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


NET = """\
struct net { int inputs, outputs, hidden; };
static struct net made;
struct net *init(int inputs, int hidden, int outputs)
{
    struct net *net = &made;
    net->inputs = inputs;
    net->hidden = hidden;
    net->outputs = outputs;
    return net;
}
void run(struct net *net, double *x)
{
    for (int j = 0; j < net->outputs; j++)
        for (int k = 0; k < net->inputs; k++)
            x[j * net->inputs + k] *= 2;
}
void train(struct net *net, double *restrict x, const double *restrict y)
{
    for (int h = 0; h < 3; h++)
        for (int k = 0; k < (h == 2 ? net->outputs : net->hidden); k++)
            x[h * net->hidden + k] += y[k];
}
"""


def test_members_that_one_call_sets_stay_together() -> None:
    small = (
        "struct net; struct net *init(int, int, int);\nint main(void)\n{\n    struct net *n = init(2, 3, 1000);\n}\n"
    )
    files = {"net.c": NET, "small.c": small, "large.c": small.replace("2, 3, 1000", "800, 60, 20")}
    found = nests(report(files, "net.c"))
    assert sizes_of(found["run"]) == {"net->inputs": (800, "program"), "net->outputs": (20, "program")}
    assert "`struct net *n = init(800, 60, 20)` (elsewhere 2)" in text_of(found["run"], "net->inputs")


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


def test_what_grows_with_every_call_stays_open_and_what_is_added_once_does_not() -> None:
    source = """
    struct text { int length, padded; char *s; };
    void append(struct text *t, int length) { t->length += length; }
    void make(struct text *t, int n) { t->length = 0; t->padded = n; t->padded += 2; }
    void run(struct text *t) { for (int i = 0; i < t->length; i++) t->s[i] = 1; }
    void pad(struct text *t) { for (int i = 0; i < t->padded; i++) t->s[i] = 1; }
    int main(void) { struct text t; make(&t, 100); append(&t, 6); append(&t, 3); run(&t); pad(&t); }"""
    found = nests(report({"a.c": source}, "a.c"))
    assert sizes_of(found["run"])["t->length"] == (1024, "default")
    assert sizes_of(found["pad"])["t->padded"] == (102, "program")


def test_a_bound_that_a_condition_chooses_is_one_or_the_other() -> None:
    main = "struct net; struct net *init(int, int, int); int main(void) { struct net *n = init(800, 60, 20); }\n"
    found = nests(report({"net.c": NET, "main.c": main}, "net.c"))
    assert sizes_of(found["train"]) == {"iterations of k": (60, "program"), "net->hidden": (60, "program")}


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


LAYERS = """
struct layer { double *first, *last; };
struct net { struct layer *first, *last; };
struct net *make(struct net *net, struct layer *layers, double *x, int n) {
    net->first = layers;
    net->last = net->first + 3;
    for (struct layer *one = net->first; one != net->last; one++) {
        one->first = x;
        one->last = one->first + n;
    }
    return net;
}
void run(struct layer *one, double by) {
    for (double *x = one->first; x != one->last; x++)
        *x *= by;
}
int main(void) {
    extern struct net net; extern struct layer layers[]; extern double x[];
    make(&net, layers, x, 4096);
    for (struct layer *one = net.first; one != net.last; one++)
        run(one, 2);
}
"""


def test_how_far_an_end_is_from_its_beginning() -> None:
    found = nests(report({"a.c": LAYERS}, "a.c"))
    assert sizes_of(found["run"])["(one->last - one->first)"] == (4096, "program")
    assert sizes_of(found["main"])["(net.last - net.first)"] == (3, "program")


def test_one_process_of_one_thread_is_assumed() -> None:
    source = """
    void run(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1; }
    int main(void) {
        extern double x[];
        int size, rank, n = 4096;
        MPI_Comm_size(0, &size);
        MPI_Comm_rank(0, &rank);
        int first = rank * (n / size), last = first + n / size / omp_get_num_threads();
        run(x, last - first);
    }"""
    nest = nests(report({"a.c": source}, "a.c"))["run"]
    assert sizes_of(nest) == {"n": (4096, "program")}
    assert "one process is assumed" in text_of(nest, "n")


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


def test_what_counts_up_to_a_number_does_not_make_it_counted() -> None:
    source = """
    void run(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1; }
    int main(void) {
        extern double x[]; extern int goes_on(int);
        int roots = 64, i;
        for (i = 0; i < roots; i++)
            if (!goes_on(i))
                break;
        roots = i;
        run(x, roots);
    }"""
    assert sizes_of(nests(report({"a.c": source}, "a.c"))["run"]) == {"n": (64, "program")}


@pytest.mark.parametrize(("values", "shown"), [("-1, 40", 40), ("-1, 0", 0), ("-2, -1", -2)])
def test_a_negative_number_is_a_size_where_no_other_is(values: str, shown: int) -> None:
    first, second = values.split(", ")
    source = f"""
    void run(double *x, int at) {{ for (int i = 3; i < 80; i++) x[i + at * 100] = 1; }}
    int main(int argc, char **argv) {{ extern double x[]; int at = {first}; if (argc > 1) at = {second}; run(x, at); }}
    """
    assert sizes_of(nests(report({"a.c": source}, "a.c"))["run"]) == {"at": (shown, "program")}


def test_recursion_ends() -> None:
    files = {
        "run.c": (
            "void run(double *x, int n) {\n    for (int i = 0; i < n; i++)\n        x[i] = 0;\n"
            "    if (n > 8)\n        run(x, n / 2);\n}\n"
        ),
        "main.c": MAIN.format("run(x, 1000);"),
    }
    value, origin = sizes_of(nests(report(files, "run.c"))["run"])["n"]
    assert (value, origin) == (1000, "program")


def test_what_a_function_leaves_behind_a_pointer() -> None:
    files = {
        "read.c": "void read_size(int *n) { *n = 777; }\nvoid open_grid(int *m, int k) { read_size(m); }\n",
        "run.c": RUN,
        "main.c": "void open_grid(int *, int); " + MAIN.format("int n; open_grid(&n, 3); run(x, n);"),
    }
    assert sizes_of(nests(report(files, "run.c"))["run"]) == {"n": (777, "program")}


def test_a_call_that_no_main_leads_to_does_not_count() -> None:
    files = {"run.c": RUN, "main.c": f"{MAIN.format('run(x, 500);')}void unused(void) {{ run(x, 70000); }}\n"}
    assert sizes_of(nests(report(files, "run.c"))["run"]) == {"n": (500, "program")}


OPTIONS = """
#include <stdlib.h>
#include <string.h>
#include <getopt.h>
typedef struct { int n, m; } options;
static struct option table[] = {{"size", required_argument, 0, 'n'}, {"rows", required_argument, 0, 'm'}, {0, 0, 0, 0}};
void small(options *o) { o->n = 68; }
void with_getopt(int argc, char **argv, options *o) {
    struct option mine[] = {{"size", required_argument, 0, 'n'}, {"rows", required_argument, 0, 'm'}};
    int c;
    o->n = 100;
    o->m = 200;
    while ((c = getopt_long(argc, argv, "n:m:", mine, NULL)) != -1)
        switch (c) {
        case 'n':
            o->n = atoi(optarg);
            break;
        case 'm':
            o->m = atoi(optarg);
            break;
        }
}
void with_strcmp(int argc, char **argv, options *o) {
    o->n = 100;
    o->m = 200;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-n") || strcmp(argv[i], "--size") == 0)
            o->n = atoi(argv[++i]);
        else if (strcmp(argv[i], "--rows") == 0 || !strcmp(argv[i], "-m"))
            o->m = atoi(argv[++i]);
        else if (strcmp(argv[i], "small") == 0)
            small(o);
    }
}
void run(double *x, options *o) {
    for (int i = 0; i < o->n; i++)
        for (int j = 0; j < o->m; j++)
            x[i * o->m + j] = 1;
}
extern double x[];
int main(int argc, char **argv) { options o; WAY(argc, argv, &o); run(x, &o); }
"""


@pytest.mark.parametrize(
    ("way", "arguments", "expected"),
    [
        ("with_getopt", (), (100, 200)),
        ("with_getopt", ("-n", "4096"), (4096, 200)),
        ("with_getopt", ("--rows", "30", "-n64"), (64, 30)),
        ("with_getopt", ("--size=5000",), (5000, 200)),
        ("with_strcmp", (), (100, 200)),
        ("with_strcmp", ("-n", "4096"), (4096, 200)),
        ("with_strcmp", ("--size", "64", "-m", "30"), (64, 30)),
        ("with_strcmp", ("small",), (68, 200)),
    ],
)
def test_options_of_the_command_line(way: str, arguments: tuple[str, ...], expected: tuple[int, int]) -> None:
    other = "with_strcmp" if way == "with_getopt" else "with_getopt"
    start = OPTIONS.index(f"void {other}")
    text = OPTIONS[:start] + OPTIONS[OPTIONS.index("\n}\n", start) + 3 :]
    found = nests(report({"main.c": text.replace("WAY", way)}, "main.c", AnalysisOptions(arguments=arguments)))["run"]
    assert sizes_of(found) == {"o->n": (expected[0], "program"), "o->m": (expected[1], "program")}


@pytest.mark.parametrize(
    ("cases", "arguments", "value"),
    [
        ("case 'n': case 'N': n = atoi(optarg); break;", ("-n", "64"), 64),
        ("case 'n': case 'N': n = atoi(optarg); break;", ("-N", "64"), 64),
        ("case 'n': case 'N': n = atoi(optarg); break;", ("-m", "64"), 10),
        ("case 'a': all = 1; case 'n': n = 64; break;", ("-a",), 64),
        ("case 'a': all = 1; break; case 'n': n = 64; break;", ("-a",), 10),
        ("case 'a': { all = 1; return 1; } case 'n': n = 64;", ("-a",), 10),
        ("case 'a': exit(1); case 'n': n = 64;", ("-a",), 10),
    ],
)
def test_labels_of_a_switch_lead_to_what_stands_behind_them(cases: str, arguments: tuple[str, ...], value: int) -> None:
    main = (
        "int main(int argc, char **argv) { int n = 10, all = 0, c; "
        f'while ((c = getopt(argc, argv, "n:N:m:a")) != -1) switch (c) {{ {cases} }} run(x, n); return all; }}'
    )
    text = f"#include <stdlib.h>\n#include <unistd.h>\nextern double x[];\n{RUN}{main}\n"
    found = nests(report({"main.c": text}, "main.c", AnalysisOptions(arguments=arguments)))["run"]
    assert sizes_of(found) == {"n": (value, "program")}


def test_a_default_may_be_changed_by_the_command_line_unless_that_is_said() -> None:
    text = OPTIONS.replace("WAY", "with_strcmp")
    unsaid = nests(report({"main.c": text}, "main.c"))["run"]
    assert sizes_of(unsaid)["o->n"] == (100, "program")
    assert "the command line may change it" in text_of(unsaid, "o->n")
    said = nests(report({"main.c": text}, "main.c", AnalysisOptions(arguments=("small",))))["run"]
    assert "may change it" not in text_of(said, "o->m")


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


def test_a_bound_that_may_change_is_as_long_as_the_program_has_it() -> None:
    """The loop may write its own bound, which decides no count; what is stored in it is the likeliest."""
    files = {
        "run.c": (
            "struct s { int n, *x; };\nvoid run(struct s *p) {\n"
            "    for (int i = 2; i < p->n; i += 3) {\n        p->x[i] = i;\n        if (p->x[i] > 900)\n"
            "            p->n = 602;\n    }\n}\n"
        ),
        "main.c": (
            "struct s { int n, *x; };\nvoid run(struct s *);\nstatic int x[900];\n"
            "int main(void) { struct s s = {602, x}; run(&s); }\n"
        ),
    }
    assert sizes_of(nests(report(files, "run.c"))["run"])["iterations of i"] == (200, "program")


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
