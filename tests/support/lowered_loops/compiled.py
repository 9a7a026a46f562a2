"""Runs C statements by gcc, to know what they truly leave in memory."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from support.lowered_loops.interpreter import LENGTH, MIDDLE


def computed(texts: Sequence[str], sizes: Sequence[Mapping[str, int]], folder: Path) -> list[list[list[int]]]:
    """Memory of `a` and `b` after each text for each of the sizes, all in one program."""
    lines = ["#include <stdio.h>", f"static int a_[{LENGTH}], b_[{LENGTH}];"]
    for number, text in enumerate(texts):
        lines.append(f"static void f{number}(int n, int m, int s, int *a, int *b) {{ {text} }}")
    lines.append("int main(void) {")
    for number in range(len(texts)):
        for size in sizes:
            lines += [
                f"for (int k = 0; k < {LENGTH}; k++) a_[k] = (k * 7 + 3) % 11, b_[k] = (k * 7 + 6) % 11;",
                f"f{number}({size['n']}, {size['m']}, {size['s']}, a_ + {MIDDLE}, b_ + {MIDDLE});",
                f'for (int k = 0; k < {LENGTH}; k++) printf("%d ", a_[k]);',
                f'for (int k = 0; k < {LENGTH}; k++) printf("%d ", b_[k]);',
                'printf("\\n");',
            ]
    (folder / "nests.c").write_text("\n".join([*lines, "return 0; }"]), encoding="utf-8")
    command = ["gcc", "-w", "-std=gnu11", "-fwrapv", "nests.c", "-o", "nests"]
    subprocess.run(command, cwd=folder, check=True)
    ran = subprocess.run(["./nests"], cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    found = [[int(word) for word in line.split()] for line in ran.stdout.splitlines()]
    return [found[k * len(sizes) : (k + 1) * len(sizes)] for k in range(len(texts))]
