"""What members, variables of the file and what pointers lead to hold."""

from __future__ import annotations

from support.programs.linked import nests, report
from support.programs.sized_programs import MAIN, RUN, sizes_of, text_of


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


def test_what_a_function_leaves_behind_a_pointer() -> None:
    files = {
        "read.c": "void read_size(int *n) { *n = 777; }\nvoid open_grid(int *m, int k) { read_size(m); }\n",
        "run.c": RUN,
        "main.c": "void open_grid(int *, int); " + MAIN.format("int n; open_grid(&n, 3); run(x, n);"),
    }
    assert sizes_of(nests(report(files, "run.c"))["run"]) == {"n": (777, "program")}


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
