"""What stands between a fix's rule and a file: a defect, or edits that would damage it, become a refusal."""

from dataclasses import replace

import pytest
from warplens.analysis.ir.ids import LoopId, NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import FixContext, FixEdits, LaunchWish, NewFile, OfferedFix, TextEdit
from warplens.analysis.text.span import Span
from warplens.server.worker import chosen_fix
from warplens.server.worker.chosen_fix import chosen_edits

OFFER = OfferedFix("made", "Made up", NodeId(0))


@pytest.fixture
def context(evaluation: NestEvaluation) -> FixContext:
    spans = NestSpans(0, (), (), ())
    return FixContext(evaluation, spans, "0123456789", "f.c", LoopId("f", 0), Span(0, 10), is_only_nest=True)


def edits_with(monkeypatch: pytest.MonkeyPatch, context: FixContext, made: FixEdits | Exception) -> FixEdits:
    def edit(_context: FixContext, _offer: OfferedFix, _wish: LaunchWish) -> FixEdits:
        if isinstance(made, Exception):
            raise made
        return made

    monkeypatch.setattr(chosen_fix, "edits_of", edit)
    return chosen_edits(context, OFFER)


def test_a_crash_is_said_and_writes_nothing(monkeypatch: pytest.MonkeyPatch, context: FixContext) -> None:
    edits = edits_with(monkeypatch, context, IndexError("out of it"))
    assert edits == FixEdits(refusal="internal error (IndexError: out of it); please report it")


@pytest.mark.parametrize(
    "made",
    [
        FixEdits((TextEdit(Span(2, 5), "a"), TextEdit(Span(4, 6), "b"))),
        FixEdits((TextEdit(Span(5, 5), "a"), TextEdit(Span(2, 3), "b"))),
        FixEdits((TextEdit(Span(9, 11), "a"),)),
        FixEdits(new_files=(NewFile("../f.cu", ""),)),
        FixEdits(new_files=(NewFile("f.c", ""),)),
        FixEdits(new_files=(NewFile("", ""),)),
    ],
)
def test_edits_that_would_damage_a_file_are_refused(
    monkeypatch: pytest.MonkeyPatch, context: FixContext, made: FixEdits
) -> None:
    edits = edits_with(monkeypatch, context, made)
    assert edits.refusal.startswith("internal error")
    assert not edits.edits
    assert not edits.new_files


def test_edits_that_touch_are_let_through(monkeypatch: pytest.MonkeyPatch, context: FixContext) -> None:
    made = FixEdits((TextEdit(Span(2, 2), "a"), TextEdit(Span(2, 5), "b"), TextEdit(Span(5, 10), "c")))
    assert edits_with(monkeypatch, context, made) == made


def test_a_refused_offer_is_not_asked_for_its_edits(context: FixContext) -> None:
    assert chosen_edits(context, replace(OFFER, refusal="no")) == FixEdits(refusal="no")
