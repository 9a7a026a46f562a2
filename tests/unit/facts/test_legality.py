"""Legality of the textbook's nests: what may be permuted, tiled, skewed, split and joined, and why not."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.transforms.dependence_graph import StatementDependence
from warplens.analysis.dependence.transforms.legality import perfect_band
from warplens.analysis.dependence.transforms.nest_legality import NestLegality, legality_of
from warplens.analysis.dependence.transforms.permuted_bounds import LoopBounds
from warplens.analysis.dependence.transforms.tiling import tileable_band
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest, loops_of

Ask = Callable[..., NestLegality]

PARAMETERS = (
    "int n, int m, int t, double a[n][n], double b[n][n], double c[n][n], double *restrict x, double *restrict y"
)
EACH = "for (int i = 0; i < n; i++) "
BOTH = EACH + "for (int j = 0; j < n; j++) "


@pytest.fixture
def ask(nests_of: Callable[[str], list[LoopNest]]) -> Ask:
    """Legality of the only nest of a body."""

    def of(body: str, before: str = "", after: str = "") -> NestLegality:
        (nest,) = nests_of(f"void unseen(double *); void f({PARAMETERS}) {{ {before} {body} {after} }}")
        split = delinearise(nest)
        return legality_of(split, loop_verdicts(split))

    return of


def ids(asked: NestLegality) -> list[NodeId]:
    return [loop.id for loop in loops_of(asked.nest)]


def header(bounds: LoopBounds) -> str:
    starts, limits = (", ".join(sorted(map(str, part))) for part in (bounds.starts, bounds.limits))
    return f"{bounds.iterator} = {starts} .. {limits}"


def vectors(dependences: tuple[StatementDependence, ...]) -> set[tuple[str, str, tuple[int | None, ...]]]:
    return {(d.kind, "".join(d.vector.directions), d.vector.distances) for d in dependences}


GEMM = BOTH + "for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j];"
GAUSS_SEIDEL = (
    "for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
    " a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j]) * 0.25;"
)
DIAGONAL = "for (int i = 1; i < n; i++) for (int j = 0; j < n - 1; j++) a[i][j] = a[i - 1][j + 1];"
JACOBI = (
    "for (int s = 0; s < t; s++) for (int i = 1; i < n - 1; i++) a[s + 1][i] = a[s][i - 1] + a[s][i] + a[s][i + 1];"
)
FLOYD_WARSHALL = "for (int k = 0; k < n; k++) " + BOTH + (
    "a[i][j] = a[i][k] + a[k][j] < a[i][j] ? a[i][k] + a[k][j] : a[i][j];"
)  # fmt: skip
LU = (
    "for (int k = 0; k < n; k++) { for (int i = k + 1; i < n; i++) a[i][k] /= a[k][k];"
    " for (int i = k + 1; i < n; i++) for (int j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j]; }"
)
TRIANGULAR_SOLVE = "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) x[i] -= a[i][j] * x[j];"


def test_all_dependences_of_a_stencil_have_their_vectors(ask: Ask) -> None:
    assert vectors(ask(GAUSS_SEIDEL).graph.dependences) == {
        ("flow", "<=", (1, 0)),
        ("flow", "=<", (0, 1)),
        ("anti", "<=", (1, 0)),
        ("anti", "=<", (0, 1)),
    }


def test_a_dependence_in_one_iteration_has_no_carrier(ask: Ask) -> None:
    (found,) = ask(EACH + "{ x[i] = 1; y[i] = x[i]; }").graph.dependences
    assert (found.kind, found.carrier, found.vector.distances) == ("flow", None, (0,))
    assert found.source_statement < found.sink_statement


def test_distances_that_vary_are_split_by_direction(ask: Ask) -> None:
    found = ask("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x[i + j] = 0;").graph.dependences
    assert vectors(found) == {("output", "<>", (None, None))}
    assert found[0].vector.ranges == ((1, None), (None, -1))


def test_a_subscript_in_memory_is_conservative(ask: Ask) -> None:
    found = ask(EACH + "a[0][(int)y[i]] = i;").graph.dependences
    assert {d.vector.directions for d in found} == {("<",)}
    assert not any(d.vector.is_exact for d in found)


def test_an_object_declared_in_the_body_carries_nothing(ask: Ask) -> None:
    asked = ask(BOTH + "{ double u = a[i][j]; b[i][j] = u * u; }")
    assert [(d.variable, d.carrier) for d in asked.graph.dependences] == [("u", None)]


def test_matrix_product_in_all_six_orders(ask: Ask) -> None:
    asked = ask(GEMM)
    assert all(asked.permutation(order).legality.is_legal for order in permutations(ids(asked)))
    assert asked.tiling(ids(asked)).is_legal
    assert {a.subject for a in asked.tiling(ids(asked)).assumptions} == {"a, c", "b, c"}


def test_gauss_seidel_is_permutable_and_needs_wavefronts(ask: Ask) -> None:
    asked = ask(GAUSS_SEIDEL)
    assert not any(verdict.can_run_in_parallel for verdict in asked.verdicts)
    assert asked.interchange(*ids(asked)).legality.is_legal
    assert asked.tiling(ids(asked)).is_legal
    assert (asked.skewing(*ids(asked)).tiling_factor, asked.skewing(*ids(asked)).wavefront_factor) == (0, 1)
    assert not asked.reversal(ids(asked)[0]).is_legal


def test_the_other_diagonal_keeps_both_from_being_tiled_and_interchanged(ask: Ask) -> None:
    asked = ask(DIAGONAL)
    for answer in (asked.interchange(*ids(asked)).legality, asked.tiling(ids(asked))):
        assert not answer.is_legal
        assert answer.is_proved
        assert vectors(answer.because) == {("flow", "<>", (1, -1))}
    assert tileable_band(asked.graph, asked.nest.root) == perfect_band(asked.nest.root)[:1]
    assert asked.reversal(ids(asked)[1]).is_legal


def test_time_tiling_of_jacobi_needs_a_skew_of_one_per_step(ask: Ask) -> None:
    asked = ask(JACOBI)
    assert not asked.tiling(ids(asked)).is_legal
    assert asked.skewing(*ids(asked)).tiling_factor == 1
    assert asked.skewing(*ids(asked)).wavefront_factor == 2


def test_skew_factor_is_that_of_the_steepest_distance(ask: Ask) -> None:
    asked = ask(
        "for (int i = 2; i < n; i++) for (int j = 0; j < n - 7; j++) a[i][j] = a[i - 2][j + 7] + a[i - 1][j + 2];"
    )
    assert (asked.skewing(*ids(asked)).tiling_factor, asked.skewing(*ids(asked)).wavefront_factor) == (4, 4)


def test_floyd_warshall_keeps_its_outermost_loop(ask: Ask) -> None:
    asked = ask(FLOYD_WARSHALL)
    k, i, j = ids(asked)
    assert asked.interchange(i, j).legality.is_legal
    outermost = asked.interchange(k, i).legality
    assert not outermost.is_legal
    assert outermost.is_proved
    assert not asked.permutation((i, j, k)).legality.is_legal


def test_lu_permutes_its_update_and_nothing_else(ask: Ask) -> None:
    asked = ask(LU)
    k, scale, i, j = ids(asked)
    assert [header(b) for b in asked.interchange(i, j).bounds] == ["j = k + 1 .. n", "i = k + 1 .. n"]
    assert "not perfectly nested" in asked.interchange(k, i).legality.reason
    assert asked.fusion(scale, i).is_legal
    split = asked.fission(k)
    assert not split.legality.is_legal
    assert split.legality.is_proved


def test_triangular_solve_by_columns(ask: Ask) -> None:
    asked = ask(TRIANGULAR_SOLVE)
    answer = asked.interchange(*ids(asked))
    assert answer.legality.is_legal
    assert [header(b) for b in answer.bounds] == ["j = 0 .. n - 1", "i = j + 1 .. n"]


def test_upper_triangle_and_descending_loops_get_new_bounds(ask: Ask) -> None:
    asked = ask("for (int i = 0; i < n; i++) for (int j = i; j < m; j++) a[i][j] = 0;")
    assert [header(b) for b in asked.interchange(*ids(asked)).bounds] == ["j = 0 .. m", "i = 0 .. j + 1, n"]
    asked = ask("for (int i = n - 1; i >= 0; i--) for (int j = n - 1; j > i; j--) a[i][j] = 0;")
    assert [header(b) for b in asked.interchange(*ids(asked)).bounds] == ["j = n - 1 .. 0", "i = j - 1 .. -1"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("for (int i = 0; i < n; i++) for (int j = 0; j < 2 * i; j++) a[i][j] = 0;", "would need a division"),
        ("for (int i = 0; i < n; i += 2) for (int j = i; j < n; j++) a[i][j] = 0;", "steps of 2"),
        (EACH + "for (int j = 0; j < (int)x[i]; j++) a[i][j] = 0;", "does not follow from its header"),
        (EACH + "{ y[i] = 0; for (int j = 0; j < n; j++) a[i][j] = 0; }", "not perfectly nested"),
        (BOTH + "unseen(a[i]);", "calls `unseen`"),
        (BOTH + "{ if (x[j] > 0) break; a[i][j] = 0; }", "leaves the loop early"),
    ],
)
def test_refusals_name_their_reason(ask: Ask, body: str, reason: str) -> None:
    asked = ask(body)
    answer = asked.interchange(*ids(asked)[:2]).legality
    assert (answer.is_legal, answer.because) == (False, ())
    assert reason in answer.reason


def test_rectangular_loops_with_steps_keep_their_headers(ask: Ask) -> None:
    asked = ask("for (int i = 0; i < n; i += 4) for (int j = n; j > 0; j -= 2) a[i][j] = 0;")
    bounds = asked.interchange(*ids(asked)).bounds
    assert [(b.iterator, b.step) for b in bounds] == [("j", -2), ("i", 4)]


def test_swap_below_the_diagonal_is_permutable(ask: Ask) -> None:
    asked = ask("for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) {"
                " double u = a[i][j]; a[i][j] = a[j][i]; a[j][i] = u; }")  # fmt: skip
    assert asked.interchange(*ids(asked)).legality.is_legal


def test_a_sum_is_reordered_and_a_temporary_is_private(ask: Ask) -> None:
    asked = ask(BOTH + "s += a[i][j];", before="double s = 0;", after="x[0] = s;")
    answer = asked.interchange(*ids(asked)).legality
    assert (answer.is_legal, answer.reordered, answer.private) == (True, ("s",), ())
    asked = ask(BOTH + "{ u = a[i][j]; b[j][i] = u; }", before="double u;")
    answer = asked.interchange(*ids(asked)).legality
    assert (answer.is_legal, answer.reordered, answer.private) == (True, (), ("u",))


def test_a_temporary_that_is_used_afterwards_keeps_the_last_iteration_last(ask: Ask) -> None:
    asked = ask(BOTH + "{ u = a[i][j]; b[j][i] = u; }", before="double u;", after="x[0] = u;")
    answer = asked.interchange(*ids(asked)).legality
    assert not answer.is_legal
    assert {d.variable for d in answer.because} == {"u"}


def test_an_iterator_that_is_used_afterwards_keeps_its_loop(ask: Ask) -> None:
    asked = ask("for (i = 0; i < n; i++) for (j = 0; j < n; j++) a[i][j] = 0;", before="int i, j;", after="x[0] = j;")
    assert asked.interchange(*ids(asked)).legality.reason == "`j` is used after the loop"


def test_fission_frees_the_parallel_part_of_a_recurrence(ask: Ask) -> None:
    asked = ask("for (int i = 1; i < n; i++) { x[i] = x[i - 1] + 1; y[i] = y[i] * x[i]; }")
    split = asked.fission(asked.nest.root.id)
    assert split.legality.is_legal
    assert [part.is_parallel for part in split.parts] == [False, True]
    assert vectors(split.parts[0].carried) == {("flow", "<", (1,))}
    assert [cut.is_legal for cut in split.cuts] == [True]


def test_fission_puts_the_source_first_whatever_the_text_says(ask: Ask) -> None:
    asked = ask("for (int i = 1; i < n; i++) { y[i] = x[i - 1]; x[i] = a[0][i]; }")
    split = asked.fission(asked.nest.root.id)
    reader, writer = (statement.id for statement in asked.nest.root.body)
    assert [part.statements for part in split.parts] == [(writer,), (reader,)]
    assert all(part.is_parallel for part in split.parts)
    assert [cut.is_legal for cut in split.cuts] == [False]
    assert vectors(split.cuts[0].because) == {("flow", "<", (1,))}


def test_a_cycle_of_statements_is_not_split(ask: Ask) -> None:
    asked = ask("for (int i = 1; i < n; i++) { x[i] = y[i - 1] + 1; y[i] = x[i - 1]; a[0][i] = x[i]; }")
    split = asked.fission(asked.nest.root.id)
    first, second, third = (statement.id for statement in asked.nest.root.body)
    assert [part.statements for part in split.parts] == [(first, second), (third,)]
    assert [cut.is_legal for cut in split.cuts] == [False, True]
    assert split.cuts[0].is_proved


def test_scalars_between_the_parts_are_expanded(ask: Ask) -> None:
    body = "for (int i = 1; i < n; i++) { u = y[i] * 2; x[i] = x[i - 1] + u; v = x[i]; a[0][i] = v; a[1][i] = v; }"
    split = ask(body, before="double u, v;").fission(NodeId(0))
    assert split.expanded == ("u", "v")
    assert [part.is_parallel for part in split.parts] == [True, False, True, True, True]
    assert [cut.private for cut in split.cuts] == [("u",), (), ("v",), ("v",)]
    kept = ask(body, before="double u, v;", after="y[0] = v;").fission(NodeId(0))
    assert [a.subject for a in kept.legality.assumptions if a.kind == "context"] == ["v"]


def test_prefix_sum_is_neither_split_nor_reversed(ask: Ask) -> None:
    asked = ask(EACH + "{ s += x[i]; y[i] = s; }", before="double s = 0;")
    split = asked.fission(asked.nest.root.id)
    assert len(split.parts) == 1
    assert not split.parts[0].is_parallel
    assert {d.variable for d in split.legality.because} == {"s"}
    assert not asked.reversal(asked.nest.root.id).is_legal


def test_two_sums_into_one_variable_are_split(ask: Ask) -> None:
    split = ask(EACH + "{ s += x[i]; s += y[i]; }", before="double s = 0;", after="x[0] = s;").fission(NodeId(0))
    assert split.legality.is_legal
    assert split.legality.reordered == ("s",)
    assert [part.reductions for part in split.parts] == [("s",), ("s",)]


def test_a_statement_that_reads_an_inner_loop_s_iterator_stays_with_it(ask: Ask) -> None:
    split = ask(EACH + "{ for (j = 0; j < n; j++) a[i][j] = 0; x[i] = j; y[i] = 1; }", before="int j;").fission(
        NodeId(0)
    )
    assert len(split.parts) == 2


def test_fusion_of_producer_and_consumer(ask: Ask) -> None:
    producer = "for (int j = 0; j < n; j++) x[j] = a[i][j];"
    for shift, is_legal in ((0, True), (-1, True), (1, False)):
        asked = ask(EACH + "{" + producer + f" for (int j = 0; j < n; j++) b[i][j] = x[j + {shift}]; }}")
        _, first, second = ids(asked)
        answer = asked.fusion(first, second)
        assert answer.is_legal == is_legal
        if not is_legal:
            assert vectors(answer.because) == {("anti", "=<", (0, 1))}


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ("for (int j = 1; j < n; j++) y[j] = 0;", "same iterations"),
        ("for (int k = 0; k < n; k++) y[k] = 0;", "count with `j` and `k`"),
        ("y[0] = 0; for (int j = 0; j < n; j++) y[j] = 0;", "next to each other"),
    ],
)
def test_fusion_refusals_name_their_reason(ask: Ask, second: str, reason: str) -> None:
    asked = ask(EACH + "{ for (int j = 0; j < n; j++) x[j] = 0; " + second + " }")
    assert reason in asked.fusion(ids(asked)[1], ids(asked)[2]).reason


def test_work_is_bounded_with_a_conservative_answer(ask: Ask) -> None:
    deep = "".join(f"for (int i{d} = 0; i{d} < n; i{d}++) " for d in range(6))
    sum_of = ["+".join(f"{1 + (3 * d + s) % 5} * i{d}" for d in range(6)) for s in range(6)]
    asked = ask(deep + "{" + "".join(f"x[{p}] = x[{q}];" for p in sum_of for q in sum_of if p != q) + "}")
    answer = asked.tiling(ids(asked))
    assert not answer.is_legal
    assert "`x`" in answer.reason
    wide = ask(EACH + "{" + "".join(f"x[i + {k}] = x[i + {k + 90}];" for k in range(90)) + "}")
    assert "more than 80 different ways" in wide.fission(NodeId(0)).legality.reason


def test_the_place_of_a_maximum_keeps_its_order(ask: Ask) -> None:
    asked = ask(BOTH + "if (a[i][j] > most) { most = a[i][j]; at = j; }", before="double most = 0; int at = 0;",
                after="x[at] = most;")  # fmt: skip
    answer = asked.interchange(*ids(asked)).legality
    assert not answer.is_legal
    assert {d.variable for d in answer.because} == {"at", "most"}


def test_nothing_is_computed_until_a_question_is_asked(ask: Ask) -> None:
    asked = ask(GEMM)
    assert "graph" not in vars(asked)
    assert asked.graph is asked.graph
