"""What travels of nests that the server has already."""

import io
from dataclasses import replace

import pytest
from warplens.analysis.advice.finding import Finding
from warplens.analysis.engine.report import Hidden
from warplens.analysis.ir.ids import LoopId, NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.text.span import Span
from warplens.server.render.loop_hints import LoopHint
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.sent_nests import NestPickler, NestUnpickler, ReceivedNests, SentNests

SPANS = NestSpans(100, ((NodeId(0), Span(0, 9)),), (), ())
NEST = NestAnswer(
    LoopId("f", 0), SPANS, (Finding("WL201", NodeId(0), "no", "warning", cause=()),), "", "lens", bytes(5000)
)


class Pipe:
    """Both ends; `send` gives what arrived and how many bytes it took."""

    def __init__(self, limit_bytes: int = 1 << 20, answers: int = 100) -> None:
        self.sent = SentNests(limit_bytes, answers)
        self.received = ReceivedNests()

    def send(self, *nests: object) -> tuple[tuple[NestAnswer, ...], int]:
        buffer = io.BytesIO()
        NestPickler(buffer, self.sent).dump(nests)
        content = buffer.getvalue()
        arrived = NestUnpickler(io.BytesIO(content), self.received).load()
        return arrived, len(content)


def test_a_nest_that_was_sent_is_named_wherever_it_stands_now() -> None:
    pipe = Pipe()
    assert pipe.send(NEST)[0] == (NEST,)
    moved = replace(NEST, id=LoopId("g", 3), spans=replace(SPANS, base=7))
    arrived, size_bytes = pipe.send(moved)
    assert arrived == (moved,)
    assert size_bytes < 500


@pytest.mark.parametrize(
    "changed",
    [
        replace(NEST, findings=()),
        replace(NEST, lens="other"),
        replace(NEST, hidden=Hidden("off")),
        replace(NEST, hints=(LoopHint(NodeId(0), "label", "tooltip"),)),
        replace(NEST, failure="broken"),
        replace(NEST, spans=replace(SPANS, header=((NodeId(0), Span(0, 8)),))),
    ],
    ids=["findings", "lens", "hidden", "hints", "failure", "spans"],
)
def test_what_is_not_equal_is_sent(changed: NestAnswer) -> None:
    pipe = Pipe()
    pipe.send(NEST)
    assert changed.packed is NEST.packed
    assert pipe.send(changed)[0] == (changed,)
    assert pipe.send(changed, changed)[0] == (changed, changed)
    assert pipe.send(NEST)[0] == (NEST,)


def test_another_severity_is_sent_alone() -> None:
    pipe = Pipe()
    pipe.send(NEST)
    lowered = replace(NEST, findings=(replace(NEST.findings[0], severity="hint"),))
    for nest in (lowered, lowered, NEST, lowered):
        arrived, size_bytes = pipe.send(nest)
        assert arrived == (nest,)
        assert size_bytes < 700


def test_both_ends_forget_the_same() -> None:
    pipe = Pipe(limit_bytes=12_000)
    nests = [replace(NEST, packed=bytes(5000), lens=str(number)) for number in range(4)]
    for nest in nests:
        assert pipe.send(nest)[0] == (nest,)
    assert len(pipe.received._nests) == 2
    for nest in (*nests, *reversed(nests)):
        assert pipe.send(nest)[0] == (nest,)
    assert len(pipe.received._nests) == 2


def test_what_many_answers_did_not_name_is_forgotten_at_both_ends() -> None:
    pipe = Pipe(answers=3)
    first, *others = [replace(NEST, packed=bytes(5000), lens=str(number)) for number in range(9)]
    pipe.send(first)
    for other in others[:2]:
        pipe.send(other)
    pipe.send("no answer")
    assert pipe.send(first)[1] < 500
    for other in others[2:]:
        pipe.send(other)
    assert len(pipe.received._nests) == 3
    arrived, size_bytes = pipe.send(first)
    assert arrived == (first,)
    assert size_bytes > 5000


def test_a_nest_without_a_result_is_always_sent() -> None:
    failed = replace(NEST, packed=b"", failure="too deep")
    pipe = Pipe()
    assert pipe.send(failed, replace(failed, failure="other"))[0] == (failed, replace(failed, failure="other"))
    assert pipe.received._nests == {}
