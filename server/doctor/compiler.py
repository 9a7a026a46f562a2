"""The C compiler that is found, and what it makes of a small file."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from warplens.server.doctor.check import Check
from warplens.server.files.project import worked_on
from warplens.server.preprocess.compiler import COMPILER_NAMES, find_compiler, system_folders
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.preprocess import preprocess
from warplens.server.programs.programs import Programs

_SAMPLE = "#include <math.h>\n#include <stdio.h>\nint main(void) { return 0; }\n"
_LIMIT_S = 20.0
_INSTALL = (
    "install one (`sudo apt install gcc`, `xcode-select --install`): without it system headers are not read, and "
    "Warplens' own preprocessor stands in"
)


def compiler_checks(folder: Path) -> Iterator[Check]:
    """`folder` is where the user works: a compiler in there is not run."""
    programs = Programs.outside_of((folder, *worked_on()))
    compiler = find_compiler(programs)
    if compiler is None:
        elsewhere = find_compiler(Programs.outside_of(()))
        names = ", ".join(COMPILER_NAMES)
        if elsewhere is not None:
            why = f"{elsewhere} lies in the workspace ({folder}): what a workspace brings along is not run"
            yield Check("compiler", "note", why, "install one outside, or start this elsewhere")
        else:
            yield Check("compiler", "note", f"none of {names} in an absolute folder of PATH", _INSTALL)
        yield _preprocessed("preprocessing", folder)
        return
    names = ", ".join(COMPILER_NAMES)
    yield Check("compiler", "ok", f"{compiler}, the first of {names} on PATH")
    try:
        folders = [each for each in system_folders(compiler, programs) if Path(each).is_dir()]
    except OSError as error:
        yield Check(
            "include folders", "wrong", f"{compiler} can't be asked: {error}", "see the folder for temporary files"
        )
        return
    if folders:
        yield Check("include folders", "ok", ", ".join(dict.fromkeys(str(Path(each).resolve()) for each in folders)))
    else:
        yield Check("include folders", "wrong", f"{compiler} names none", f"does `{compiler} -E -v -x c -` work?")
    yield _preprocessed("preprocessing", folder)


def _preprocessed(name: str, folder: Path) -> Check:
    started = time.perf_counter()
    path = Path(tempfile.gettempdir()) / "doctor.c"
    workspace = (folder, *worked_on())
    found = preprocess(path, _SAMPLE, PreprocessorFlags(), workspace, _LIMIT_S, trusted=True)
    took_ms = (time.perf_counter() - started) * 1e3
    if found.notes:
        said = "; ".join(message for _, message in found.notes)
        return Check(
            name, "wrong", said, "a program that includes <math.h> and <stdio.h> must compile: is libc6-dev installed?"
        )
    return Check(name, "ok", f"<math.h> and <stdio.h> by {found.preprocessor} in {took_ms:.0f} ms")
