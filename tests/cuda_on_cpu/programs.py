"""Builds originals, ports and their checks into one program that runs on the CPU, and tells which checks fail."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from cuda_on_cpu.case import Case
from cuda_on_cpu.checks import check, port_name

HERE = Path(__file__).parent
SECONDS_PER_CHECK = 20
_COMMON = ("-w", "-g1", "-fwrapv", "-ffp-contract=off", f"-I{HERE}")
C_FLAGS = ("-std=gnu11", "-O1", "-fsanitize=address", *_COMMON)
MACHINE_FLAGS = ("-std=c++17", "-O1", *_COMMON)
CUDA_FLAGS = (
    "-std=c++17", "-O0", "-fno-threadsafe-statics", "-fsanitize=thread,undefined",
    "-fno-sanitize=signed-integer-overflow,vptr", "-fno-sanitize-recover=all", *_COMMON,
)  # fmt: skip
LINK_FLAGS = ("-fsanitize=address,undefined",)
_LAUNCH = re.compile(r"\b(\w+(?:<[\w ,]*>)?)\s*<<<")
_MAIN = """#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
%(declared)s
static const struct { const char *name; void (*run)(void); } checks[] = {%(checks)s};
int main(void)
{
    for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++) {
        fprintf(stderr, "\\n@ %%s\\n", checks[i].name);
        pid_t child = fork();
        if (child == 0) {
            alarm(%(seconds)d);
            checks[i].run();
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        fprintf(stderr, "\\n= %%d\\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
    return 0;
}
"""


@dataclass(frozen=True)
class Port:
    """A way in which a function runs on the GPU. `cuda` are CUDA files, `c` the function in C that calls them.

    In `c` the wrappers have the names that they have in `cuda`, and the function its own.
    """

    cuda: tuple[str, ...]
    c: str
    wrappers: tuple[str, ...]
    prototypes: tuple[str, ...]


@dataclass(frozen=True)
class Checked:
    """A case with its ports."""

    case: Case
    ports: tuple[Port, ...]


@dataclass(frozen=True)
class Failure:
    """`status` is that of the process, negative where a signal ended it; `said` is what it wrote."""

    case: str
    port: int
    status: int
    said: str


def on_cpu(cuda: str) -> str:
    """CUDA text as C++: launches are written as calls, nothing else changes."""
    return _LAUNCH.sub(r"cuda_on_cpu::launcher(\1)(", cuda).replace(">>>(", ")(")


def failures(
    cases: Sequence[Checked], folder: Path, compilers: int = 1, cuda_units: int = 1, cases_in_c_unit: int = 1
) -> list[Failure]:
    """Build and run; raises AssertionError with the compiler's message where something does not compile.

    Cases in one C unit share the names of everything but the functions that are ported.
    """
    commands = [["g++", *MACHINE_FLAGS, "-c", str(HERE / "control.cc"), "-o", "control.o"]]
    per_unit = -(-len(cases) // cuda_units)
    for unit, start in enumerate(range(0, len(cases), per_unit)):
        text = cuda_unit(cases[start : start + per_unit])
        (folder / f"ports_{unit}.cc").write_text(text, encoding="utf-8")
        commands.append(["g++", *CUDA_FLAGS, "-c", f"ports_{unit}.cc", "-o", f"ports_{unit}.o"])
    for start in range(0, len(cases), cases_in_c_unit):
        together = cases[start : start + cases_in_c_unit]
        name = together[0].case.name
        (folder / f"{name}.c").write_text("".join(map(_c_unit, together)), encoding="utf-8")
        commands.append(["gcc", *C_FLAGS, "-c", f"{name}.c", "-o", f"{name}.o"])
    names = [f"{checked.case.name}_{number}" for checked in cases for number in range(len(checked.ports))]
    values = {
        "declared": "".join(f"void check_{name}(void);\n" for name in names),
        "checks": ", ".join(f'{{"{name}", check_{name}}}' for name in names),
        "seconds": SECONDS_PER_CHECK,
    }
    (folder / "main.c").write_text(_MAIN % values, encoding="utf-8")
    commands.append(["gcc", *C_FLAGS, "-c", "main.c", "-o", "main.o"])
    with ThreadPoolExecutor(compilers) as pool:
        for said in pool.map(lambda command: _compiled(command, folder), commands):
            assert not said, said
    objects = [command[-1] for command in commands]
    said = _compiled(["g++", *LINK_FLAGS, *objects, "-o", "checks", "-lm"], folder)
    assert not said, said
    ran = subprocess.run(["./checks"], cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert ran.returncode == 0, ran.stderr
    return _failures(ran.stderr)


def cuda_unit(cases: Sequence[Checked]) -> str:
    """One C++ file with all ports, each in a namespace of its own; what they include stands in front of them."""
    lines = ["#include <cuda_runtime.h>"]
    files = [cuda for checked in cases for port in checked.ports for cuda in port.cuda]
    lines += sorted({line for cuda in files for line in re.findall(r"^#include <[\w./]+>$", cuda, re.MULTILINE)})
    for checked in cases:
        for number, port in enumerate(checked.ports):
            for file, (cuda, name) in enumerate(zip(port.cuda, port.wrappers, strict=True)):
                lines.append(f"namespace {checked.case.name}_{number}_{file} {{")
                lines.append(f"#define {name} {_unique(checked.case, number, file)}")
                lines.append(f'#line 1 "{checked.case.name}_{number}_{file}.cu"')
                lines += [on_cpu(cuda), f"#undef {name}", "}"]
    return "\n".join(lines) + "\n"


def _unique(case: Case, number: int, file: int) -> str:
    return f"{case.name}_{number}_wrapper_{file}"


def _c_unit(checked: Checked) -> str:
    """The original, the functions that call the ports, and the checks."""
    case = checked.case
    names = dict.fromkeys((case.function, case.called))
    original = [f"#define {name} {case.name}_{name}" for name in names]
    lines = [*original, f'#line 1 "{case.name}.c"', case.source, "#include <float.h>", '#include "driver.h"']
    for number, port in enumerate(checked.ports):
        wrappers = {name: _unique(case, number, file) for file, name in enumerate(port.wrappers)}
        renamed = {name: port_name(case, name, number) for name in names} | wrappers
        lines += [f"#undef {name}\n#define {name} {to}" for name, to in renamed.items()]
        lines += [*port.prototypes, port.c]
        lines += [*(f"#undef {name}" for name in renamed), *original]
    return "\n".join([*lines, check(case, len(checked.ports)), *(f"#undef {name}" for name in names), ""])


def _compiled(command: list[str], folder: Path) -> str:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "" if ran.returncode == 0 else f"{' '.join(command)}\n{ran.stderr[:6000]}"


def _failures(said: str) -> list[Failure]:
    found = []
    for name, text, status in re.findall(r"^@ (\w+)\n(.*?)\n= (-?\d+)$", said, re.MULTILINE | re.DOTALL):
        if int(status):
            case, _, port = name.rpartition("_")
            found.append(Failure(case, int(port), int(status), text.strip()[:3000]))
    return found
