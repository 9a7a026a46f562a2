"""Builds originals, ports and their checks into one program that runs on the CPU, and tells which checks fail."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.checks import check, check_names, port_name

HERE = Path(__file__).parent
SECONDS_PER_CHECK = 20
_COMMON = ("-w", "-g1", "-fwrapv", "-ffp-contract=off", f"-I{HERE}")
C_FLAGS = ("-std=gnu11", "-O0", "-fsanitize=address", *_COMMON)
MACHINE_FLAGS = ("-std=c++17", "-O2", *_COMMON)
CUDA_FLAGS = (
    "-std=c++17", "-O0", "-fno-threadsafe-statics", "-fsanitize=thread,undefined",
    "--param=tsan-distinguish-volatile=1",
    "-fno-sanitize=signed-integer-overflow,vptr", "-fno-sanitize-recover=all", *_COMMON,
)  # fmt: skip
LINK_FLAGS = ("-fsanitize=address,undefined",)
_LAUNCH = re.compile(r"\b(\w+(?:<[\w ,]*>)?)\s*<<<")
_MAIN = """#include <stdio.h>
#include <sys/resource.h>
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
            setrlimit(RLIMIT_CPU, &(struct rlimit){%(seconds)d, %(seconds)d});
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

    In `c` the wrappers have the names that they have in `cuda`, and the function its own. `is_mapped`: loops are at
    other levels than the source's, and sums in parts.
    """

    cuda: tuple[str, ...]
    c: str
    wrappers: tuple[str, ...]
    prototypes: tuple[str, ...]
    is_mapped: bool = False


@dataclass(frozen=True)
class Checked:
    """A case with its ports."""

    case: Case
    ports: tuple[Port, ...]


@dataclass(frozen=True)
class Failure:
    """`status` of the process is negative where a signal ended it, 0 where there is none; `said` is what it wrote.

    `sizes` is which of the case's it ran, where they run alone.
    """

    case: str
    port: int
    status: int
    said: str
    sizes: int = 0


def on_cpu(cuda: str) -> str:
    """CUDA text as C++: launches are written as calls, nothing else changes."""
    return _LAUNCH.sub(r"cuda_on_cpu::launcher(\1)(", cuda).replace(">>>(", ")(")


def failures(
    cases: Sequence[Checked],
    folder: Path,
    compilers: int = 1,
    cuda_units: int = 1,
    cases_in_c_unit: int = 1,
    cuda_flags: Sequence[str] = CUDA_FLAGS,
) -> list[Failure]:
    """Build and run; ports that do not compile as C++ are failures too, of status 0.

    Cases in one C unit share the names of everything but the functions that are ported.
    Raises AssertionError with the compiler's message where something else does not compile.
    """
    per_unit = -(-len(cases) // cuda_units)
    units = [cases[start : start + per_unit] for start in range(0, len(cases), per_unit)]
    with ThreadPoolExecutor(compilers) as pool:
        built = [
            pool.submit(_cuda_object, unit, folder / f"ports_{number}", cuda_flags) for number, unit in enumerate(units)
        ]
        others = [pool.submit(lambda: machine_object()[1])]
        bad = [failure for future in built for failure in future.result()]
        excluded = frozenset((failure.case, failure.port) for failure in bad)
        commands = []
        for start in range(0, len(cases), cases_in_c_unit):
            together = cases[start : start + cases_in_c_unit]
            name = together[0].case.name
            text = "".join(_c_unit(checked, excluded) for checked in together)
            (folder / f"{name}.c").write_text(text, encoding="utf-8")
            commands.append(["gcc", *C_FLAGS, "-c", f"{name}.c", "-o", f"{name}.o"])
        (folder / "main.c").write_text(_main(cases, excluded), encoding="utf-8")
        commands.append(["gcc", *C_FLAGS, "-c", "main.c", "-o", "main.o"])
        others += [pool.submit(_compiled, command, folder) for command in commands]
        for future in others:
            said = future.result()
            assert not said, said
    objects = [str(machine_object()[0]), *(f"ports_{number}.o" for number in range(len(units)))]
    objects += [command[-1] for command in commands]
    said = _compiled(["g++", *LINK_FLAGS, *objects, "-o", "checks", "-lm"], folder)
    assert not said, said
    ran = subprocess.run(["./checks"], cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert ran.returncode == 0, ran.stderr
    return bad + _failures(ran.stderr)


@cache
def machine_object() -> tuple[Path, str]:
    """What runs CUDA's threads, compiled once in a process, and what the compiler says against it."""
    path = Path(_folder().name, "control.o")
    return path, _compiled(["g++", *MACHINE_FLAGS, "-c", str(HERE / "control.cc"), "-o", str(path)], HERE)


@cache
def _folder() -> TemporaryDirectory[str]:
    """It lives as long as the process."""
    return TemporaryDirectory(prefix="cuda-on-cpu-")


def _cuda_object(cases: Sequence[Checked], unit: Path, flags: Sequence[str]) -> list[Failure]:
    """Compile the ports; those that the compiler has something against are left out."""
    bad: dict[tuple[str, int], Failure] = {}
    for _ in range(3):
        unit.with_suffix(".cc").write_text(cuda_unit(cases, on_cpu, frozenset(bad)), encoding="utf-8")
        command = ["g++", *flags, "-fmax-errors=0", "-c", f"{unit.name}.cc", "-o", f"{unit.name}.o"]
        said = _compiled(command, unit.parent)
        found = re.findall(r"^(\w+)_(\d+)_\d+\.cu:(.*error: .*)$", said, re.MULTILINE)
        for case, port, message in found:
            bad.setdefault((case, int(port)), Failure(case, int(port), 0, message.strip()))
        if not said:
            return list(bad.values())
        assert found, said
    raise AssertionError(said)


def _main(cases: Sequence[Checked], excluded: frozenset[tuple[str, int]]) -> str:
    """The program that runs every check in a process of its own."""
    ports = ((checked.case, number) for checked in cases for number in range(len(checked.ports)))
    kept = ((case, number) for case, number in ports if (case.name, number) not in excluded)
    names = [name for case, number in kept for name in check_names(case, number)]
    values = {
        "declared": "".join(f"void check_{name}(void);\n" for name in names),
        "checks": ", ".join(f'{{"{name}", check_{name}}}' for name in names),
        "seconds": SECONDS_PER_CHECK,
    }
    return _MAIN % values


def cuda_unit(
    cases: Sequence[Checked],
    spelled: Callable[[str], str] = str,
    excluded: frozenset[tuple[str, int]] = frozenset(),
) -> str:
    """One C++ file with all ports, each in a namespace of its own; what they include stands in front of them."""
    lines = ["#include <cuda_runtime.h>"]
    files = [cuda for checked in cases for port in checked.ports for cuda in port.cuda]
    lines += sorted({line for cuda in files for line in re.findall(r"^#include <[\w./]+>$", cuda, re.MULTILINE)})
    for checked in cases:
        for number, port in enumerate(checked.ports):
            if (checked.case.name, number) in excluded:
                continue
            for file, (cuda, name) in enumerate(zip(port.cuda, port.wrappers, strict=True)):
                lines.append(f"namespace {checked.case.name}_{number}_{file} {{")
                lines.append(f"#define {name} {_unique(checked.case, number, file)}")
                lines.append(f'#line 1 "{checked.case.name}_{number}_{file}.cu"')
                lines += [spelled(cuda), f"#undef {name}", "}"]
    return "\n".join(lines) + "\n"


def _unique(case: Case, number: int, file: int) -> str:
    return f"{case.name}_{number}_wrapper_{file}"


def _c_unit(checked: Checked, excluded: frozenset[tuple[str, int]]) -> str:
    """The original, the functions that call the ports, and the checks."""
    case = checked.case
    names = dict.fromkeys((case.function, case.called))
    original = [f"#define {name} {case.name}_{name}" for name in names]
    lines = [*original, f'#line 1 "{case.name}.c"', case.source, "#include <float.h>", '#include "driver.h"']
    numbers = [n for n in range(len(checked.ports)) if (case.name, n) not in excluded]
    for number in numbers:
        port = checked.ports[number]
        wrappers = {name: _unique(case, number, file) for file, name in enumerate(port.wrappers)}
        renamed = {name: port_name(case, name, number) for name in names} | wrappers
        lines += [f"#undef {name}\n#define {name} {to}" for name, to in renamed.items()]
        lines += [*port.prototypes, port.c]
        lines += [*(f"#undef {name}" for name in renamed), *original]
    mapped = [number for number in numbers if checked.ports[number].is_mapped]
    return "\n".join([*lines, check(case, numbers, mapped), *(f"#undef {name}" for name in names), ""])


def _compiled(command: list[str], folder: Path) -> str:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "" if ran.returncode == 0 else f"{' '.join(command)}\n{ran.stderr[:200000]}"


def _failures(said: str) -> list[Failure]:
    found = []
    for name, text, status in re.findall(r"^@ (\w+)\n(.*?)\n= (-?\d+)$", said, re.MULTILINE | re.DOTALL):
        if int(status):
            case, port, sizes = name.rsplit("_", 2)
            found.append(Failure(case, int(port), int(status), text.strip()[:3000], int(sizes)))
    return found
