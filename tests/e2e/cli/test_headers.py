"""`warplens check` on headers: in a folder those of C with loops, by name any, with the sizes of what calls them."""

import json
from pathlib import Path
from typing import Any

import pytest
from warplens.server.cli.main import main

pytestmark = pytest.mark.process

LOOP = "static inline void scale(double *restrict x, int n) {\n    for (int i = 0; i < n; i++)\n        x[i] *= 2;\n}\n"
FILES = {
    "scale.h": LOOP,
    "types.h": "/* for (;;) */\ntypedef struct { int n; } grid;\n#define EACH(i, n) for (int i = 0; i < n; i++)\n",
    "vector.h": "#include <vector>\ninline void f(std::vector<int> &v) { for (auto &x : v) x = 0; }\n",
    "both.h": f"#ifdef __cplusplus\n{LOOP}class A {{ }};\n#endif\nint f(void);\n",
    "code.h": f"#ifdef WITH_CODE\n{LOOP}#endif\n",
    "main.c": '#include "scale.h"\ndouble x[50000];\nint main(void) { scale(x, 50000); return 0; }\n',
}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    root = tmp_path / "program"
    root.mkdir()
    (root / "README").write_text("A program.\n")
    for name, text in FILES.items():
        (root / name).write_text(text)
    return root


def checked(capsys: pytest.CaptureFixture[str], *given: Path) -> dict[str, dict[str, Any]]:
    assert main(["check", "--json", *map(str, given)]) == 0
    return {Path(file["path"]).name: file for file in json.loads(capsys.readouterr().out)["files"]}


def test_of_a_folder_the_headers_of_c_with_loops_are_taken(program: Path, capsys) -> None:
    files = checked(capsys, program)
    assert list(files) == ["main.c", "scale.h"]
    (nest,) = files["scale.h"]["nests"]
    assert nest["sizes"] == {"n": 50000}
    assert nest["size_sources"][0]["statements"][0]["path"] == str(program / "main.c")
    assert main(["check", str(program)]) == 0
    assert "1 of 1 loop nest is worth porting" in capsys.readouterr().out


def test_a_header_that_is_named_is_answered(program: Path, capsys) -> None:
    named = [program / name for name in ("types.h", "vector.h", "code.h", "scale.h")]
    files = checked(capsys, *named)
    assert list(files) == [path.name for path in named]
    assert files["scale.h"]["nests"][0]["sizes"] == {"n": 50000}
    cpp = files["vector.h"]
    assert (cpp["language"], cpp["nests"], cpp["opaque"], cpp["problems"]) == ("C++", [], [], [])
    assert main(["check", "-v", str(program / "vector.h")]) == 0
    assert f"{program / 'vector.h'}: a header of C++, which is not read" in capsys.readouterr().out


def test_a_folder_of_headers_without_loops_holds_nothing(program: Path, capsys) -> None:
    for name in ("scale.h", "main.c"):
        (program / name).unlink()
    (program / "code.h").unlink()
    assert main(["check", str(program)]) == 1
    assert "there is no C file in this folder" in capsys.readouterr().err
