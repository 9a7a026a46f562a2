"""Loops that end next to the limits of their iterator's type: the port is right, or says which sizes it can't have."""

from __future__ import annotations

import pytest
from support.cuda_on_cpu.analysed import analysed
from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.ports import ports
from support.cuda_on_cpu.programs import CUDA_FLAGS, Checked, Failure, failures

INT_MAX, INT_MIN, UINT_MAX, LONG_MAX = 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1
LIMITS = (INT_MAX, INT_MIN, UINT_MAX, LONG_MAX, -LONG_MAX)
OVERFLOWS_SEEN = [flag.replace("signed-integer-overflow,", "") for flag in CUDA_FLAGS if flag != "-fwrapv"]
SHAPES = {
    "line": """void work({type} lo, {type} hi, float *restrict a, const float *restrict b)
        {{ for ({type} i = lo; i {to} hi; i{step}) a[{at}] = 2 * b[{at}] + 1; }}""",
    "square": """void work({type} lo, {type} hi, float *restrict a, const float *restrict b)
        {{ for ({type} i = lo; i {to} hi; i{step}) for (int j = 0; j < 8; j++)
            a[({at}) * 8 + j] = 2 * b[({at}) * 8 + j] + 1; }}""",
    "tiled": """void work({type} lo, {type} hi, float *restrict a, const float *restrict b)
        {{ for ({type} i = lo; i {to} hi; i{step}) a[{at}] = b[{at}] + b[{at} + 1] + b[{at} + 2]; }}""",
    "chunks": """void work({type} lo, {type} hi, float *restrict a, const float *restrict b)
        {{ for (int j = 0; j < 8; j++) {{ float s = 0;
           for ({type} i = lo; i {to} hi; i{step}) s += b[{at}] * (j + 1);
           a[j] = s; }} }}""",
}
UP = {
    "int": ((INT_MAX - 40, INT_MAX), (INT_MAX - 600, INT_MAX - 560), (-20, 20), (INT_MIN, INT_MIN + 40)),
    "unsigned": ((UINT_MAX - 40, UINT_MAX), (INT_MAX - 20, INT_MAX + 20), (0, 40)),
    "long": ((LONG_MAX - 40, LONG_MAX), (INT_MAX - 20, INT_MAX + 20), (-20, 20)),
    "short": ((32767 - 40, 32767), (-32768, -32768 + 40)),
    "signed char": ((127 - 40, 127), (-128, -128 + 40)),
}
DOWN = {
    "int": ((INT_MIN + 40, INT_MIN), (INT_MAX, INT_MAX - 40), (20, -20)),
    "unsigned": ((40, 0), (UINT_MAX, UINT_MAX - 40)),
    "long": ((-LONG_MAX + 40, -LONG_MAX), (20, -20)),
}


def _cases() -> list[Case]:
    found = []
    for shape, text in SHAPES.items():
        for number, (kind, to, step, at, ends) in enumerate(
            [(kind, "<", "++", "i - lo", ends) for kind, ends in UP.items()]
            + [(kind, "<=", "++", "i - lo", [(lo, hi - 1) for lo, hi in ends]) for kind, ends in UP.items()]
            + [(kind, "<", " += 3", "i - lo", [(lo, hi - 2) for lo, hi in ends]) for kind, ends in UP.items()]
            + [(kind, ">", "--", "lo - i", ends) for kind, ends in DOWN.items()]
        ):
            source = text.format(type=kind, to=to, step=step, at=at)
            sizes = tuple({"lo": lo, "hi": hi} for lo, hi in ends)
            lengths = {"a": "512", "b": "512"}
            found.append(Case(f"{shape}_{number}", source, sizes, lengths=lengths, terms="64", alone=True))
    return found


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Checked], list[Failure]]:
    written = [(case, ports(case, analysed(case), 0, 4)[0]) for case in _cases()]
    checked = [Checked(case, tuple(found)) for case, found in written if found]
    folder = tmp_path_factory.mktemp("limits")
    return checked, failures(checked, folder, 2, 2, 40, OVERFLOWS_SEEN)


def test_ports_are_right_or_refuse_their_sizes(found: tuple[list[Checked], list[Failure]]) -> None:
    checked, failed = found
    wrong = [one for one in failed if "does not hold" not in one.said]
    assert not wrong
    sizes = {one.case.name: one.case.sizes for one in checked}
    far = [one for one in failed if min(abs(sizes[one.case][one.sizes]["hi"] - limit) for limit in LIMITS) > 2**23]
    assert not far
    assert failed
