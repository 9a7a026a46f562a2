"""`// warplens: mapping = warp:j`: in force where it stands, a warning where it can't be, part of keys."""

from __future__ import annotations

import re

import pytest
from warplens.analysis.api import analyse
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Report
from warplens.analysis.frontend.comments.warplens_comments import read_directives, read_mappings
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors

ROWS = """{above}
void rows(float *restrict y, const float *restrict x) {{
  {inside}
  for (int i = 0; i < 256; i++) {{ {behind}
    float s = 0.0f;
    for (int j = 0; j < 6144; j++) s += x[i * 6144 + j];
    y[i] = s;
  }}
}}
"""
OTHER = """
void other(float *restrict y) {{
  for (int i = 0; i < 256; i++) y[i] = 1.0f;
  {last}
  for (int i = 0; i < 256; i++) y[i] *= 2.0f;
}}
"""


def report(source: str, gpu: str = "a100", memo: Memo | None = None) -> Report:
    struck = re.sub(r"/\*.*?\*/|//.*", "", source)
    options = AnalysisOptions(model_errors=model_errors())
    preprocessed = Preprocessed(f'# 1 "f.c"\n{struck}\n', "f.c")
    return analyse(source, preprocessed, load_gpu(gpu), load_cpu("server"), options, memo or Memo())


def rows(said: str = "", **places: str) -> str:
    return ROWS.format(**{"above": "", "inside": "", "behind": "", **places} | ({"inside": said} if said else {}))


def first(found: Report) -> NestEvaluation:
    evaluation = found.functions[0].nests[0].evaluation
    assert evaluation is not None
    return evaluation


def levels(evaluation: NestEvaluation) -> list[tuple[str, ...]]:
    return [] if evaluation.mapped is None else [loop.levels for loop in evaluation.mapped.mapping.loops]


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("mapping = warp:j", ["warp:j"]),
        ("Mapping= block256 : j", ["block256:j"]),
        ("n = 4, mapping = 2:parts8x256:k#2, idx has no repeats", ["2:parts8x256:k#2"]),
        ("mapping = warp:b,t/j", ["warp:b,t/j"]),
        ("mapping = 1:warp:b,t/j+2:block64:c , d/k, m = 5", ["1:warp:b,t/j+2:block64:c,d/k"]),
        ("mapping = 1:warp:b,t/j+2:warp:k, m = 5", ["1:warp:b,t/j+2:warp:k"]),
        ("mapping = steps:k", ["steps:k"]),
        ("n = 4, mapping = block64:b , t / j+k, m = 5", ["block64:b,t/j+k"]),
        ("mapping = source, off WL201", ["source"]),
        ("mapping = warp:j, a, b and c do not overlap", ["warp:j"]),
        ("mapping = 4096", []),
        ("mapping == n", []),
        ("off mapping = warp:j", []),
    ],
)
def test_spellings(said: str, names: list[str]) -> None:
    assert [one.mapping for one in read_mappings(f"// warplens: {said}\n")] == names
    if names:
        assert read_directives(f"// warplens: {said}\n")[1] == ()


def test_commas_of_a_name_part_nothing_else() -> None:
    source = "/* warplens: n = 4, mapping = warp:b,t/j, idx has no repeats, m = 5 */"
    (directive,) = read_mappings(source)
    assert source[directive.span.start : directive.span.end] == "mapping = warp:b,t/j"
    assert [(one.name, one.value) for one in read_directives(source)[0]] == [("n", 4), ("m", 5)]


@pytest.mark.parametrize("place", ["above", "inside", "behind"])
def test_the_nest_is_in_the_mapping_that_is_said(place: str) -> None:
    found = report(rows(**{place: "// warplens: mapping = warp:j"}))
    evaluation = first(found)
    assert found.problems == ()
    assert levels(evaluation) == [("grid",), ("warp",)]
    assert evaluation.pinned is not None
    assert evaluation.pinned.recommended not in {"", "warp:j"}
    assert evaluation.pinned.recommended_s < evaluation.offload.resident_s


def test_source_is_the_order_of_the_source() -> None:
    free, pinned = first(report(rows())), first(report(rows("// warplens: mapping = source")))
    assert free.mapped is not None
    assert pinned.mapped is None
    predicted = [kernel.prediction for kernel in pinned.kernels]
    assert predicted == [kernel.prediction for kernel in free.in_source_order.kernels]
    assert pinned.mappings == free.mappings
    assert [pinned.pinned.recommended] == [one.name for one in free.mappings if one.is_recommended]
    assert pinned.pinned.recommended_s == free.offload.resident_s


def test_the_recommended_one_is_as_without_a_comment() -> None:
    free = first(report(rows()))
    (name,) = [one.name for one in free.mappings if one.is_recommended]
    pinned = first(report(rows(f"// warplens: mapping = {name}")))
    assert pinned.kernels == free.kernels
    assert pinned.pinned.recommended == name


@pytest.mark.parametrize(
    ("name", "levels_of_j"), [("block1024:j", ("block",)), ("block64:j", ("block",)), ("parts4:j", ("grid", "thread"))]
)
def test_one_that_was_not_tried_is_made_and_listed(name: str, levels_of_j: tuple[str, ...]) -> None:
    evaluation = first(report(rows(f"// warplens: mapping = {name}")))
    assert evaluation.pinned is not None
    assert levels(evaluation)[1] == levels_of_j
    assert name in {one.name for one in evaluation.mappings}


@pytest.mark.parametrize("name", ["warp:k", "block96:j", "block2048:j", "parts3:j", "1:warp:j", "warp:j#2", "nonsense"])
def test_another_name_is_a_warning_that_lists_those_there_are(name: str) -> None:
    source = rows(f"// warplens: n = 4, mapping = {name}")
    found = report(source)
    (problem,) = [each for each in found.problems if each.severity == "warning"]
    assert problem.message.startswith(f"there is no mapping `{name}` here: there are `")
    assert "`warp:j`" in problem.message
    assert source[problem.span.start : problem.span.end] == f"mapping = {name}"
    free = first(report(rows()))
    assert first(found).pinned is None
    assert first(found).kernels == free.kernels
    assert first(found).mappings == free.mappings


def test_a_nest_that_is_not_parallel_has_no_mapping() -> None:
    source = """void f(float *x) {
      // warplens: mapping = warp:i
      for (int i = 1; i < 4096; i++) x[i] += x[i - 1];
    }"""
    (problem,) = report(source).problems
    assert "no loop here is known to be parallel" in problem.message


def test_it_holds_where_nothing_needed_to_be_tried() -> None:
    source = rows("// warplens: mapping = warp:j").replace("256", "1048576").replace("6144", "64")
    evaluation = first(report(source, "gtx1080"))
    assert evaluation.pinned is not None
    assert levels(evaluation) == [("grid",), ("warp",)]


def test_a_comment_at_no_single_nest_is_noted() -> None:
    said = "// warplens: mapping = source"
    found = report(f"{said}\n{OTHER.format(last='')}")
    (problem,) = found.problems
    assert (problem.severity, "stands at no loop" in problem.message) == ("note", True)
    found = report(rows() + OTHER.format(last=said))
    assert found.problems == ()
    assert [nest.evaluation.pin is not None for f in found.functions for nest in f.nests] == [False, False, True]


def test_the_inner_comment_wins() -> None:
    places = {"above": "// warplens: mapping = block64:j", "inside": "// warplens: mapping = warp:j"}
    assert first(report(rows(**places))).pin.name == "warp:j"


def test_another_comment_is_another_evaluation_and_the_same_one_is_remembered() -> None:
    memo = Memo()
    texts = [rows(f"// warplens: mapping = {name}") for name in ("warp:j", "block64:j")]
    found = [report(text, memo=memo) for text in (*texts, rows(), *texts)]
    assert [each.recomputed.nests_evaluated for each in found] == [1, 1, 1, 0, 0]
    names = [each.pin and each.pin.name for each in map(first, found)]
    assert names == ["warp:j", "block64:j", None, "warp:j", "block64:j"]
