"""gcc's messages, and how the survey's records are added up and shown."""

from dataclasses import replace

import pytest
from accuracy.real_c.gcc_messages import first_error, missing_header
from accuracy.real_c.package import packages
from accuracy.real_c.record import FileRecord, LoopRecord, MarkedLoop, OpaqueRecord
from accuracy.real_c.tables import (
    BEGIN,
    END,
    PROMISE_SUBJECTS,
    SETS,
    document,
    promised,
    replaced_section,
    share,
    table,
)
from accuracy.real_c.totals import by_reason, distinct_marks, kinds_of, totals
from warplens.analysis.ir.promises.catalogue import KINDS

_RECORD = FileRecord(
    "p", "p/a.c", functions=2, functions_found=2, loops=3, loops_counted=3, loops_found=3,
    verdicts=(LoopRecord("p/a.c:3", "parallel", assumptions=("alias",)), LoopRecord("p/a.c:9", "unknown", "a; b")),
    marked=(
        MarkedLoop("p/a.c:3", "for", "reduction", "", ("alias",)), MarkedLoop("p/a.c:4", "for", "parallel"),
        MarkedLoop("p/a.c:9", "for", "unknown", "a; b"), MarkedLoop("p/a.c:12", "for", "lost", "gone"),
    ),
    opaque=(OpaqueRecord("p/a.c:20", "loop", "f", "why"),), nest_ms=(0.5,),
)  # fmt: skip


_OTHER_MARKS = tuple(replace(loop, place=loop.place.replace("a.c", "b.c")) for loop in _RECORD.marked)


def test_a_missing_header_is_read_through_the_chain_of_includes() -> None:
    messages = "In file included from a.h:1,\n  from a.c:2:\nb.h:7:1: fatal error: sub d/c.h: No such file or directory"
    assert missing_header(messages) == "sub d/c.h"
    assert missing_header("a.c:1:1: error: x: No such file or directory") is None


def test_warnings_are_no_errors() -> None:
    assert not first_error("a.c:1:1: warning: comparison\na.c:2:1: note: error handling")
    assert first_error("a.c:1:1: warning: w\na.c:2:1: error: one\na.c:3:1: error: two") == "one"


def test_records_survive_json() -> None:
    assert FileRecord.from_json(_RECORD.to_json()) == _RECORD


@pytest.mark.parametrize(
    ("change", "is_lossless"),
    [
        ({}, True),
        ({"functions": 3}, False),
        ({"functions_unparsed": 1}, False),
        ({"loops": 4}, False),
        ({"loops_counted": 4}, False),
        ({"functions": 1, "loops": 2}, True),
        ({"failure": "not done in 1 s"}, False),
    ],
)
def test_nothing_lost(change: dict[str, object], *, is_lossless: bool) -> None:
    assert FileRecord.from_json(_RECORD.to_json() | change).nothing_lost is is_lossless


def test_totals_tell_marks_apart() -> None:
    total = totals([_RECORD, replace(_RECORD, marked=_OTHER_MARKS)], accepted=5)
    assert (total.accepted, total.analysed, total.nothing_lost, total.verdicts) == (5, 2, 2, (2, 0, 0, 2))
    assert (total.marked, total.marked_positive, total.conditional) == (8, 4, 2)
    assert (total.marked_unknown, total.marked_opaque, total.marked_carried) == (2, 2, 0)


def test_a_template_included_twice_is_one_loop_with_its_worst_verdict() -> None:
    good, bad = MarkedLoop("t.h:3", "for", "parallel"), MarkedLoop("t.h:3", "for", "unknown", "why")
    records = [replace(_RECORD, marked=marked) for marked in ((good, bad), (good,), (good, bad))]
    assert distinct_marks(records) == (bad,)
    conditional = replace(good, assumptions=("alias",))
    assert distinct_marks([replace(_RECORD, marked=(good, conditional, good))]) == (conditional,)


def test_a_macro_used_twice_is_one_loop_with_its_worst_verdict_and_two_uses() -> None:
    uses = [MarkedLoop(f"a.c:{n}", "for", kind, written="m.h:3") for n, kind in ((1, "parallel"), (9, "unknown"))]
    total = totals([replace(_RECORD, marked=tuple(uses))], accepted=1)
    assert (total.marked, total.marked_positive, total.marked_unknown) == (1, 0, 1)
    assert (total.uses, total.uses_found) == (2, 1)


def test_kinds_of_reasons_leave_names_out() -> None:
    assert kinds_of("calls `f`; calls `g`; leaves by `break`") == ("calls `…`", "leaves by `break`")
    assert kinds_of("`a; b` changes in the loop; more") == ("`…` changes in the loop", "more")
    assert kinds_of("") == ("(none given)",)


def test_reasons_are_counted_per_loop_and_examples_come_from_different_files() -> None:
    found = [("a.c:2", "calls `f`; calls `g`"), ("a.c:1", "calls `g`"), ("b.c:1", "calls `g`; x"), ("c.c:1", "y")]
    calls, *others = by_reason(found)
    assert (calls.reason, calls.count, calls.alone, calls.examples) == ("calls `…`", 3, 2, ("a.c:1",))
    assert [(each.reason, each.count, each.alone, each.examples) for each in others] == [
        ("y", 1, 1, ("c.c:1",)),
        ("x", 1, 0, ("b.c:1",)),
    ]


def test_a_share_is_never_rounded_to_all_or_up() -> None:
    assert [share(1999, 2000), share(2000, 2000), share(0, 7), share(0, 0)] == ["99.9 %", "100 %", "0.0 %", "-"]


def test_loops_are_counted_for_each_thing_that_they_need_promised() -> None:
    needs = (("f independent", "g independent"), ("i has injective", "n >= m size"), ("f independent", "a >= b size"))
    marked = tuple(MarkedLoop(f"p/a.c:{n}", "for", "unknown", promises=promises) for n, promises in enumerate(needs))
    rows = promised([replace(_RECORD, marked=(*marked, *_RECORD.marked))]).splitlines()
    counts = {about: row.split("|")[2:4] for row in rows[2:] for about in [row.split("|")[1].strip()]}
    assert [n.strip() for n in counts[PROMISE_SUBJECTS["independent"]]] == ["2", "1"]
    assert [n.strip() for n in counts[PROMISE_SUBJECTS["size"]]] == ["2", "0"]
    assert set(PROMISE_SUBJECTS) == {kind.kind for kind in KINDS}


def test_tables_escape_bars_and_align_numbers() -> None:
    assert table(["a", "n"], [["x || y", 1]]).splitlines() == ["| a | n |", "| --- | ---: |", r"| x \|\| y | 1 |"]


def test_only_the_marked_section_of_the_page_changes() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert replaced_section(page, document(["new"])) == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    with pytest.raises(ValueError, match="substring"):
        replaced_section("no section", document([]))


def test_packages_are_enough_and_their_sets_do_not_overlap() -> None:
    by_set = {which: packages(which=which) for which in SETS}
    assert sum(map(len, by_set.values())) == len({package.name for package in packages()}) >= 16
    assert len(by_set["holdout"]) >= 5
    assert all(package.version and package.licence for package in packages())
