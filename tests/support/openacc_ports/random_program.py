"""A program that runs random functions and their ports on the same memory, and says which of them differ."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from support.openmp_ports.device_memory import HEADER
from support.openmp_ports.random_nests import MOST, REACH

SIZES = ((9, 6, 3), (5, 8, 2), (1, 1, 1), (2, 9, 0))
_MAIN = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct memory {
    double x[%(reach)d], y[%(reach)d], z[%(reach)d], A[%(most)d * %(most)d], B[%(most)d * %(most)d];
    int w[%(reach)d], hist[8];
};
static struct memory start, one, other;
typedef double function(int, int, int, double *, double *, double *, int *, int *, double *, double *);
%(declarations)s
static double call(function *f, const int *s, struct memory *m)
{
    return f(s[0], s[1], s[2], m->x, m->y, m->z, m->w, m->hist, m->A, m->B);
}
static void run(int number, function *original, function *ported)
{
    static const int sizes[%(sizes)d][3] = %(size_list)s;
    for (int s = 0; s < %(sizes)d; s++) {
        one = other = start;
        double left = call(original, sizes[s], &one), right = call(ported, sizes[s], &other);
        if (memcmp(&left, &right, sizeof left) != 0 || memcmp(&one, &other, sizeof one) != 0) {
            printf("%%d with sizes %%d\\n", number, s);
            return;
        }
    }
}
int main(void)
{
    srand(1);
    for (int i = 0; i < %(reach)d; i++) {
        start.x[i] = rand() %% 17 / 8.0 - 0.75;
        start.y[i] = rand() %% 17 / 8.0 - 0.75;
        start.z[i] = rand() %% 17 / 8.0 - 0.75;
        start.w[i] = rand() %% 9;
    }
    for (int i = 0; i < %(most)d * %(most)d; i++)
        start.A[i] = start.B[i] = rand() %% 17 / 8.0 - 0.75;
%(runs)s
    return 0;
}
"""


def differing(originals: Sequence[str], ported: Sequence[str], flags: Sequence[str], folder: Path) -> list[str]:
    """The numbers of the functions that differ, in any bit, from their ports; all files are compiled at once.

    The numbers that they get are multiples of 1/8, so that sums come to the same in any order.
    """
    files = write(originals, ported, folder)
    command = ["gcc", "-std=gnu11", "-w", *flags, *files, "-lm", "-o", "run"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr[:4000]
    environment = {**os.environ, "OMP_NUM_THREADS": "4", "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run(["./run"], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr[:4000]
    return ran.stdout.splitlines()


def write(originals: Sequence[str], ported: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The program's files; it prints the numbers of the functions that differ from their ports."""
    name = re.compile(r"\bnest_(\d+)(?:_device)?\b")
    (folder / "original.c").write_text("\n".join(name.sub(r"original_\1", text) for text in originals))
    (folder / "ported.c").write_text(HEADER + "\n".join(name.sub(r"ported_\1", text) for text in ported))
    numbers = [match[1] for text in originals if (match := name.search(text))]
    sizes = "{" + ", ".join("{" + ", ".join(map(str, size)) + "}" for size in SIZES) + "}"
    values = {
        "reach": REACH, "most": MOST + 1, "sizes": len(SIZES), "size_list": sizes,
        "declarations": "\n".join(f"function original_{n}, ported_{n};" for n in numbers),
        "runs": "\n".join(f"    run({n}, original_{n}, ported_{n});" for n in numbers),
    }  # fmt: skip
    (folder / "main.c").write_text("#include <stddef.h>\n" + _MAIN % values)
    return "original.c", "ported.c", "main.c"
