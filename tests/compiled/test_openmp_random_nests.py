"""Random nests compute the same after their port, on a device with memory of its own, and sections are exact.

Numbers are small multiples of a power of two, so that sums are exact and come to the same in any order: results are
compared bit for bit, on one thread and on several, with AddressSanitizer and UBSan.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from support.examples import is_nightly
from support.openmp_ports.device_memory import HEADER, condition_of, maps_of, recording, with_own_memory
from support.openmp_ports.insertion import Ported, ported_text
from support.openmp_ports.random_nests import MOST, REACH, random_nests

NESTS = 250 if is_nightly() else 48
ARRAYS = ("x", "y", "z", "w", "A", "B")
SIZES = ((7, 5, 4), (MOST, MOST, 2), (1, 1, 1), (3, 8, 0), (2, MOST, 5))
DRIVER = """
#define REACH %(reach)d
#define MOST %(most)d
struct memory { double x[REACH], y[REACH], z[REACH], A[MOST * MOST], B[MOST * MOST]; int w[REACH], hist[8]; };
static long least_[8], most_[8];
static long touch_(int array, long at)
{
    if (at < least_[array]) least_[array] = at;
    if (at > most_[array]) most_[array] = at;
    return at;
}
static void fill(struct memory *to, unsigned seed)
{
    memset(to, 0, sizeof *to);
    double *all = to->x;
    for (int i = 0; i < 3 * REACH + 2 * MOST * MOST; i++)
        all[i] = ((seed = seed * 1103515245u + 12345u) >> 16) %% 17 / 8.0 - 0.75;
    for (int i = 0; i < REACH; i++)
        to->w[i] = ((seed = seed * 1103515245u + 12345u) >> 16) %% 9;
    for (int i = 0; i < 8; i++)
        to->hist[i] = i;
}
static struct memory one, other;
static int wrong_;
#define CALL(f, at) f(n, m, k, at.x, at.y, at.z, at.w, at.hist, (void *)at.A, (void *)at.B)
#define COMPARE(name) do { \\
    fill(&one, n + 3 * m); fill(&other, n + 3 * m); \\
    double expected = CALL(name, one), found = CALL(name##_device, other); \\
    if (memcmp(&one, &other, sizeof one) || memcmp(&expected, &found, sizeof found)) { \\
        printf("differs: %%s n=%%d m=%%d k=%%d: %%g, not %%g\\n", #name, n, m, k, found, expected); wrong_ = 1; } \\
    for (int i = 0; i < 8; i++) { least_[i] = 1 << 30; most_[i] = -1; } \\
    fill(&other, n + 3 * m); (void)CALL(name##_recording, other); } while (0)
#define SECTION(name, array, which, first, length) do { \\
    if (most_[which] >= 0 && ((first) != least_[which] || (first) + (length) - 1 != most_[which])) { \\
        printf("section: %%s n=%%d m=%%d k=%%d: %%s[%%ld:%%ld], touched are %%ld to %%ld\\n", #name, n, m, k, array, \\
               (long)(first), (long)(length), least_[which], most_[which]); wrong_ = 1; } } while (0)
"""


@pytest.mark.usefixtures("few_launches")
@pytest.mark.parametrize("first", [0, NESTS])
def test_ports_compute_the_same_and_map_what_is_touched(first: int, analyse_c, tmp_path: Path) -> None:
    seeds = range(first, first + NESTS)
    sources = random_nests(seeds)
    whole = "\n".join(sources)
    text, ports = ported_text(whole, analyse_c(whole), "")
    assert len(ports) >= NESTS
    refused = {port.function for port in ports if port.refusal}
    functions = dict(zip((f"nest_{seed}" for seed in seeds), sources, strict=True))
    ported = {name: found for name, found in _functions(text).items() if name not in refused}
    assert len(ported) > NESTS // 3

    by_name = {port.function: port for port in ports}
    parts = [HEADER, DRIVER % {"reach": REACH, "most": MOST}]
    calls = []
    for name, after in ported.items():
        parts += [functions[name], with_own_memory(after, name), recording(functions[name], name, ARRAYS)]
        parts.append(_check(name, by_name[name]))
        calls.append(f"check_{name}(n, m, k);")
    sizes = ", ".join(f"{{{n}, {m}, {k}}}" for n, m, k in SIZES)
    parts.append(
        f"int main(void) {{ static const int sizes[][3] = {{{sizes}}};\n"
        f"for (int at = 0; at < {len(SIZES)}; at++) {{ int n = sizes[at][0], m = sizes[at][1], k = sizes[at][2];\n"
        + "\n".join(calls)
        + "\n} return wrong_; }\n"
    )
    (tmp_path / "nests.c").write_text("\n".join(parts), encoding="utf-8")
    flags = ["-O0", "-std=gnu11", "-fopenmp", "-foffload=disable", "-fsanitize=address,undefined", "-Wall", "-Werror"]
    flags += ["-fno-sanitize-recover=all", "-Wno-unused", "-Wno-maybe-uninitialized", "-Wno-uninitialized"]
    command = ["gcc", *flags, "nests.c", "-lm", "-o", "nests"]
    compiled = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr[:4000]
    for threads in ("1", "3"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads, "ASAN_OPTIONS": "detect_leaks=0"}
        ran = subprocess.run(["./nests"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        names = list(dict.fromkeys(re.findall(r"nest_\d+", ran.stdout + ran.stderr)))[:2]
        shown = "\n".join(ported.get(name, "") for name in names)
        assert ran.returncode == 0, f"{threads} threads\n{ran.stdout[:1500]}\n{ran.stderr[:3000]}\n{shown}"


def _functions(text: str) -> dict[str, str]:
    found = re.findall(r"^double (nest_\d+)\(.*?^return [^\n]*\n\}\n", text, re.MULTILINE | re.DOTALL)
    bodies = re.findall(r"^double nest_\d+\(.*?^return [^\n]*\n\}\n", text, re.MULTILINE | re.DOTALL)
    return dict(zip(found, bodies, strict=True))


def _check(name: str, port: Ported) -> str:
    """A function that holds the results and the sections of the first directive against each other."""
    pragma = port.lines[0]
    checks = [
        f'SECTION({name}, "{each.name}", {ARRAYS.index(each.name)}, {each.first}, {each.length});'
        for each in maps_of(pragma)
        if each.first is not None and each.name in ARRAYS and each.name not in port.granted
    ]
    body = f"if ({condition_of(pragma)}) {{ {' '.join(checks)} }}"
    return f"static void check_{name}(int n, int m, int k) {{ COMPARE({name}); {body} }}"
