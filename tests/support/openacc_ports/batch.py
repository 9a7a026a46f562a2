"""Many originals and their ports in one program, which says which of them differ."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

POOL = 1 << 16
_MAIN = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double start[%(pool)d], original[%(pool)d], ported[%(pool)d];
%(declarations)s
static void run_original(void (*drive)(double *))
{
    memcpy(original, start, sizeof start);
    drive(original);
}
static void run_ported(const char *name, double tolerance, void (*drive)(double *))
{
    memcpy(ported, start, sizeof start);
    drive(ported);
    for (int i = 0; i < %(pool)d; i++)
        if (memcmp(&original[i], &ported[i], sizeof(double)) != 0
            && !(fabs(original[i] - ported[i]) <= tolerance * fabs(original[i]))) {
            printf("%%s: element %%d: %%.17g, not %%.17g\\n", name, i, ported[i], original[i]);
            return;
        }
}
int main(void)
{
    srand(1);
    for (int i = 0; i < %(pool)d; i++)
        start[i] = (2 * (rand() %% 2048) - 2047) / 4096.0;
%(runs)s
    return 0;
}
"""


@dataclass(frozen=True)
class Pair:
    """A file that defines `work` and `drive`, and the same with directives; `tolerance` is relative.

    They get odd multiples of 1/4096, of whose products hundreds are summed exactly, in any order.
    """

    original: str
    ported: str
    tolerance: float = 0


def differing(pairs: Mapping[str, Pair], flags: Sequence[str], folder: Path, threads: int = 4) -> list[str]:
    """A line for each pair whose results differ; a warning of the compiler is an error.

    An original is compiled and run once for all of its ports.
    """
    by_original: dict[str, list[str]] = {}
    for name, pair in pairs.items():
        by_original.setdefault(pair.original, []).append(name)
    names: list[str] = []
    runs = []

    def drive(text: str) -> str:
        number = len(names)
        names.append(f"file_{number}.c")
        renamed = f"#define work work_{number}\n#define drive drive_{number}\n"
        (folder / names[-1]).write_text(renamed + text)
        return f"drive_{number}"

    for original, ports in by_original.items():
        runs.append(f"    run_original({drive(original)});")
        runs += [f'    run_ported("{name}", {pairs[name].tolerance}, {drive(pairs[name].ported)});' for name in ports]
    declarations = [f"void drive_{number}(double *);" for number in range(len(names))]
    main = _MAIN % {"pool": POOL, "declarations": "\n".join(declarations), "runs": "\n".join(runs)}
    (folder / "main.c").write_text(main)
    command = ["gcc", "-std=gnu11", "-Wall", "-Werror", "-fno-common", *flags, *names, "main.c", "-lm", "-o", "run"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr[:4000]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run(["./run"], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr[:4000]
    return ran.stdout.splitlines()
