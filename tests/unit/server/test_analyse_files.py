"""When the result of a file is complete."""

from dataclasses import replace

from warplens.analysis.engine.report import Recomputed
from warplens.analysis.ir.ids import LoopId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.text.span import Span
from warplens.server.cli.analyse_files import FileResult
from warplens.server.worker.job import Answer, FunctionAnswer, NestAnswer


def test_a_nest_that_failed_is_no_complete_result() -> None:
    nest = NestAnswer(LoopId("f", 0), NestSpans(0, (), (), ()), (), "it did not end", "", b"")
    answer = Answer(
        (FunctionAnswer("f", Span(0, 1), (nest,), has_one_nest=True),),
        (),
        (),
        (),
        (),
        "a100",
        "server",
        "cc",
        1,
        1,
        Recomputed(0, 0, 0),
    )
    assert not FileResult("f.c", "", answer).is_complete
    whole = replace(answer, functions=())
    assert FileResult("f.c", "", whole).is_complete
