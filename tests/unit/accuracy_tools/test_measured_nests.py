"""The corpus of nests to measure, and the ledger's reader of what was measured. The times here are made up."""

from dataclasses import replace

import numpy as np
import pytest
from accuracy.ledger.measured_nests import predict_nests
from accuracy.ledger.models import MODELS
from accuracy.ledger.own_runs import own_runs, own_table
from accuracy.measured_nests.corpus import NESTS, corpus
from support.fix_fixtures.contexts import contexts
from warplens.analysis.models.launches import launch_space
from warplens.analysis.workload.loops.derived_symbols import extend_sizes
from warplens.server.measure.kernel_times.measured_nest import (
    Check,
    Device,
    MeasuredLaunch,
    MeasuredNest,
    Times,
    Timing,
)
from warplens.server.measure.kernel_times.memory_plan import memory_plan
from warplens.server.measure.kernel_times.program_text import call_text
from warplens.server.measure.kernel_times.signature import signature_of

DEVICE = Device("Imaginary GPU", "9.9", 7, 12000, 12000, 1_500_000, 900_000, 1 << 20)


def test_the_corpus_is_what_its_files_are() -> None:
    assert len(corpus()) >= 30
    assert {nest.path for nest in corpus()} == set(NESTS.glob("*.c"))
    assert all(len(nest.sizes) >= 2 and len(nest.wishes) >= 3 for nest in corpus())


@pytest.mark.parametrize("nest", corpus(), ids=lambda nest: nest.name)
def test_every_nest_of_the_corpus_can_be_given_memory_at_all_its_sizes(nest, analyse_c, monkeypatch) -> None:
    one_launch = np.array([(64, 1, 1)], dtype=np.int64)  # the search takes most of the time and is no matter here
    monkeypatch.setattr(launch_space, "_blocks", lambda _dimensions, _gpu: one_launch)
    monkeypatch.setattr(launch_space, "_outputs", lambda _dimensions: one_launch // one_launch)
    source = nest.path.read_text(encoding="utf-8")
    (context,) = contexts(source, analyse_c(source))
    facts = context.evaluation.facts
    assert facts.kernels
    signature = signature_of(source, context.function, context.function_span)
    known = dict(context.evaluation.sizes)
    for sizes in (*nest.sizes, nest.on_cpu):
        assert sizes.keys() <= known.keys()
        values = extend_sizes(known | dict(sizes), facts.nest)
        arrays = memory_plan(facts, values)
        assert sum(array.bytes for array in arrays) < (2 << 20 if sizes is nest.on_cpu else 4 << 30)
        assert "warplens_call" in call_text(arrays, signature, values)


def made_up(name: str, sizes: dict[str, int], block: tuple[int, int, int], *shared: str, time_s: float) -> MeasuredNest:
    times = Times(time_s, time_s, time_s)
    launch = MeasuredLaunch("kernel", block, (1, 1, 1), shared)
    return MeasuredNest(
        path=f"{name}.c", function=name, line=1, nest="", sizes=tuple(sorted(sizes.items())), launches=(launch,),
        is_cold=True, data_bytes=1, check=Check(1, 0, 0.0, 0.0), reference_s=1.0, profile="a100", predicted_s=(),
        predicted_copies_s=(0.0, 0.0), versions=(), date="2026-01-31",
        timing=Timing(DEVICE, 20, 1, times, times, times),
    )  # fmt: skip


def test_the_ledger_predicts_what_was_measured_at_its_sizes_and_launches() -> None:
    small, large = ({"n": n} for n in (1 << 20, 1 << 25))
    made = [made_up("vector_add", sizes, (256, 1, 1), time_s=1e-4) for sizes in (small, large)]
    made += [made_up("gemm", {"n": 1024}, (16, 16, 1), *shared, time_s=1e-3) for shared in ((), ("a", "b"))]
    found, stale = predict_nests(made)
    assert stale == ()
    assert [one.measured for one in found] == made
    assert all(set(one.times_s) == set(MODELS) for one in found)
    assert 20 < found[1].times_s["resios"] / found[0].times_s["resios"] < 40, "32 times the data"
    assert found[3].times_s["resios"] < found[2].times_s["resios"], "staging pays"
    rows = [row.split(" | ") for row in own_table(own_runs((), found)).splitlines()]
    assert [row[:4] for row in rows[2:]] == [
        ["| a100", "matrix product", "gemm", "2"],
        ["| a100", "streaming", "vector_add", "2"],
        ["| a100", "all of these", "", "4"],
    ]
    ratios = [one.times_s["resios"] / 1e-3 for one in found[2:]]
    assert rows[2][4].startswith(f"{(ratios[0] * ratios[1]) ** 0.5:.2f} (")


def test_what_ports_were_told_and_comments_promise_holds_for_the_prediction() -> None:
    """Staging that saves nothing, and a subscript that is a permutation."""
    told = made_up("transpose", {"n": 2048, "m": 2048}, (8, 8, 1), "a", time_s=1e-4)
    promised = made_up("scatter", {"n": 1 << 20}, (256, 1, 1), time_s=1e-4)
    found, stale = predict_nests([told, promised])
    assert stale == ()
    assert [one.measured for one in found] == [told, promised]


def test_counts_that_data_decides_are_known_by_their_older_names() -> None:
    names = ("iterations of k", "k_trips")
    made = [made_up("csr", {"n": 640, "entries": 6400, name: 10}, (64, 1, 1), time_s=1e-4) for name in names]
    (now, then), stale = predict_nests(made)
    assert stale == ()
    assert now.times_s == then.times_s


def test_what_is_shorter_than_its_launch_is_in_no_family() -> None:
    found, _ = predict_nests([made_up("vector_add", {"n": 256}, (256, 1, 1), time_s=3e-6)])
    assert [run.group for run in own_runs((), found)] == ["predicted to be shorter than launching"]


@pytest.mark.parametrize(
    "one",
    [
        made_up("no_such_nest", {}, (32, 1, 1), time_s=1.0),
        made_up("vector_add", {"n": 4096}, (32, 1, 1), "c", time_s=1.0),
        replace(made_up("gemm", {"n": 64}, (32, 1, 1), time_s=1.0), launches=()),
        made_up("csr", {"n": 64, "entries": 640}, (32, 1, 1), time_s=1.0),
    ],
    ids=["nest", "staged", "kernels", "sizes"],
)
def test_a_measurement_of_something_else_is_said_and_left_out(one: MeasuredNest) -> None:
    found, (stale,) = predict_nests([one, made_up("triad", {"n": 4096}, (32, 1, 1), time_s=1.0), one])
    assert [each.measured.path for each in found] == ["triad.c"]
    assert stale.startswith(one.path)
