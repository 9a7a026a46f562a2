"""Text that tests do not give the compiler is what the compiler would make of it, over the corpus of C."""

import re
import subprocess
from pathlib import Path

import pytest
from support.compiler_output import plain_text

FILES = sorted((Path(__file__).parents[1] / "fixtures").rglob("*.c"))
PLAIN = {path: text for path in FILES if (text := plain_text(path.read_text(encoding="utf-8"))) is not None}


def lines_of(text: str) -> list[str]:
    """Each line without its indentation, without empty lines and what the compiler says of lines."""
    lines = (line.strip() for line in text.splitlines() if not line.startswith("#"))
    return [line for line in lines if line]


def test_it_is_the_compilers_output() -> None:
    command = ["cc", "-E", "-std=gnu11", "-fopenmp", *map(str, PLAIN)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    parts = re.split(r'^# 0 "(?!<)(.*\.c)"$', run.stdout, flags=re.MULTILINE)[1:]
    made = dict(zip(parts[::2], map(lines_of, parts[1::2]), strict=True))
    assert made == {str(path): lines_of(text) for path, text in PLAIN.items()}
    assert len(PLAIN) > len(FILES) // 4


@pytest.mark.parametrize(
    "source",
    [
        "#define N 4\nint a[N];", "int a[__LINE__];", "int unix;", "/* not ended", "int a; // b \\\n c",
        'char *s = "a /* b', "char c = '\\'';", "??=define N 4", "%:define N 4", '_Pragma("omp for")', "int é;",
    ],
)  # fmt: skip
def test_what_the_compiler_changes_is_left_to_it(source: str) -> None:
    assert plain_text(source) is None


def test_literals_stay_and_comments_leave_their_lines() -> None:
    source = 'int a;/* "b\n */char *s  =  "//  c"; // d"\n  int e;'
    assert plain_text(source) == 'int a; \nchar *s = "//  c"; \n  int e;'
