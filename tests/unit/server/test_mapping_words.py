"""What becomes of each loop, and which mappings were tried, as hover, `check` and `search` show them."""

import pytest
from support.c_nests.parsed import facts_of
from warplens.analysis.advice.mapping_words import mapping_gain, mapping_reasons, pin_text, shown_mapping
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.nest.what_if import Changes, what_if
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.launch_pin import LaunchPin
from warplens.analysis.text.rounded import speed_text, times_text
from warplens.hwprofiles.loader import load_cpu, load_gpu
from warplens.hwprofiles.validation import model_errors
from warplens.server.json.mapping import mappings_as_json, pin_as_json
from warplens.server.render.brief_card import brief_card
from warplens.server.render.loop_card import loop_card
from warplens.server.render.loop_hints import loop_hints
from warplens.server.render.mapping_words import index_of, level_text, mapping_table

ROWS = """void f(float y[64][96], const float x[64][96][768]) {
    for (int b = 0; b < 64; b++)
        for (int t = 0; t < 96; t++) {
            float s = 0.0f;
            for (int j = 0; j < 768; j++) s += x[b][t][j];
            y[b][t] = s;
        }
}"""
SUMS = """void f(float y[256], const float x[256][6144]) {
    for (int i = 0; i < 256; i++) {
        float m = 0.0f, v = 0.0f;
        for (int j = 0; j < 6144; j++) m += x[i][j];
        for (int j = 0; j < 6144; j++) v += (x[i][j] - m) * (x[i][j] - m);
        y[i] = v;
    }
}"""
POINTS = "void f(float *y) { for (int i = 0; i < 4096; i++) for (int j = 0; j < 4096; j++) y[i * 4096 + j] *= 2.0f; }"


def evaluated(source: str) -> NestEvaluation:
    return evaluate_nest(facts_of(source), {}, load_gpu("a100"), load_cpu("server"), model_errors())


def indices(evaluation: NestEvaluation) -> list[str]:
    (kernel,) = evaluation.kernels
    return [index_of(evaluation, kernel, loop.id) for loop in loops_of(evaluation.facts.nest)]


def test_rows_of_warps_lie_along_a_block_and_rows_beyond_it_along_the_grid() -> None:
    best = evaluated(ROWS)
    (kernel,) = best.kernels
    assert kernel.prediction.launch.block == (32, 1, 1)
    assert indices(best) == ["blockIdx.y", "blockIdx.x", "threadIdx.x"]
    several = what_if(best, Changes(pin=LaunchPin(block=(32, 4, 1))), model_errors()).evaluation
    assert several.kernels[0].prediction.launch.block == (32, 4, 1)
    assert indices(several) == ["blockIdx.y", "threadIdx.y", "threadIdx.x"]


def test_a_row_that_has_a_block_has_no_index_in_it() -> None:
    assert indices(evaluated(SUMS)) == ["blockIdx.x", "threadIdx.x", "threadIdx.x"]


def test_loops_of_points_lie_along_a_blocks_axes() -> None:
    assert indices(evaluated(POINTS)) == ["threadIdx.y", "threadIdx.x"]


@pytest.mark.parametrize(
    ("source", "names"),
    [(ROWS, {"warp:b,t/j", "block128:b,t/j", "warp:j", "source"}), (SUMS, {"block256:j", "source"})],
)
def test_mappings_are_listed_with_what_a_team_has_and_shares(source: str, names: set[str]) -> None:
    found = evaluated(source)
    header, *rows = mapping_table(found)
    assert header[:3] == ("mapping", "time", "vs first")
    listed = [row[0] for row in rows]
    assert names <= set(listed)
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize(("source", "kind"), [(ROWS, "warp:"), (SUMS, "block"), (POINTS, "source")])
def test_the_recommended_one_is_marked(source: str, kind: str) -> None:
    _, *rows = mapping_table(evaluated(source))
    (marked,) = [row for row in rows if row[3] == "recommended"]
    assert marked[0].startswith(kind)


@pytest.mark.parametrize(
    ("source", "levels", "labels"),
    [
        (
            ROWS,
            ["a warp per iteration of `b` and `t`"] * 2 + ["the lanes of a warp share its iterations"],
            ["a warp per b, t"] * 2 + ["threadIdx.x"],
        ),
        (
            SUMS,
            ["a block of {threads} threads per iteration of `i`"] + ["the threads of a block share its iterations"] * 2,
            ["a block of {threads} each"] + ["threadIdx.x"] * 2,
        ),
    ],
)
def test_each_loop_says_who_has_its_iterations(source: str, levels: list[str], labels: list[str]) -> None:
    found = evaluated(source)
    loops = [loop.id for loop in loops_of(found.facts.nest)]
    team = found.kernels[0].kernel.team
    assert team is not None
    assert [level_text(found, loop) for loop in loops] == [text.format(threads=team.threads) for text in levels]
    of_loop = {hint.node: hint.label for hint in loop_hints(found) if hint.node in loops}
    assert [of_loop[loop] for loop in loops] == [text.format(threads=team.threads) for text in labels]


def pinned(name: str) -> NestEvaluation:
    return evaluate_nest(facts_of(SUMS), {}, load_gpu("a100"), load_cpu("server"), model_errors(), name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("warp:j", "a warp per iteration of `i`: its lanes share `j`; {gain} as fast as the source's order; {pin}"),
        ("source", "the source's own order; {pin}"),
    ],
)
def test_what_is_recommended_stands_beside_what_is_pinned(name: str, text: str) -> None:
    found, free = pinned(name), evaluated(SUMS)
    assert found.offload is not None
    assert free.offload is not None
    (recommended,) = [one.name for one in free.mappings if one.is_recommended]
    faster = speed_text(found.offload.resident_s / free.offload.resident_s)
    pin = f"pinned by a comment; recommended: `{recommended}`, {faster}"
    assert shown_mapping(found) == text.format(gain=times_text(mapping_gain(found)), pin=pin)
    assert pin_as_json(found) == {
        "name": name,
        "text": pin,
        "recommended": recommended,
        "recommended_s": free.offload.resident_s,
    }
    for card in (brief_card(found, NodeId(0), lambda _node: 1), loop_card(found, NodeId(0), lambda _node: 1)):
        (row,) = [value for key, value in card.rows if key == "mapping"]
        assert row.startswith(shown_mapping(found))


def test_a_pin_of_the_recommended_one_says_so() -> None:
    (name,) = [one.name for one in evaluated(SUMS).mappings if one.is_recommended]
    assert shown_mapping(pinned(name)) == f"{shown_mapping(evaluated(SUMS))}; pinned by a comment, as recommended"


@pytest.mark.parametrize("name", ["warp:j", "source", "block64:j"])
def test_the_pinned_one_is_marked_in_lists(name: str) -> None:
    found = pinned(name)
    _, *rows = mapping_table(found)
    assert [row[0] for row in rows if row[3] == "pinned"] == [name]
    assert len([row for row in rows if row[3] == "recommended"]) == 1
    assert [each["name"] for each in mappings_as_json(found) if each["is_pinned"]] == [name]


def test_what_is_not_pinned_says_nothing_of_it() -> None:
    for free in (evaluated(SUMS), evaluated(POINTS), pinned("warp:q")):
        assert pin_text(free) == ""
        assert pin_as_json(free) is None
    assert shown_mapping(evaluated(POINTS)) == ""


def test_why_is_said_of_what_is_faster_only() -> None:
    slow = evaluate_nest(
        facts_of(POINTS.replace("i * 4096 + j", "j * 4096 + i")),
        {},
        load_gpu("a100"),
        load_cpu("server"),
        model_errors(),
        "warp:j",
    )
    assert slow.pinned is not None
    assert mapping_gain(slow) < 1
    assert mapping_reasons(slow) == ()
    assert mapping_reasons(pinned("warp:j")) != ()
