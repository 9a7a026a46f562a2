"""What leads two pointers into one object without a plain call: pointers to functions, choices, members, variables."""

import pytest
from conftest import AnalyseC
from support.fix_fixtures.contexts import contexts
from warplens.analysis.ports.cuda import cuda_fix
from warplens.analysis.ports.fix import AS_PREDICTED
from warplens.analysis.ports.openmp import openmp_fix

_HEAD = """
#define N 64
void *malloc(unsigned long);
static double pool[4 * N], matrix[20][N], *u, *v, *left, *right;
struct field { double w[N], z[N]; double *data; };
static struct field world;
static union { double d[N]; struct { double none, more[8]; } s; } both;
static void spread(int n, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = 2 * x[i + 1]; }
"""
_HINT = ": say `// warplens: {} do not overlap` if what is used is apart"
_SET = "static void touch(void) { for (int i = 0; i < N; i++) v[i] = u[i] + 1; }\n"
OVERLAPPING = {
    "a table of functions": (
        (
            "typedef void op(int, double *, double *);\nstatic op *table[] = { spread };\n"
            "void all(double *b) { table[0](9, b, b); }"
        ),
        "`all` may pass `b` for `y` and `x` through a pointer to `spread`: they overlap there",
    ),
    "a function that is passed": (
        (
            "static void run(void f(int, double *, double *), double *b) { f(9, b, b + 2); }\n"
            "void all(double *b) { run(spread, b); }"
        ),
        "`run` may pass `b + 2` and `b` for `y` and `x` through a pointer to `spread`: they overlap there",
    ),
    "a choice": (
        "void all(int c, double *a, double *b) { spread(9, c ? a : b, b); }",
        "`all` passes `b` and `(c) ? (a) : (b)` for `y` and `x`" + _HINT.format("y and x"),
    ),
    "a choice in a variable": (
        "void all(int c, double *a, double *b) { double *p = c ? a : b; spread(9, p + 1, b); }",
        "`all` passes `b` and `p + 1` for `y` and `x`" + _HINT.format("y and x"),
    ),
    "a second call": (
        "void all(double *b) { spread(9, b, b + 100); spread(9, b, b + 1); }",
        "`all` passes `b + 1` and `b` for `y` and `x`: they overlap there",
    ),
    "the last of many calls": (
        (
            "static double big[9000];\nvoid all(void) { "
            f"{' '.join(f'spread(9, big + {100 * k}, big + {100 * k + 50});' for k in range(80))}"
            " spread(9, big, big + 1); }"
        ),
        "`all` passes `big + 6450` and `big + 6400` for `y` and `x`" + _HINT.format("y and x"),
    ),
    "a member by two ways": (
        "void all(void) { struct field *p = &world; spread(9, world.w, p->w); }",
        "`all` passes `p->w` and `world.w` for `y` and `x`: they overlap there",
    ),
    "one structure twice": (
        (
            "static void twice(struct field *a, struct field *b)\n"
            "{ for (int i = 0; i < 9; i++) b->data[i] = a->data[i + 1]; }\n"
            "void all(void) { struct field *p = &world; twice(&world, p); }"
        ),
        "`all` passes `world.data` for `b->data` and `a->data`: they overlap there",
    ),
    "variables that two functions set": (
        _SET + "void first(double *p) { u = p; }\nvoid second(double *p) { v = p + 1; }\n"
        "void all(double *b) { first(pool); second(pool); }",
        "`second` sets `v` to `p + 1` and `first` sets `u` to `p`" + _HINT.format("v and u"),
    ),
    "variables that are set to parameters": (
        _SET + "void init(double *p, double *q) { u = p; v = q; }\nvoid all(double *b) { init(b, b + 3); }",
        "`init` sets `v` to `q` and `init` sets `u` to `p`, and `all` passes `b + 3` and `b` for `q` and `p`"
        + _HINT.format("v and u"),
    ),
    "members of a union": (
        "void all(void) { spread(9, both.d, both.s.more); }",
        "`all` passes `both.s.more` and `both.d` for `y` and `x`" + _HINT.format("y and x"),
    ),
    "a member of a copy": (
        "void all(struct field *f) { struct field copy = *f; spread(9, copy.data, f->data); }",
        "`all` passes `f->data` and `copy.data` for `y` and `x`: they overlap there",
    ),
    "a function that says where": (
        (
            "static double *at(double *m, int i) { return m + i * N; }\n"
            "void all(double *m) { spread(N, at(m, 2), at(m, 2) + 5); }"
        ),
        "`all` passes `at(m, 2) + 5` and `at(m, 2)` for `y` and `x`: they overlap there",
    ),
    "a function that takes from one block": (
        (
            "static int used;\nstatic double *take(int n) { used += n; return pool + used; }\n"
            "void all(void) { spread(9, take(9), take(9)); }"
        ),
        "`all` passes `take(9)` for `y` and `x`" + _HINT.format("y and x"),
    ),
    "variables of the file": (
        _SET + "void init(int n) { u = pool; v = pool + n; }",
        "`init` sets `v` to `pool + n` and `init` sets `u` to `pool`" + _HINT.format("v and u"),
    ),
    "variables of the file, one allocation": (
        _SET + "void init(int n) { u = v = malloc(n); }",
        "`init` sets `u` to `v = malloc(n)`: they overlap there",
    ),
    "a variable of the file and what it is set to": (
        (
            "static void touch(void) { for (int i = 0; i < N; i++) v[i] = pool[i] + 1; }\n"
            "void init(void) { v = &pool[3]; }"
        ),
        "`init` sets `v` to `&pool[3]`: they overlap there",
    ),
    "a variable of the file that is passed": (
        "void init(void) { u = pool; }\nvoid all(void) { spread(9, pool, u); }",
        "`all` passes `u` and `pool` for `y` and `x`: they overlap there",
    ),
}
APART = {
    "two buffers in turn": (
        "void all(int t, double *a, double *b)\n"
        "{ spread(9, t % 2 ? a : b, t % 2 ? b : a); spread(9, !t ? a : b, t ? a : b); }"
    ),
    "rows": "static double *row(int i) { return matrix[0] + i * N; }\nvoid all(void) { spread(9, row(3), row(4)); }",
    "two members": "void all(void) { struct field *p = &world; spread(9, world.w, p->z); }",
    "two of many": "void all(struct field *f) { spread(9, f[0].w, f[1].w); }",
    "a function of another kind": (
        "typedef void op(double *, double *);\nstatic op *hook;\nvoid all(double *b) { hook(b, b); }\n"
        "void (*given)(int, double *, double *) = spread;"
    ),
    "parts of one array": _SET + "void init(void) { u = pool; v = &pool[2 * N]; }",
    "parts of one array, one from the other, as long as calls say": (
        "static void touch(int n) { for (int i = 0; i < n; i++) v[i] = u[i] + pool[i]; }\n"
        "static double *middle;\nvoid init(void) { middle = pool + N; u = middle; v = u + N; touch(N); }"
    ),
    "two allocations": _SET + "void init(int n) { u = malloc(n); v = malloc(n); }",
    "pointers that are swapped": (
        _SET + "void init(int n) { u = malloc(n); v = malloc(n); }\n"
        "void swap(void) { double *t = u; u = v; v = t; }"
    ),
}  # fmt: skip


def _refusals(source: str, analyse_c: AnalyseC) -> list[str]:
    """Why the nests of the file have no port; all of them have one by themselves."""
    found = []
    for context in contexts(source, analyse_c(source)):
        (offer,) = openmp_fix.FIX.offer(context)
        found.append(openmp_fix.FIX.edit(context, offer, AS_PREDICTED).refusal)
    return found


@pytest.mark.parametrize(("code", "refusal"), OVERLAPPING.values(), ids=OVERLAPPING)
@pytest.mark.usefixtures("few_launches")
def test_it_is_seen(code: str, refusal: str, analyse_c: AnalyseC) -> None:
    assert refusal in _refusals(_HEAD + code, analyse_c)


@pytest.mark.parametrize("code", APART.values(), ids=APART)
@pytest.mark.usefixtures("few_launches")
def test_what_is_apart_is_no_reason(code: str, analyse_c: AnalyseC) -> None:
    refusals = _refusals(_HEAD + code, analyse_c)
    assert refusals
    assert not any(refusals)


@pytest.mark.parametrize(
    ("setting", "refusal"),
    [
        ("s->data = malloc(n); s->more = s->data + 3;", "`init` sets `s->more` to `s->data + 3`: they overlap there"),
        (
            "struct twice *p = s; p->data = pool; s->more = pool + n;",
            "`init` sets `s->more` to `pool + n` and `s->data` to `pool`" + _HINT.format("s->more and s->data"),
        ),
        ("s->data = pool; s->more = pool + 2 * N;", ""),
        ("s->data = malloc(n); s->more = malloc(n);", ""),
        ("double *t = s->data; s->data = s->more; s->more = t;", ""),
    ],
)
@pytest.mark.usefixtures("few_launches")
def test_members_that_are_set_to_one_object(setting: str, refusal: str, analyse_c: AnalyseC) -> None:
    """CUDA's ports take arrays that members lead to."""
    source = (
        f"{_HEAD}struct twice {{ double *data, *more; }};\nvoid init(struct twice *s, int n) {{ {setting} }}\n"
        "void use(struct twice *s) { for (int i = 0; i < N; i++) s->more[i] = s->data[i] + 1; }\n"
    )
    context = list(contexts(source, analyse_c(source)))[-1]
    (offer,) = cuda_fix.FIX.offer(context)
    assert cuda_fix.FIX.edit(context, offer, AS_PREDICTED).refusal == refusal


@pytest.mark.usefixtures("few_launches")
def test_a_comment_says_that_they_are_apart(analyse_c: AnalyseC) -> None:
    code, _ = OVERLAPPING["variables of the file"]
    said = code.replace("{ for", "{\n// warplens: v and u do not overlap\nfor", 1)
    assert _refusals(_HEAD + said, analyse_c) == ["", ""]
