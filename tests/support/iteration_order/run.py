"""Compiles a rewritten C file with a main that runs its functions, and tells which loops compute something else."""

from __future__ import annotations

import ctypes
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from support.iteration_order.any_order import AnyOrder

LENGTH = 4096
"""Elements behind each pointer; the driver's sizes are small enough for every subscript of a fixture."""

_HEADER = Path(__file__).with_name("driver.h")
_FLAGS = ("-Og", "-w", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-fno-builtin-malloc")
_KINDS = {"double": "d", "float": "f", "int": "i", "unsigned": "i", "long": "l", "size_t": "l", "ptrdiff_t": "l",
          "int64_t": "l", "int32_t": "i", "uint32_t": "i", "short": "s", "complex": "d"}  # fmt: skip
_QUALIFIERS = {"const", "restrict", "volatile", "register", "static", "__restrict", "__restrict__"}
_TYPE = (
    r"(?:static\s+|volatile\s+|const\s+)*(?:unsigned\s+|signed\s+|long\s+|short\s+)*"
    r"(?:double _Complex|double|float|int|char|long|short|unsigned|_Bool|bool|size_t|u?int\d+_t|struct \w+|union \w+)"
)
_GLOBAL = re.compile(rf"^({_TYPE})\s+([^;()={{}}]+);", re.MULTILINE)
_FUNCTION = re.compile(rf"^(?:static\s+|inline\s+)*(void|{_TYPE})\s+(\w+)\(([^)]*)\)\s*\{{", re.MULTILINE)
_PROTOTYPE = re.compile(rf"^(?:extern\s+)?(void|{_TYPE})\s+(\w+)\(([^)]*)\);", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Lines of loops that computed something else in another order, and of those that never had two iterations."""

    differs: tuple[int, ...]
    idle: tuple[int, ...]


def run(changed: AnyOrder, folder: Path, elsewhere: str = "") -> Outcome:
    """Build and run; every function whose parameters can be made is called.

    `elsewhere` is the text of a second file, with functions that the first only declares.
    """
    stubs = _stubs(changed.text, elsewhere)
    text = (
        f'#define DRIVER_APART\n#include "{_HEADER}"\n{stubs}\n#line 1 "rewritten.c"\n{changed.text}\n{_main(changed)}'
    )
    (folder / "rewritten.c").write_text(text, encoding="utf-8")
    files = ["rewritten.c"]
    if elsewhere:
        (folder / "elsewhere.c").write_text(elsewhere, encoding="utf-8")
        files.append("elsewhere.c")
    command = ["gcc", *_FLAGS, *files, str(_driver_object()), "-lm", "-o", "rewritten"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
    ran = subprocess.run(["./rewritten"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, (ran.returncode, ran.stdout[-500:])
    said: dict[str, list[int]] = {"differs": [], "idle": []}
    for line in ran.stdout.splitlines():
        word, _, number = line.partition(" ")
        said[word].append(changed.loops[int(number)].line)
    return Outcome(tuple(said["differs"]), tuple(said["idle"]))


@cache
def _driver_object() -> Path:
    """The driver's functions, compiled once in a process: they take longer than most files that are run."""
    path = Path(_folder().name, "driver.o")
    subprocess.run(["gcc", *_FLAGS, "-DDRIVER_ITSELF", "-x", "c", "-c", str(_HEADER), "-o", str(path)], check=True)
    return path


@cache
def _folder() -> TemporaryDirectory[str]:
    """It lives as long as the process."""
    return TemporaryDirectory(prefix="iteration-order-")


def _stubs(source: str, elsewhere: str) -> str:
    """Bodies for functions that the file only declares and that are neither elsewhere nor the C library's."""
    defined = {name for _, name, _ in (*_FUNCTION.findall(source), *_FUNCTION.findall(elsewhere))}
    library = ctypes.CDLL("libm.so.6")
    lines = []
    for result, name, parameters in _PROTOTYPE.findall(source):
        if name in defined or hasattr(library, name):
            continue
        named = []
        for number, parameter in enumerate(p.strip() for p in parameters.split(",") if p.strip() not in {"", "void"}):
            is_unnamed = parameter.endswith("*") or parameter.split()[-1] in _KINDS | {"char": "c"}
            named.append(f"{parameter} a{number}" if is_unnamed else parameter)
        value = re.findall(r"\w+", named[0])[-1] if named and "*" not in named[0] else "0"
        lines.append(f"{result} {name}({', '.join(named)}) {{ {'' if result == 'void' else f'return {value};'} }}")
    return " ".join(lines)


def _main(changed: AnyOrder) -> str:
    """One `run_` and its check per function of the file that has a rewritten loop."""
    lines, main = [], ["int main(void) {"]
    shared = _globals(changed.text)
    for result, name, parameters in _FUNCTION.findall(changed.text):
        numbers = [k for k, loop in enumerate(changed.loops) if loop.function == name]
        if not numbers:
            continue
        arguments, objects, ints = [], [], 0
        for number, parameter in enumerate(p.strip() for p in parameters.split(",")):
            if parameter in {"", "void"}:
                continue
            kind, base, stars = _parameter(parameter)
            memory = f"{name}_{number}"
            if stars:
                lines.append(f"static {base} {memory}[{LENGTH}];")
                objects.append(f"object_({memory}, sizeof {memory}, '{kind}');")
                arguments.append(f"(void *){memory}")
            if stars > 1:
                lines.append(f"static {base} *{memory}_rows[64];")
                objects.append(f"for (int k = 0; k < 64; k++) {memory}_rows[k] = {memory} + 64 * k;")
                objects.append(f"object_({memory}_rows, sizeof {memory}_rows, 'p');")
                arguments[-1] = f"(void *){memory}_rows"
            if not stars:
                arguments.append("0.375" if kind in "df" else f"z{min(ints, 3)}")
                ints += kind not in "df"
        call = f"{name}({', '.join(arguments)});"
        call = call if result == "void" else f"*result = {call}"
        lines.append(f"static void run_{name}(long z0, long z1, long z2, long z3, double *result) {{ {call} }}")
        main.append(" ".join(["{", *shared, *objects]))
        main.append(f"static const int loops[] = {{{', '.join(map(str, numbers))}, -1}};")
        rounded = ", ".join(str(int(changed.loops[k].is_rounded)) for k in numbers)
        distinct = ", ".join(str(int(changed.loops[k].needs_distinct)) for k in numbers)
        main.append(f"static const char rounded[] = {{{rounded}}}, distinct[] = {{{distinct}}};")
        main.append(f"check_(run_{name}, loops, rounded, distinct); }}")
    return "\n".join([*lines, *main, "return 0;", "}"])


def _globals(source: str) -> list[str]:
    found = ["object_(arena_, sizeof arena_, 'z');"] if re.search(r"\b[mc]alloc\b", source) else []
    for base, names in _GLOBAL.findall(source):
        if re.search(r"\bconst\b", base):
            continue
        for declarator in re.split(r",(?![^\[]*\])", names):
            stars, name = re.match(r"\s*(\**)\s*(\w+)", declarator).groups()  # the pattern above lets no other pass
            if not stars:
                found.append(f"object_((void *)&{name}, sizeof {name}, '{_kind(base, name)}');")
            elif stars == "*" and "[" not in declarator:
                memory = f"memory_of_{name}"
                found.append(f"static {base} {memory}[{LENGTH}]; {name} = (void *){memory};")
                found.append(f"object_({memory}, sizeof {memory}, '{_kind(base, name)}');")
                found.append(f"object_((void *)&{name}, sizeof {name}, 'p');")
    return found


def _parameter(parameter: str) -> tuple[str, str, int]:
    """(kind of value, type of element, levels of pointer)."""
    before, bracket, _ = parameter.partition("[")
    words = re.findall(r"\w+", before)
    base = " ".join(word for word in words[:-1] if word not in _QUALIFIERS)
    return _kind(base, words[-1]), base, before.count("*") or int(bool(bracket))


def _kind(base: str, name: str) -> str:
    if name in {"rp", "rowptr", "row_start"}:
        return "r"
    if base.startswith(("struct", "union")):
        return "d"
    return next((_KINDS[word] for word in reversed(base.split()) if word in _KINDS), "c")
