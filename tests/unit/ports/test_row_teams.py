"""Ports with a team per row: when directives ask for one, what that is predicted to gain, why it can't be asked for."""

import pytest
from support.fix_fixtures.contexts import contexts
from warplens.analysis.engine.options import AnalysisOptions, SizeChoice
from warplens.analysis.ports.catalogue import edits_of, offers
from warplens.analysis.ports.fix import FixContext, FixEdits, OfferedFix, applied

PARAMETERS = "int n, int m, const float *restrict a, const float *restrict x, float *restrict y"
ROW = "float sum = 0;\n{}for (int j = 0; j < m; j++) {{\n{}\n}}\ny[i] = sum;"
PLAIN = ROW.format("", "sum += a[i * m + j] * x[j];")
FEW_ROWS = AnalysisOptions(sizes=(SizeChoice("n", 512, "setting"), SizeChoice("m", 4096, "setting")))


def context_of(
    analyse_c, row: str, above: str = "", outside: str = "", options: AnalysisOptions = FEW_ROWS
) -> FixContext:
    source = f"void f({PARAMETERS})\n{{\n{outside}\n{above}for (int i = 0; i < n; i++) {{\n{row}\n}}\n}}\n"
    (context,) = contexts(source, analyse_c(source, options=options))
    return context


def port(context: FixContext, code: str = "openmp") -> tuple[OfferedFix, FixEdits]:
    (offer,) = (offer for offer in offers(context) if offer.code == code)
    return offer, edits_of(context, offer)


@pytest.mark.parametrize("code", ["openmp", "openacc"])
def test_effect_is_that_of_the_mapping_that_is_written(analyse_c, code: str) -> None:
    context = context_of(analyse_c, PLAIN)
    flat, teams = context.evaluation.in_source_order, context.evaluation.in_row_teams
    assert teams is not None
    offer, _ = port(context, code)
    assert offer.effect is not None
    assert offer.launch.startswith("a team of ")
    threads, *rows = (int(word.rstrip(",")) for word in offer.launch.split() if word.rstrip(",").isdigit())
    ranking = teams.kernels[0].ranking
    assert ranking is not None
    wanted = (threads, *(rows or [1]), 1)
    (time_s,) = (each.time_s for each in ranking.ranked if each.launch.block == wanted)
    cpu_s = min(teams.cpu_time.one_core_s, teams.cpu_time.all_cores_s)
    assert teams.offload is not None
    assert offer.effect.resident == pytest.approx(cpu_s / teams.offload.resident_with(time_s))
    assert flat.kernels[0].ranking is not None
    assert flat.kernels[0].ranking.line is not None
    assert time_s * 1.1 < flat.kernels[0].ranking.line.time_s


def test_the_source_s_order_stays_where_its_threads_are_enough(analyse_c) -> None:
    many = AnalysisOptions(sizes=(SizeChoice("n", 4_000_000, "setting"), SizeChoice("m", 8, "setting")))
    context = context_of(analyse_c, "for (int j = 0; j < m; j++)\ny[i] += a[j * n + i];", options=many)
    assert context.evaluation.in_row_teams is None
    offer, edits = port(context)
    assert offer.launch.startswith("block ")
    assert "parallel for thread_limit" in edits.edits[0].text
    assert "for a team" not in edits.note


REASONS = {
    "pointer_of_the_rows": (
        ROW.format("", "p = a + i * m; sum += p[j] * x[j];"),
        "const float *p;",
        "`p` is one pointer for all iterations over `j`",
    ),
    "element_by_a_name_of_the_loop": (
        "for (int j = 0; j < m; j++) { int q = i; y[q] += a[i * m + j]; }",
        "",
        "the element of `y` that is added up in can't be said in a clause",
    ),
    "pragma_that_stands_there": (
        ROW.format("#pragma GCC unroll 4\n", "sum += a[i * m + j] * x[j];"),
        "",
        "`#pragma GCC unroll 4` wants the loop over `j` right below it",
    ),
    "header_with_a_comma": (
        "float sum = 0;\nfor (int j = 0; j < m; j++, sum += 1)\nsum += a[i * m + j];\ny[i] = sum;",
        "",
        "the header of the loop over `j` is not of the form that directives want",
    ),
}


@pytest.mark.parametrize("name", REASONS)
def test_reason_why_there_is_no_team_is_said_with_the_port(analyse_c, name: str) -> None:
    row, outside, reason = REASONS[name]
    context = context_of(analyse_c, row, outside=outside)
    offer, edits = port(context)
    assert not offer.refusal
    assert "parallel for thread_limit" in "".join(edit.text for edit in edits.edits)
    assert f"a thread per row, since for a team {reason}" in edits.note


def test_sum_in_an_element_is_openmp_s_alone(analyse_c) -> None:
    context = context_of(analyse_c, "for (int j = 0; j < m; j++)\ny[i] += a[i * m + j];")
    _, made = port(context, "openmp")
    assert "reduction(+: y[i:1])" in made.edits[1].text
    _, made = port(context, "openacc")
    assert "for which OpenACC's compilers have no reduction: add up in a variable" in made.note


def test_sums_in_another_order_are_an_assumption(analyse_c) -> None:
    _, made = port(context_of(analyse_c, PLAIN))
    assert [text for text in made.rests_on if text.startswith("`sum` is combined in an order of the threads")]


SAID = {
    "openmp": (
        "#pragma omp target teams distribute thread_limit({}) map(to: a[0:m*n], x[0:m]) map(from: y[0:n])\n",
        "#pragma omp parallel for reduction(+: sum)\n",
    ),
    "openacc": (
        "#pragma acc parallel loop gang vector_length({}) copyin(a[0:m*n], x[0:m]) copyout(y[0:n])\n",
        "#pragma acc loop vector reduction(+: sum)\n",
    ),
}


@pytest.mark.parametrize("code", SAID)
@pytest.mark.parametrize("threads", [32, 256, 1024])
def test_launch_of_now_is_that_of_the_teams_that_are_said(analyse_c, code: str, threads: int) -> None:
    above, inner = SAID[code]
    row = ROW.format(inner, "sum += a[i * m + j] * x[j];")
    context = context_of(analyse_c, row, above.format(threads))
    for evaluation in (context.evaluation, context.evaluation.in_source_order):
        kernel = next(each for each in evaluation.kernels if each.kernel.root == 0)
        assert kernel.ranking is not None
        assert kernel.ranking.current is not None
        assert kernel.ranking.line is not None
        assert kernel.ranking.current.launch.block == (threads, 1, 1)
        assert kernel.ranking.current.time_s >= kernel.ranking.line.time_s
    offer, made = port(context, code)
    assert offer.effect is not None
    assert offer.effect.copied is None
    assert offer.effect.resident >= 1
    after = applied(context.source, made)
    assert after.count("#pragma") == 2
    (again,) = contexts(after, analyse_c(after, options=FEW_ROWS))
    assert port(again, code)[0].refusal == "the directives are there already as they would be written"


def test_rows_of_several_kernels_get_their_own_form(analyse_c) -> None:
    """In a loop over time one kernel has rows to share, the other is flat."""
    source = (
        f"void f(int t, {PARAMETERS}, float *restrict z)\n{{\nfor (int s = 0; s < t; s++) {{\n"
        f"for (int i = 0; i < n; i++) {{\n{PLAIN}\n}}\nfor (int i = 0; i < n; i++)\nz[i] += y[i] * s;\n}}\n}}\n"
    )
    sizes = (*FEW_ROWS.sizes, SizeChoice("t", 100, "setting"))
    (context,) = contexts(source, analyse_c(source, options=AnalysisOptions(sizes=sizes)))
    offer, made = port(context)
    text = applied(source, made)
    assert text.count("#pragma omp target teams distribute parallel for thread_limit") == 1
    assert text.count("#pragma omp parallel for reduction(+: sum)") == 1
    assert "a team of" in offer.launch
    assert "block" in offer.launch


def test_teams_have_to_gain_over_the_tiles_that_openacc_can_ask_for(analyse_c) -> None:
    """OpenMP's threads of a small product lie in a line, uncoalesced: there a team per element is faster."""
    source = (
        "void work(int n, double c[n][n], double a[n][n], double b[n][n])\n{\nfor (int i = 0; i < n; i++)\n"
        "for (int j = 0; j < n; j++) {\ndouble sum = 0;\nfor (int k = 0; k < n; k++)\nsum += a[i][k] * b[k][j];\n"
        "c[i][j] = sum;\n}\n}\n"
    )
    options = AnalysisOptions(sizes=(SizeChoice("n", 128, "setting"),))
    (context,) = contexts(source, analyse_c(source, options=options, gpu="gtx1080"))
    ranking = context.evaluation.in_source_order.kernels[0].ranking
    teams = context.evaluation.in_row_teams
    assert ranking is not None
    assert ranking.line is not None
    assert ranking.unstaged is not None
    assert teams is not None
    team_s = teams.kernels[0].prediction.time_s
    assert ranking.unstaged.time_s < 1.1 * team_s < ranking.line.time_s
    assert port(context, "openmp")[0].launch.startswith("a team of ")
    assert port(context, "openacc")[0].launch.startswith("block ")
