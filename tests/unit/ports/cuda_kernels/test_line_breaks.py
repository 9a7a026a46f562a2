"""Long lines are broken where the expression binds least, and say the same."""

import pytest
from warplens.analysis.ports.cuda.line_breaks import LONGEST, broken


@pytest.mark.parametrize(
    "line",
    [
        "    x[i] = " + " + ".join(f"alpha[i + {n}]" for n in range(30)) + ";",
        f"    for (int j = blockIdx.y * blockDim.y; {' && '.join(f'j < number_{k}' for k in range(9))}; j++) {{",
        "        y = f(" + ", ".join(f"argument_{n}" for n in range(20)) + ");",
    ],
)
def test_no_line_is_too_long_and_no_word_is_lost(line: str) -> None:
    lines = broken(line)
    assert len(lines) > 1
    assert all(len(one) <= LONGEST for one in lines)
    assert " ".join(one.strip() for one in lines) == line.strip()


def test_a_product_is_kept_together_where_a_sum_can_be_broken() -> None:
    line = "    x = " + " + ".join(f"(first_{n} - second_{n}) * third_{n}" for n in range(6)) + ";"
    assert all(one.strip().startswith("+") for one in broken(line)[1:])


def test_a_header_is_broken_between_its_parts() -> None:
    place = "1 + 2 * (blockIdx.y * blockDim.y + threadIdx.y)"
    line = f"    for (int row = {place}; row < rows; row += 2 * gridDim.y * blockDim.y) {{"
    assert broken(line)[1].strip() == "row += 2 * gridDim.y * blockDim.y) {"
