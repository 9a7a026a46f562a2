"""Two variables that have one name in the source: what is known of one is not said of the other."""

from __future__ import annotations

from support.iteration_order.labels import judged
from warplens.analysis.ir.promises.unshared import Unshared


def test_two_pointers_of_one_name_are_not_said_to_differ_from_themselves() -> None:
    parameters = "int n, double *x, double *y, int c, int d"
    body = "{ double *q = c ? x : y; q[i] = 1; } { double *q = d ? x : y; q[i] = 2; }"
    source = f"void f({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    (open_,) = judged(source)
    assert open_.verdicts[0].suggestion == "// warplens: q has no shared elements"
    (said,) = judged(source, (Unshared("q"),))
    assert said.verdicts[0].kind == "parallel"
    assert [(a.kind, a.subject) for a in said.verdicts[0].assumptions] == [("promise", "q")]


CALLED = "double *row(double *, int); static double sq(double p) { return p * p; } "


def test_a_variable_of_an_earlier_loop_does_not_say_what_one_of_its_name_is() -> None:
    earlier = "for (int i = 0; i < n; i++) { double *r = row(a, i); t[i] = sq(r[0]); }"
    later = "{ double *r = row(a, 3); for (int i = 0; i < n; i++) r[i] = a[i + 1]; }"
    _, alone = judged(f"{CALLED} void f(int n, double *a, double *t) {{ {earlier} {later} }}")
    assert alone.verdicts[0].kind == "parallel"
    assert [a.kind for a in alone.verdicts[0].assumptions] == ["alias"]


def test_work_memory_of_a_loop_is_private_whatever_an_earlier_one_calls_so() -> None:
    earlier = "for (int i = 0; i < n; i++) { double w[2]; w[0] = a[i]; t[i] = sq(w[0]); }"
    later = (
        "for (int i = 0; i < n; i++) { double w[2]; for (int c = 0; c < 2; c++) w[c] = a[i + c]; t[i] = w[0] + w[1]; }"
    )
    _, second = judged(f"{CALLED} void f(int n, const double *restrict a, double *restrict t) {{ {earlier} {later} }}")
    assert (second.verdicts[0].kind, second.verdicts[0].private) == ("parallel", ("w",))
