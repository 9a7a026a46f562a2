"""Nests that get no OpenMP port, each with the reason: one that is not safe, or that the directives can't say."""

import pytest
from support.openmp_ports.insertion import ported_text

REFUSED = {
    "called_function_uses_a_variable_of_the_file": (
        (
            "double k; static double f(double v) { return k * v; }"
            "void work(int n, double *y) { for (int i = 0; i < n; i++) y[i] = f(y[i]); }"
        ),
        "`f` uses `k`, which outlives the call and would need `declare target`",
    ),
    "reduction_in_a_variable_without_an_address": (
        (
            "double work(int n, const double *y) { register double sum = 0; int i;"
            "for (i = 0; i < n; i++) sum += y[i]; return sum; }"
        ),
        "`sum` is declared `register` and has no address: take that word away",
    ),
    "called_function_is_elsewhere": (
        "double f(double); void work(int n, double *y) { for (int i = 0; i < n; i++) y[i] = f(y[i]); }",
        "calls `f`, whose code is not in this file: it must be compiled for the device",
    ),
    "called_function_is_taken_for_a_routine_of_a_library": (
        (
            "void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);\n"
            "void work(int n, double *restrict x, double *restrict y) { const int one = 1; const double half = 0.5;\n"
            "for (int i = 0; i < n; i++) daxpy_(&n, &half, x + i*n, &one, y + i*n, &one); }"
        ),
        "calls `daxpy_`, whose code is not in this file: it must be compiled for the device",
    ),
    "called_function_is_elsewhere_and_promised_not_to_interfere": (
        (
            "void f(int, double *); void work(int n, double *y) {\n// warplens: f is independent\n"
            "for (int i = 0; i < n; i++) f(i, y); }"
        ),
        "calls `f`, whose code is not in this file: it must be compiled for the device",
    ),
    "pointer_that_a_promised_function_gives": (
        (
            "double *f(double *, int); void work(int n, double *y) {\n// warplens: f is independent\n"
            "for (int i = 0; i < n; i++) { double *q = f(y, i); q[0] = i; } }"
        ),
        "calls `f`, whose code is not in this file: it must be compiled for the device",
    ),
    "function_that_is_given": (
        (
            "void work(int n, double *y, double (*op)(double)) {\n// warplens: op is independent\n"
            "for (int i = 0; i < n; i++) y[i] = op(y[i]); }"
        ),
        "calls a function through the pointer `op`: all that it runs must be compiled for the device",
    ),
    "called_function_of_the_library": (
        (
            "unsigned long strlen(const char *); void work(int n, int *restrict y, const char *restrict s) {"
            " for (int i = 0; i < n; i++) y[i] = strlen(s + i); }"
        ),
        "`strlen` is called: the device may not have it",
    ),
    "it_prints": (
        (
            "int puts(const char *); void work(int n, double *y) {\n// warplens: output in any order\n"
            'for (int i = 0; i < n; i++) { y[i] = i; if (y[i] > 9) puts("many"); } }'
        ),
        "`puts` prints: the device has no files, take it out of these loops",
    ),
    "another_pointer_is_handed_on": (
        (
            "static void f(double *p, double v) { *p = v; }"
            "void work(int n, double *y) { double *q = y + 1; for (int i = 0; i < n; i++) f(q + i, i); }"
        ),
        "`q` points into another array",
    ),
    "the_parallel_loop_stands_in_the_called_function": (
        (
            "static void f(int n, double *p) { for (int k = 0; k < n; k++) p[k] = p[k] + 1; }"
            "void work(int n, double *y) { for (int i = 0; i < n; i++) f(n, y); }"
        ),
        "the threads lie along `k`, inside the loop over `i`",
    ),
    "value_of_the_last_iteration": (
        "double work(int n, double *y) { double t = 0; for (int i = 0; i < n; i++) { t = i; y[i] = t; } return t; }",
        "the value of `t` after the loop may be used",
    ),
    "iterator_used_after": (
        "int work(int n, double *y) { int i; for (i = 0; i < n; i++) y[i] = i; return i; }",
        "the value of `i` after the loop may be used",
    ),
    "histogram": (
        "void work(int n, int *restrict h, const int *restrict k) { for (int i = 0; i < n; i++) h[k[i]]++; }",
        "how far `h[k[i]]` reaches is decided at run time",
    ),
    "early_exit": (
        "int work(int n, int *x) { for (int i = 0; i < n; i++) if (x[i] == 7) return i; return -1; }",
        "no loop of this nest is known to be parallel",
    ),
    "recurrence": (
        "void work(int n, double *x) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }",
        "no loop of this nest is known to be parallel",
    ),
    "sequential_loop_outside_of_the_threads_in_one_band": (
        (
            "void work(int n, double *restrict y, double a[n][n], double *restrict x) {"
            " for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) y[i] += a[k][i] * x[k]; }"
        ),
        "interchange the two loops first",
    ),
    "length_behind_a_pointer": (
        "struct s { int n; }; void work(struct s *s, double *y) { for (int i = 0; i < s->n; i++) y[i] = i; }",
        "`s->n` is reached through a pointer",
    ),
    "rows_reached_through_pointers": (
        "void work(int n, double **a) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = 0; }",
        "the row length of `a` is not known",
    ),
    "step_in_the_condition": (
        "void work(int n, double *x) { for (int i = n; i-- > 0;) x[i] = 0; }",
        "`for (int i = n; i-- > 0;)` is not of the form that OpenMP wants",
    ),
    "sum_in_the_condition": (
        "void work(int n, double *x) { for (int i = 0; i + 1 < n; i++) x[i] = 0; }",
        "is not of the form that OpenMP wants",
    ),
    "sum_in_the_condition_of_a_collapsed_loop": (
        "void work(int n, double a[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j + 1 < n; j++) a[i][j] = 0; }",
        "`for (int j = 0; j + 1 < n; j++)` is not of the form that OpenMP wants",
    ),
    "loops_of_a_macro": (
        (
            "#define NEST for (int t = 0; t < s; t++) for (int i = 1; i < n; i++)\n"
            "void work(int s, int n, double *x) { NEST x[i] = x[i] * 2 + t; }"
        ),
        "comes from a macro",
    ),
    "two_bounds": (
        "void work(int n, int m, double *y) { for (int i = 0; i < n && i < m; i++) y[i] = i; }",
        "not one comparison",
    ),
    "gather_from_a_pointer": (
        (
            "void work(int n, double *restrict y, const double *restrict x, const int *restrict k)"
            " { for (int i = 0; i < n; i++) y[i] = x[k[i]]; }"
        ),
        "how far `x[k[i]]` reaches is decided at run time",
    ),
    "stride_that_may_jump_over_the_end": (
        "void work(int n, double *y) { for (int i = 0; i < n; i += 4) y[i + 3] = i; }",
        "more than one bound, or the step, may end the loop over `i`",
    ),
    "offset_of_unknown_sign_that_data_guards": (
        (
            "void work(int n, int o, double *restrict y, const double *restrict x, const int *restrict k)"
            " { for (int i = 0; i < n; i++) if (k[i]) y[i] = x[i - o]; }"
        ),
        "whether `x` is used below its start is decided by a condition",
    ),
    "offset_of_unknown_sign": (
        (
            "void work(int n, int o, double *restrict y, const double *restrict x)"
            " { for (int i = 0; i < n; i++) y[i] = x[i] + x[i + o]; }"
        ),
        "which subscript of `x` is the smallest is not known",
    ),
    "array_shared_by_iterations": (
        (
            "void work(int n, double *restrict y, const double *restrict x) { double t[2] = {1, 2}; y[n] = t[0];"
            " for (int i = 0; i < n; i++) { t[0] = x[i]; t[1] = t[0] * t[0]; y[i] = t[1]; } }"
        ),
        "declare it in the loop's body",
    ),
    "host_statement_between_kernels": (
        (
            "void work(int s, int n, double *restrict y, double *restrict x) { for (int t = 0; t < s; t++) {"
            " for (int i = 0; i < n; i++) y[i] = x[i] + t; x[0] = y[n - 1]; } }"
        ),
        "on the host between kernels",
    ),
    "pointer_into_another_array": (
        "void work(int n, double *p) { double *q = p + 5; for (int i = 0; i < n; i++) q[i] = 0; }",
        "`q` points into another array",
    ),
    "store_through_a_pointer_into_another_array": (
        "double e[8], c[64]; void work(int n) { double *q = e; for (int i = 0; i < n; i++) { *q = 7; c[i] = i; } }",
        "`q` points into another array",
    ),
    "pointer_that_iterations_set_and_share": (
        (
            "double c[64]; void work(int n) { double *q, *r; for (int i = 0; i < n; i++) {"
            " double *s; s = c + i; q = s; *q = 4; } q = c; *q = 5; }"
        ),
        "`q` is one pointer for all iterations",
    ),
    "pointer_that_is_used_after_its_loop": (
        "double c[64]; void work(int n) { double *q; for (int i = 0; i < n; i++) { q = c + i; *q = 4; } *q = 5; }",
        "`&c[…]` is an address that is used behind the loop: on the device it would be another",
    ),
    "pointer_set_from_one_into_another_array": (
        (
            "double c[64]; void work(int n) { double *q = c + 1;"
            " for (int i = 0; i < n; i++) { double *r = q + i; *r = 4; } }"
        ),
        "`r` points into another array",
    ),
    "member_of_the_name_of_a_pointer_into_another_array": (
        (
            "double e[8], c[64]; struct s { double q; }; struct s s[64]; void work(int n) { double *q = e;"
            " for (int i = 0; i < n; i++) { s[i].q = 7; /* q = e */ c[i] = q[1]; } }"
        ),
        "`q` points into another array",
    ),
    "member_array_behind_a_pointer": (
        (
            "struct s { double *d; }; void work(int n, struct s *s, double *y) {"
            " for (int i = 0; i < n; i++) y[i] = s->d[i]; }"
        ),
        "is reached through a structure",
    ),
    "private_array_of_a_size_that_is_not_known": (
        (
            "void work(int n, int m, double *restrict y, const double *restrict x) { double t[m];"
            " for (int i = 0; i < n; i++) { t[0] = x[i]; t[1] = t[0] * t[0]; y[i] = t[1]; } }"
        ),
        "`t` is one array for all iterations: declare it in the loop's body",
    ),
    "last_value_that_not_every_iteration_sets": (
        (
            "double work(int n, double *restrict y, double *restrict z, const double *restrict x) { double t = 0;"
            " for (int i = 0; i < 9; i++) { z[i] = 0; for (int j = 0; j < n; j++)"
            " { t = x[j]; y[i * n + j] = t; } } return t; }"
        ),
        "it would be lost where the last iteration sets none",
    ),
    "update_that_is_no_statement_of_its_own": (
        (
            "void work(int n, int h[4096], const int *restrict k, int *restrict y)"
            " { for (int i = 0; i < n; i++) if (k[i] > 0) h[k[i]]++, y[i] = 0; }"
        ),
        "has to be atomic: make it a statement of its own",
    ),
    "place_of_an_extreme": (
        (
            "int work(int n, const double *x) { int at = 0;"
            " for (int i = 1; i < n; i++) if (x[i] > x[at]) at = i; return at; }"
        ),
        "for which there is no reduction",
    ),
    "rows_that_may_overlap": (
        (
            "void work(int n, int m, int ld, double *restrict y) { for (int i = 0; i < n; i++)"
            " for (int j = 0; j < m; j++) y[i * ld + j] = i; }"
        ),
        "it is not proved that `y[i * ld + j]` stays in its row",
    ),
    "joined_loops_that_depend_on_each_other_in_the_text": (
        (
            "void work(int n, int m, double *restrict y, const double *restrict x) { for (int j = 0; j < n; j++)"
            " for (int i = j * m; i < (j + 1) * m; i++) y[i] = x[i]; }"
        ),
        "depends on `j`, along which the threads lie too",
    ),
    "pointer_declared_between_joined_loops": (
        (
            "void work(int n, double a[n][n]) { for (int i = 0; i < n; i++) { double *row = a[i];"
            " for (int j = 0; j < n; j++) row[j] = j; } }"
        ),
        "stands between loops that are collapsed",
    ),
    "inside_of_a_parallel_region": (
        "void work(int n, double *y) {\n#pragma omp parallel\n{ for (int i = 0; i < n; i++) y[i] = i; } }",
        "the loop stands inside of `#pragma omp parallel`",
    ),
    "work_sharing_of_a_region_elsewhere": (
        "void work(int n, double *y) {\n#pragma omp for\nfor (int i = 0; i < n; i++) y[i] = i; }",
        "`omp for` shares out the iterations of a region around it",
    ),
    "directive_of_openacc": (
        "void work(int n, double *y) {\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) y[i] = i; }",
        "the loop over `i` already has a directive of OpenACC",
    ),
    "directive_from_an_operator": (
        (
            'void work(int n, double *y) {\n_Pragma("omp target teams distribute parallel for")\n'
            "for (int i = 0; i < n; i++) y[i] = i; }"
        ),
        "is not written there",
    ),
    "variables_of_a_directive_from_a_macro": (
        (
            "#define VEC x[0:n]\nvoid work(int n, double *restrict y, const double *restrict x) {\n"
            "#pragma omp target teams distribute parallel for map(to: VEC)\nfor (int i = 0; i < n; i++) y[i] = x[i]; }"
        ),
        "`map(to: VEC)` of the directive has its variables from a macro",
    ),
    "clauses_of_a_directive_from_a_macro": (
        (
            "#define MAPS map(to: x[0:n]) map(from: y[0:n])\n"
            "void work(int n, double *restrict y, const double *restrict x) {\n"
            "#pragma omp target teams distribute parallel for MAPS\nfor (int i = 0; i < n; i++) y[i] = x[i]; }"
        ),
        "has its variables from a macro",
    ),
    "directive_at_the_inner_loop": (
        (
            "void work(int n, double a[n][n]) { for (int i = 0; i < n; i++)\n"
            "#pragma omp target teams distribute parallel for\nfor (int j = 0; j < n; j++) a[i][j] = 0; }"
        ),
        "the loop over `j` has a directive of its own",
    ),
    "directive_that_says_private_of_a_sum": (
        (
            "double work(int n, double *y) { double s = 0;\n#pragma omp target teams loop private(s)\n"
            "for (int i = 0; i < n; i++) s += y[i]; return s; }"
        ),
        "`private(s)` of the directive, but the loop's iterations combine `s` (+)",
    ),
    "directive_that_says_shared_of_a_variable_of_each_iteration": (
        (
            "void work(int n, double *y) { double t;\n#pragma omp parallel for shared(t)\n"
            "for (int i = 0; i < n; i++) { t = y[i]; y[i] = t * t; } }"
        ),
        "`shared(t)` of the directive, but each iteration of the loop sets `t`",
    ),
    "number_of_host_threads": (
        (
            "void work(int n, double *y) {\n#pragma omp parallel for num_threads(8)\n"
            "for (int i = 0; i < n; i++) y[i] = i; }"
        ),
        "`num_threads(8)` of the directive is meant for the host's threads",
    ),
    "pragma_of_the_compiler": (
        "void work(int n, double *y) {\n#pragma GCC ivdep\nfor (int i = 0; i < n; i++) y[i] = i; }",
        "`#pragma GCC ivdep` wants the loop over `i` right below it",
    ),
}


@pytest.mark.parametrize(("source", "reason"), REFUSED.values(), ids=REFUSED)
def test_port_is_refused_with_the_reason(source: str, reason: str, analyse_c) -> None:
    text, ports = ported_text(source, analyse_c(source))
    assert text == source
    assert [port.lines for port in ports] == [()]
    assert reason in ports[0].refusal
