"""Loops of which people asked whether a GPU could run them: what is known of each must be what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from warplens.analysis.engine.report import Report

FOLDER = Path(__file__).parents[2] / "fixtures" / "asked"
VERDICTS = {
    "all_pairs": {"all_pairs": ["unknown unknown unknown"]},
    "few_outermost": {"eliminate": ["parallel carried parallel parallel"]},
    "offload_mistakes": {
        "no_reduction": ["reduction"], "chain": ["carried"], "half_mapped": ["parallel"], "one_team": ["parallel"],
    },
    "one_element": {"count_primes": ["reduction reduction"]},
    "own_abort": {"halve": ["parallel"], "halve_too": ["parallel"], "halve_plain": ["parallel"]},
    "pragma_word": {
        "by_call": ["parallel"], "by_table": ["parallel"], "by_row_start": ["parallel parallel"],
        "by_scratch": ["parallel reduction"], "wrong_word": ["carried"],
    },
    "row_head": {
        "update_rows": ["parallel parallel reduction parallel"], "update_points": ["parallel parallel reduction"],
        "scale_rows": ["parallel parallel"], "scale_points": ["parallel parallel"],
        "normalise_rows": ["parallel reduction parallel"],
    },
    "spin_wait": {"take_turn": ["parallel"], "rows": ["unknown parallel"]},
    "tally": {"tally": ["reduction"]},
    "time_loop": {
        "setup": ["parallel parallel parallel"], "move": ["parallel parallel"],
        "collide": ["parallel parallel reduction parallel"], "average": ["reduction reduction"],
        "main": ["carried parallel parallel parallel parallel reduction parallel reduction reduction"],
    },
    "two_mallocs": {
        "set_up": ["parallel parallel parallel"], "shift": ["parallel parallel"],
        "blend": ["parallel parallel parallel"],
        "main": ["carried parallel parallel parallel parallel parallel"],
    },
}  # fmt: skip
RULES = {
    "offload_mistakes": [(6, "WL103"), (13, "WL103"), (19, "WL104"), (19, "WL104"), (26, "WL304")],
    "one_element": [(6, "WL104")],
    "pragma_word": [(36, "WL103")],
}
"""What directives get wrong, by line."""


@pytest.fixture(params=VERDICTS)
def asked(request: pytest.FixtureRequest, analyse_c, few_launches) -> tuple[str, str, Report]:
    """A file's name, text and report."""
    del few_launches
    source = (FOLDER / f"{request.param}.c").read_text(encoding="utf-8")
    return request.param, source, analyse_c(source)


def test_what_is_known_of_a_loop_is_said(asked: tuple[str, str, Report]) -> None:
    name, source, report = asked
    found = {
        function.name: [" ".join(v.kind for v in nest.evaluation.facts.verdicts) for nest in function.nests]
        for function in report.functions
    }
    assert found == VERDICTS[name]
    said = [
        (source.count("\n", 0, nest.spans.base + dict(nest.spans.header)[finding.node].start) + 1, finding.code)
        for function in report.functions
        for nest in function.nests
        for finding in nest.findings
        if finding.code in {"WL103", "WL104", "WL304"}
    ]
    assert said == RULES.get(name, [])


def test_a_directive_is_its_authors_word_and_asks_for_no_promise(analyse_c, few_launches) -> None:
    del few_launches
    report = analyse_c((FOLDER / "pragma_word.c").read_text(encoding="utf-8"))
    nests = [nest for function in report.functions for nest in function.nests]
    on_word = [nest.evaluation.facts.verdicts[0].word is not None for nest in nests]
    assert on_word == [True, True, True, False, False]
    assert not any(v.conditions for nest in nests for v in nest.evaluation.facts.verdicts)
    assert all(nest.evaluation.kernels for nest in nests[:4])


def test_rows_and_columns_of_shortest_paths_ask_for_a_promise_that_is_true(analyse_c, few_launches) -> None:
    del few_launches
    source = (FOLDER / "all_pairs.c").read_text(encoding="utf-8")
    said = source.replace("// warplens: n = 2000", "// warplens: n = 2000, dist has no negative cycles")
    ((nest,),) = [function.nests for function in analyse_c(said).functions]
    assert [v.kind for v in nest.evaluation.facts.verdicts] == ["unknown", "parallel", "parallel"]
    assert nest.evaluation.kernels[0].launches == 2000


def test_waiting_is_no_kernel_and_steps_are_launches(analyse_c, few_launches) -> None:
    del few_launches
    for name, function, launches in (
        ("spin_wait", "rows", 63),
        ("few_outermost", "eliminate", 1),
        ("two_mallocs", "main", 100),
    ):
        report = analyse_c((FOLDER / f"{name}.c").read_text(encoding="utf-8"))
        (nest,) = next(f.nests for f in report.functions if f.name == function)
        assert {kernel.launches for kernel in nest.evaluation.kernels} == {launches}
