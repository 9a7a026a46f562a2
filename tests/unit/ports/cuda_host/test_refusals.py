"""Nests that get no CUDA port, each with the reason; and near misses that get one."""

import pytest
from support.fix_fixtures.contexts import contexts
from warplens.analysis.ports.catalogue import edits_of
from warplens.analysis.ports.cuda import cuda_fix
from warplens.analysis.ports.fix import FixContext, LaunchWish

REFUSED = {
    "recurrence": (
        "void work(int n, double *x) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }",
        "",
    ),
    "pointers_that_change_between_time_steps": (
        (
            "void work(int s, int n, double *a, double *b) { for (int t = 0; t < s; t++) {"
            " for (int i = 1; i < n; i++) b[i] = a[i - 1]; double *c = a; a = b; b = c; } }"
        ),
        "points to other memory from time to time",
    ),
    "rows_reached_through_pointers": (
        "void work(int n, double **a) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = 0; }",
        "rows of `a` are reached through pointers",
    ),
    "function_of_another_file": (
        "double f(double); void work(int n, double *y) { for (int i = 0; i < n; i++) y[i] = f(y[i]); }",
        "`f` is called",
    ),
    "it_prints": (
        (
            "int puts(const char *); void work(int n, double *y) {\n// warplens: output in any order\n"
            'for (int i = 0; i < n; i++) { y[i] = i; if (y[i] > 9) puts("many"); } }'
        ),
        "`puts` prints",
    ),
    "size_decided_by_data": (
        (
            "void work(int n, double *restrict y, const double *restrict x, const int *restrict k)"
            " { for (int i = 0; i < n; i++) y[i] = x[k[i] * n]; }"
        ),
        "how far `x[k[i] * n]` reaches is decided at run time",
    ),
    "remainder": (
        (
            "void work(int n, double *restrict y, const double *restrict x)"
            " { for (int i = 0; i < n; i++) y[i] = x[(i - 1) % n]; }"
        ),
        "how far `x[(i - 1) % n]` reaches is decided at run time",
    ),
    "data_guards_what_lies_before_the_array": (
        (
            "void work(int n, double *restrict y, const double *restrict x)"
            " { for (int i = 0; i < n; i++) if (y[i] > 0) y[i] = x[i - 1]; }"
        ),
        "whether `x` is used below its start is decided by data",
    ),
    "packed_by_pragma": (
        (
            "#pragma pack(push, 1)\nstruct p { char c; double v; };\n#pragma pack(pop)\n"
            "void work(int n, struct p *a) { for (int i = 0; i < n; i++) a[i].v = i; }"
        ),
        "`#pragma pack` is ignored: member offsets may differ",
    ),
    "rows_of_a_size_that_changed": (
        "void f(int n, int a[n][n]) { n /= 2; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = 1; }",
        "`a` has the size that `n` had where it is declared, and `n` changes later",
    ),
    "own_structure_packed_by_pragma": (
        (
            "#pragma pack(1)\n"
            "void work(int n, void *to) {"
            " struct p { char c; double v; } *a = to; for (int i = 0; i < n; i++) a[i].v = i; }"
        ),
        "`#pragma pack` in this file may lay out the elements of `to` in its own way",
    ),
    "member_named_by_a_keyword": (
        ("struct p { float new; };\nvoid work(int n, struct p *a) { for (int i = 0; i < n; i++) a[i].new = i; }"),
        "the member `new` has a name that C++ keeps for itself",
    ),
    "aligned_structure": (
        (
            "struct p { float v[3]; } __attribute__((aligned(16)));\n"
            "void work(int n, struct p *a) { for (int i = 0; i < n; i++) a[i].v[1] = i; }"
        ),
        "the alignment that a structure asks for is ignored",
    ),
    "aligned_member": (
        (
            "struct p { char c; _Alignas(16) float v; };\n"
            "void work(int n, struct p *a) { for (int i = 0; i < n; i++) a[i].v = i; }"
        ),
        "the alignment that a structure asks for is ignored",
    ),
    "volatile": (
        "void work(int n, volatile double *y) { for (int i = 0; i < n; i++) y[i] = i; }",
        "",
    ),
    "value_of_the_last_iteration": (
        "double work(int n, double *y) { double t = 0; for (int i = 0; i < n; i++) { t = i; y[i] = t; } return t; }",
        "the value of `t` after the loop may be used",
    ),
    "iterator_used_after": (
        "int work(int n, double *y) { int i; for (i = 0; i < n; i++) y[i] = i; return i; }",
        "the value of `i` after the loop may be used",
    ),
    "iterator_of_the_host_used_after": (
        (
            "int work(int s, int n, double *restrict x, double *restrict y) { int t; for (t = 0; t < s; t++) {"
            " for (int i = 0; i < n; i++) y[i] = x[i] + t; for (int i = 0; i < n; i++) x[i] = y[i]; } return t; }"
        ),
        "the value of `t` after the loop may be used",
    ),
    "induction_used_after": (
        "int work(int n, double *p) { int k = 0; for (int i = 0; i < n; i++) { p[k] = i; k += 2; } return k; }",
        "the value of `k` after the loop may be used",
    ),
    "pointer_moved_and_used_after": (
        "void work(int n, double *p) { double *q = p; for (int i = 0; i < n; i++) *q++ = i; q[0] = 5; }",
        "the value of `q` after the loop may be used",
    ),
    "pointer_as_iterator_used_after": (
        "double work(int n, double *p) { double *q; for (q = p; q < p + n; q++) *q = 2; return *q; }",
        "the value of `q` after the loop may be used",
    ),
    "counted_down_and_used_after": (
        "int work(int n, double *p) { while (n--) *p++ = 1; return n; }",
        "the value of `n` after the loop may be used",
    ),
    "counter_of_the_file": (
        "int at; void work(int n, double *p) { for (int i = 0; i < n; i++) { p[at++] = i; } }",
        "the value of `at` after the loop may be used",
    ),
    "counter_of_the_time_loop_used_after": (
        (
            "int work(int s, int n, double *restrict x, double *restrict y) { int k = 0; for (int t = 0; t < s; t++) {"
            " for (int i = 0; i < n; i++) y[i] = x[i] + k; for (int i = 0; i < n; i++) x[i] = y[i];"
            " k += 3; } return k; }"
        ),
        "the value of `k` after the loop may be used",
    ),
    "host_statement_between_kernels": (
        (
            "void work(int s, int n, double *restrict y, double *restrict x) { double f = 0;"
            " for (int t = 0; t < s; t++) { for (int i = 0; i < n; i++) y[i] = x[i] + f; f = y[n - 1]; } }"
        ),
        "on the host between kernels",
    ),
    "array_that_threads_leave_behind": (
        (
            "double work(int n, double *restrict y, const double *restrict x) { double t[2];"
            " for (int i = 0; i < n; i++) { t[0] = x[i]; t[1] = t[0] * t[0]; y[i] = t[1]; } return t[1]; }"
        ),
        "what the loop leaves in `t` may be used after it",
    ),
    "return_from_between_kernels": (
        (
            "int work(int s, int n, double *restrict x) { for (int t = 0; t < s; t++) { double e = 0;"
            " for (int i = 0; i < n; i++) e += x[i]; if (e < 1) return t; for (int i = 0; i < n; i++) x[i] *= 0.5; }"
            " return s; }"
        ),
        "`return` leaves the loop from inside",
    ),
    "long_double": (
        "void work(int n, long double *x) { for (int i = 0; i < n; i++) x[i] *= 2; }",
        "long double",
    ),
    "complex_numbers": (
        "void work(int n, double _Complex *x) { for (int i = 0; i < n; i++) x[i] *= 2; }",
        "complex",
    ),
}


@pytest.mark.parametrize(("source", "reason"), REFUSED.values(), ids=REFUSED)
def test_port_is_refused_with_the_reason(source: str, reason: str, analyse_c) -> None:
    offered = _offers(source, analyse_c)
    if not reason:
        assert all(offer.refusal for _, offer in offered)
        return
    ((context, offer),) = offered
    assert reason in offer.refusal
    edits = edits_of(context, offer)
    assert (edits.new_files, edits.edits, edits.refusal) == ((), (), offer.refusal)


def _offers(source: str, analyse_c):
    every: list[FixContext] = list(contexts(source, analyse_c(source)))
    return [(context, offer) for context in every for offer in cuda_fix.offer(context)]


PORTED = {
    "half_of_a_size": "void work(int n, double *x) { for (int i = 0; i < n / 2; i++) x[i] = 0; }",
    "step_in_the_condition": "void work(int n, double *x) { for (int i = n; i-- > 0;) x[i] = 0; }",
    "two_bounds": "void work(int n, int m, double *y) { for (int i = 0; i < n && i < m; i++) y[i] = i; }",
    "stride_that_may_jump_over_the_end": "void work(int n, double *y) { for (int i = 0; i < n; i += 4) y[i + 3] = i; }",
    "offset_of_unknown_sign": (
        "void work(int n, int o, double *restrict y, const double *restrict x)"
        " { for (int i = 0; i < n; i++) y[i] = x[i] + x[i + o]; }"
    ),
    "array_that_each_thread_needs_for_itself": (
        "void work(int n, double *restrict y, const double *restrict x) { double t[2];"
        " for (int i = 0; i < n; i++) { t[0] = x[i]; t[1] = t[0] * t[0]; y[i] = t[1]; } }"
    ),
    "pointer_into_another_array": (
        "void work(int n, double *p) { double *q = p + 5; for (int i = 0; i < n; i++) q[i] = 0; }"
    ),
    "member_array_behind_a_pointer": (
        "struct s { int n; double *d; }; void work(struct s *s, double *y)"
        " { for (int i = 0; i < s->n; i++) y[i] = s->d[i]; }"
    ),
    "loops_of_a_macro": (
        "#define NEST for (int t = 0; t < s; t++) for (int i = 1; i < n; i++)\n"
        "void work(int s, int n, double *x) { NEST x[i] = x[i] * 2 + t; }"
    ),
    "chosen_subscript": (
        "void work(int n, double *restrict y, const double *restrict x)"
        " { for (int i = 0; i < n; i++) { int up = i > 0 ? i - 1 : 0; y[i] = x[up]; } }"
    ),
    "a_directive_is_there": (
        "void work(int n, double *x) {\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) x[i] = 0; }"
    ),
    "moving_pointers_that_nobody_needs": "void work(int n, char *s, char *t) { while (n--) *s++ = *t++; }",
    "break_between_kernels": (
        "void work(int s, int n, double *restrict x) { for (int t = 0; t < s; t++) { double e = 0;"
        " for (int i = 0; i < n; i++) e += x[i]; if (e < 1) break; for (int i = 0; i < n; i++) x[i] *= 0.5; } }"
    ),
}


@pytest.mark.parametrize("source", PORTED.values(), ids=PORTED)
def test_what_a_directive_could_not_say_is_ported(source: str, analyse_c) -> None:
    ((context, offer),) = _offers(source, analyse_c)
    assert offer.refusal == ""
    edits = edits_of(context, offer)
    (file,) = edits.new_files
    assert file.name in offer.title
    assert edits == edits_of(context, offer, LaunchWish())
