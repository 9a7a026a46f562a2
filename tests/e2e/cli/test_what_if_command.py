"""`warplens what-if FILE:LINE`: both predictions side by side, the choices, and what can't be done."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from warplens.server.cli.main import main

PROGRAM = """\
void blur(int n, const float *restrict in, float *restrict out)
{
    for (int i = 8; i < n - 8; i++) {
        float sum = 0;
        for (int k = -8; k <= 8; k++)
            sum += in[i + k];
        out[i] = sum;
    }
}

void prefix(int n, float *restrict x)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}
"""

WhatIf = Callable[..., tuple[int, str, str]]


@pytest.fixture
def what_if(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> WhatIf:
    """Runs the command on a line of the program; its exit code, output and messages."""
    (tmp_path / "p.c").write_text(PROGRAM)

    def run(line: int, *options: str) -> tuple[int, str, str]:
        code = main(["what-if", f"{tmp_path / 'p.c'}:{line}", *options])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def cells(text: str) -> dict[str, tuple[str, ...]]:
    """Rows of the table by their first cell."""
    rows = (re.split(r" {2,}", line.strip()) for line in text.splitlines())
    return {first: tuple(rest) for first, *rest in rows if len(rest) == 2}


def test_both_predictions_stand_side_by_side_with_the_reasons(what_if: WhatIf) -> None:
    code, out, _ = what_if(3, "--size", "n=1000000", "--gpu", "k20", "--block", "128", "--shared", "none")
    assert code == 0
    rows = cells(out)
    assert rows["GPU"] == ("A100 SXM4 40 GB", "Tesla K20c")
    assert rows["n"] == ("1024", "1000000")
    assert rows["block"][1] == "128"
    assert rows["shared memory"][1] == "nothing"
    assert "  Why\n    - GPU " in out
    assert "are copied instead of" in out
    assert "Not possible" not in out


def test_where_nothing_is_asked_the_choices_are_listed(what_if: WhatIf) -> None:
    code, out, _ = what_if(3)
    assert code == 0
    assert "--size n=...: `n` is not known, 1024 is assumed" in out
    assert "--gpu 8800gtx, a100," in out
    assert re.search(r"--block 32, 64, .* 1024 threads at most", out)
    assert "--work 1, 2, 3, 4, 5, 6, 8" in out
    assert re.search(r"--shared none, in \(\d", out)


def test_what_other_calls_set_is_listed_as_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.c").write_text(
        "void run(double *x, int n)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = 1;\n}\n"
    )
    (tmp_path / "main.c").write_text("int main(void) { extern double x[];\n run(x, 4096);\n run(x, 40);\n}")
    assert main(["what-if", f"{tmp_path / 'run.c'}:3"]) == 0
    assert "    - --size n=40: as `run(x, 40)` sets it (main.c:3)\n" in capsys.readouterr().out


def test_what_is_not_possible_is_said_beside_the_rest(what_if: WhatIf) -> None:
    code, out, _ = what_if(3, "--block", "32x8", "--shared", "out", "--size", "m=5", "--size", "n=77")
    assert code == 1
    assert cells(out)["n"] == ("1024", "77")
    said = out.partition("Not possible")[2]
    assert "sizes: the loop does not depend on a size `m`, but on `n`" in said
    assert "block: threads lie along one loop here" in said
    assert "shared: `out` is written in the loop" in said


def test_json_is_the_answer_of_the_language_server(what_if: WhatIf, tmp_path: Path) -> None:
    code, out, _ = what_if(3, "--data", "resident", "--work", "4", "--json")
    answer: dict[str, Any] = json.loads(out)
    assert (code, answer["path"], answer["problems"]) == (0, str(tmp_path / "p.c"), [])
    assert answer["nest"] == {"function": "blur", "ordinal": 0, "line": 3, "column": 5}
    assert answer["result"]["kernels"][0]["outputs_per_thread"] == [4, 1, 1]
    assert answer["result"]["total"]["data"] == "resident"
    assert list(answer["choices"]["kernels"][0]["shared"][0]) == ["array", "size_bytes", "saved_bytes_per_block"]


def test_a_profile_of_ones_own_can_be_tried(what_if: WhatIf, tmp_path: Path) -> None:
    profile = tmp_path / "mine.toml"
    profile.write_text('schema = 1\nid = "mine"\nname = "My card"\nextends = "a100"\n')
    code, out, err = what_if(3, "--gpu", str(profile))
    assert (code, err) == (0, "")
    assert cells(out)["GPU"] == ("A100 SXM4 40 GB", "My card")


def test_a_sequential_loop_and_lines_without_one(what_if: WhatIf) -> None:
    code, out, _ = what_if(13, "--size", "n=5000", "--cpu", "desktop")
    assert code == 0
    assert cells(out)["CPU"][1] != cells(out)["CPU"][0]
    assert "GPU time" not in out
    code, out, err = what_if(10, "--size", "n=5000")
    assert (code, out) == (2, "")
    assert "no loop stands there" in err
    code, _, err = what_if(99)
    assert (code, "there is no line 99" in err) == (2, True)
    with pytest.raises(SystemExit) as wrong:
        what_if(3, "--block", "0x8")
    assert wrong.value.code == 2
