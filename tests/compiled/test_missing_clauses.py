"""Directives with the clauses that the quick fix adds compute, on four threads, what one thread does without any."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.fix_fixtures.fixture import FOLDER, read

_MAIN = """
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    enum { N = 1000, M = 7 };
    static double x[N], means[3 * N], a[N][M], square[30][30], result[2];
    static float values[N], best;
    for (int i = 0; i < N; i++) { x[i] = (i * 37 % 101) - 50; values[i] = (i * 53 % 997); }
    for (int i = 0; i < 30; i++) for (int j = 0; j < 30; j++) square[i][j] = i - j;
    printf("%g\\n", total(N, x, means, M, a));
    largest(N, values, &best);
    on_the_device(N, x, result);
    joined(30, square);
    double sum = 0;
    for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) sum += a[i][j] * (i + 3 * j);
    for (int i = 0; i < 3 * N; i++) sum += means[i] * i;
    for (int i = 0; i < 30; i++) for (int j = 0; j < 30; j++) sum += square[i][j] * (i + 2 * j);
    printf("%g %g %g\\n", sum, best, result[0]);
    return 0;
}
"""


def _output(source: str, flags: list[str], folder: Path, name: str) -> str:
    file, program = folder / f"{name}.c", folder / name
    file.write_text(source + _MAIN, encoding="utf-8")
    subprocess.run(["gcc", "-std=c11", "-O1", *flags, "-o", str(program), str(file)], check=True, capture_output=True)
    ran = subprocess.run([str(program)], check=True, capture_output=True, text=True, env={"OMP_NUM_THREADS": "4"})
    return ran.stdout


def test_with_the_clauses_threads_compute_the_same(tmp_path: Path) -> None:
    case = FOLDER / "clause" / "added.c"
    after = case.with_name("added.after.c").read_text(encoding="utf-8")
    alone = _output(read(case).source, [], tmp_path, "alone")
    assert "nan" not in alone
    for run in range(5):
        assert _output(after, ["-fopenmp"], tmp_path, f"threads{run}") == alone
    assert _output(after, ["-fopenacc"], tmp_path, "gangs") == alone
