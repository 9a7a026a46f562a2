"""What fuzzing has found, each as the smallest text that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.fuzzing.fuzz_c import internal_errors
from warplens.server.settings.settings import Settings, is_size, settings_from_client
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.job import AnalysisJob, Answer

LOOP = "void f(int n, double *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 2;\n}\n"
TEXTS = {
    "lines that end in a carriage return alone": LOOP.replace("\n", "\r"),
    "a bound that no type holds": LOOP.replace("i = 0", f"i = {'9' * 400}"),
    "a subscript that no type holds": LOOP.replace("x[i]", f"x[i + 0x{'f' * 40}]"),
    "a comment with a size of 5000 digits": f"// warplens: n = {'9' * 5000}\n{LOOP}",
    "a comment with a size of 5000 hexadecimal digits": f"// warplens: n = 0x{'f' * 5000}\n{LOOP}",
    "a header's name that no file can have": f'#include "{"x" * 5000}.h"\n{LOOP}',
    "a header's name with a NUL": f'#include "x\0y.h"\n{LOOP}',
}


def answer_of(folder: Path, text: str, *, trusted: bool = True, settings: Settings | None = None) -> Answer:
    job = AnalysisJob(str(folder / "main.c"), text, settings or Settings(), (str(folder),), trusted)
    return analyse_document(job, Remembered())


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "untrusted"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_it_is_analysed_without_a_defect(tmp_path: Path, text: str, trusted: bool) -> None:
    answer = answer_of(tmp_path, text, trusted=trusted)
    assert list(internal_errors(answer, text)) == []
    assert [function.name for function in answer.functions] == ["f"]


def test_a_loop_whose_place_is_not_known_gets_no_cuda_port_and_says_why(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, LOOP.replace("\n", "\r"))
    refusals = [offer.refusal for f in answer.functions for nest in f.nests for offer in nest.fixes]
    assert any("where the loop begins is not known" in refusal for refusal in refusals)


@pytest.mark.parametrize("digits", ["9" * 30, "9" * 5000, "0x" + "f" * 5000])
def test_a_size_that_is_too_large_is_said_at_its_comment(tmp_path: Path, digits: str) -> None:
    answer = answer_of(tmp_path, f"// warplens: n = {digits}\n{LOOP}")
    (problem,) = [problem for problem in answer.problems if "64 bits" in problem.message]
    assert problem.span.start < 30


def test_a_size_that_is_too_large_is_no_setting() -> None:
    assert is_size(2**63 - 1)
    assert not is_size(2**63)
    settings, problems = settings_from_client({"sizes": {"n": 10**400}})
    assert settings == Settings()
    assert len(problems) == 1


@pytest.mark.parametrize("flags", [("N=\0",), ("\ud800",), ("@/etc/passwd",), ("-DN=4",), ("",)])
def test_flags_that_no_program_can_be_given_cost_the_compiler_not_the_analysis(
    tmp_path: Path, flags: tuple[str, ...]
) -> None:
    answer = answer_of(tmp_path, LOOP, settings=Settings(defines=flags, include_paths=flags))
    assert [len(function.nests) for function in answer.functions] == [1]
    assert any("left out" in problem.message for problem in answer.problems)
