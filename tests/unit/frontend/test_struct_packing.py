"""A structure that a pragma packs is told apart wherever the pragma stands; one beside it is not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.python_preprocessor import preprocess_in_python
from warplens.analysis.frontend.preprocessing.source import Preprocessed

RECORD = "struct record { char tag; double v; };"
PLAIN = "struct plain { char tag; double v; };"
SOURCE = '#include "records.h"\nvoid f(int n, %s *r) { for (int i = 0; i < n; i++) r[i].v = 1; }\n'
PACKED = {
    "set and taken back": f"#pragma pack(1)\n{RECORD}\n#pragma pack()\n{PLAIN}",
    "pushed and popped": f"#pragma pack(push, 2)\n{RECORD}\n#pragma pack(pop)\n{PLAIN}",
    "pushed before it is set": f"#pragma pack(push)\n#pragma pack(4)\n{RECORD}\n#pragma pack ( pop )\n{PLAIN}",
    "named": f"#pragma pack(push, here, 1)\n#pragma pack(push, 1)\n{RECORD}\n#pragma pack(pop, here)\n{PLAIN}",
    "twice": f"#pragma pack(push,1)\n#pragma pack(push,8)\n#pragma pack(pop)\n{RECORD}\n#pragma pack(pop)\n{PLAIN}",
    "widest inside": f"{PLAIN}\n#pragma pack(push,1)\n#pragma pack(push,16)\n#pragma pack(pop)\n{RECORD}",
    "zero": f"#pragma pack(1)\n{RECORD}\n#pragma pack(0)\n{PLAIN}",
    "operator": f'_Pragma("pack(1)")\n{RECORD}\n_Pragma("pack()") {PLAIN}',
    "in a macro": f'#define PACK _Pragma("pack(push, 1)")\nPACK {RECORD}\n#pragma pack(pop)\n{PLAIN}',
    "set inside": "struct record { char tag;\n#pragma pack(1)\ndouble v; };\n#pragma pack()\n" + PLAIN,
}  # fmt: skip


def inexact(header: str, element: str, folder: Path, preprocessor: str) -> tuple[str, ...]:
    source = SOURCE % element
    if preprocessor == "built-in":
        preprocessed = preprocess_in_python("/a.c", source, {"/records.h": header}.get, (), ())
    else:
        (folder / "records.h").write_text(header)
        (folder / "a.c").write_text(source)
        done = subprocess.run(["cc", "-E", "a.c"], cwd=folder, capture_output=True, text=True, check=True)
        preprocessed = Preprocessed(done.stdout, "a.c")
    (nest,) = parse_unit(source, preprocessed, Memo()).functions[-1].nests
    return nest.nest.inexact


@pytest.mark.parametrize("preprocessor", ["built-in", "cc"])
@pytest.mark.parametrize("header", PACKED.values(), ids=PACKED.keys())
def test_packed_in_a_header(header: str, preprocessor: str, tmp_path: Path) -> None:
    assert inexact(header, "struct record", tmp_path, preprocessor) == (
        "`#pragma pack` is ignored: member offsets may differ",
    )
    assert inexact(header, "struct plain", tmp_path, preprocessor) == ()


@pytest.mark.parametrize("preprocessor", ["built-in", "cc"])
def test_type_name_behind_the_operator(preprocessor: str, tmp_path: Path) -> None:
    header = '_Pragma("pack(1)") typedef struct { char tag; double v; } small;\n_Pragma("pack()")\n'
    assert inexact(header, "small", tmp_path, preprocessor) == ("`#pragma pack` is ignored: member offsets may differ",)


def test_header_that_leaves_it_in_force() -> None:
    source = (
        f'#include "open.h"\n{RECORD}\nvoid f(int n, struct record *r) {{ for (int i = 0; i < n; i++) r[i].v = 1; }}\n'
    )
    preprocessed = preprocess_in_python("/a.c", source, {"/open.h": "#pragma pack(push, 1)\n"}.get, (), ())
    assert parse_unit(source, preprocessed, Memo()).functions[-1].nests[0].nest.inexact != ()


def test_pragma_that_comes_in_front_of_a_remembered_structure() -> None:
    memo = Memo()
    loop = "void f(int n, struct record *r) { for (int i = 0; i < n; i++) r[i].v = 1; }\n"
    found = [
        parse_unit(source, Preprocessed(f'# 1 "a.c"\n{source}', "a.c"), memo).functions[-1].nests[0].nest.inexact
        for source in (f"{RECORD}\n{loop}", f"#pragma pack(1)\n{RECORD}\n{loop}", f"{RECORD}\n{loop}")
    ]
    assert [bool(one) for one in found] == [False, True, False]


def test_structure_of_a_function() -> None:
    body = f"#pragma pack(1)\n{RECORD}\n#pragma pack()\nstruct record r[9]; for (int i = 0; i < 9; i++) r[i].v = a[i];"
    source = f"void f(double *a) {{\n{body} }}\n"
    preprocessed = Preprocessed(f'# 1 "a.c"\n{source}', "a.c")
    assert parse_unit(source, preprocessed, Memo()).functions[-1].nests[0].nest.inexact != ()
