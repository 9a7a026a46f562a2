"""Constraints that share no column with what is asked are left out, and still have to hold."""

from __future__ import annotations

from support.iteration_order.labels import judged
from warplens.analysis.dependence.integer_sets.constraint_components import columns_of_system, part_with
from warplens.analysis.dependence.integer_sets.constraint_rows import System, exceeds, is_least


def test_what_is_linked_stays_together() -> None:
    system = System()
    system.add(exceeds({"n": 1}, {"x": 1}), is_least({"m": 1}), is_least({"": 1}), exceeds({"m": 1}, {"k": 1}))
    system.choose((is_least({"q": 1}), is_least({"k": 1})), (exceeds({"q": 1}, {"r": 1}),))
    main, rest = part_with(system, ("x",))
    assert (columns_of_system(main), columns_of_system(rest)) == ({"n", "x"}, {"m", "k", "q", "r"})
    assert (len(main.rows), len(rest.rows), len(main.choices), len(rest.choices)) == (2, 2, 0, 1)
    everything, nothing = part_with(system, ("r", "x"))
    assert (len(everything.rows), everything.choices) == (4, system.choices)
    assert (nothing.rows, nothing.choices) == ([], [])


def kinds(body: str) -> list[str]:
    ((found),) = (nest.verdicts for nest in judged(f"void f(int n, int m, int *restrict b, double *a) {{ {body} }}"))
    return [verdict.kind for verdict in found]


def test_guards_on_the_loops_around_that_exclude_each_other_keep_their_statements_apart() -> None:
    inner = "for (int i = 1; i < n; i++) { if (t %s) a[i] = 1; if (t %s) b[i] = a[i - 1]; }"
    loop = f"for (int t = 0; t < m; t++) {inner}"
    assert kinds(loop % ("< 5", ">= 5"))[1] == "parallel"
    assert kinds(loop % ("< 5", ">= 4"))[1] == "carried"


def test_guards_of_data_around_say_nothing_of_the_iterations_inside() -> None:
    loop = "for (int t = 0; t < m; t++) { if (b[t] > 3 && m != 7) for (int i = 1; i < n; i++) a[i + %s] = a[i - 1]; }"
    assert kinds(loop % "0")[1] == "carried"
    assert kinds(loop % "n")[1] == "parallel"
