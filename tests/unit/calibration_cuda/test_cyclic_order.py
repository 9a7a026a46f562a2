"""The order of a pointer chase is one cycle through all places, and stays in its windows: compiled without CUDA."""

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

PRINTS_THE_ORDER = """
#include <cstdio>
#include <cstdlib>
#include "cyclic_order.h"
int main(int, char **argv)
{
    for (uint32_t place : cyclic_order(strtoull(argv[1], nullptr, 10), strtoull(argv[2], nullptr, 10)))
        printf("%u\\n", place);
}
"""


@pytest.fixture(scope="module")
def printer(gpu_sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    folder = tmp_path_factory.mktemp("cyclic_order")
    (folder / "order.cpp").write_text(PRINTS_THE_ORDER)
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    subprocess.run([*command, f"-I{gpu_sources}", "order.cpp", "-o", "order"], cwd=folder, check=True)
    return folder / "order"


def order(printer: Path, places: int, window: int) -> list[int]:
    run = subprocess.run([printer, str(places), str(window)], capture_output=True, text=True, check=True)
    return [int(line) for line in run.stdout.split()]


@pytest.mark.parametrize(
    ("places", "window"), [(1, 1), (2, 2), (16, 16), (1000, 1000), (1000, 7), (4096, 8192), (65, 64)]
)
def test_every_place_comes_once(printer: Path, places: int, window: int) -> None:
    assert sorted(order(printer, places, window)) == list(range(places))


def test_a_window_is_left_for_good(printer: Path) -> None:
    assert [place // 64 for place in order(printer, 1000, 64)] == [i // 64 for i in range(1000)]


def test_no_stride_is_to_be_guessed(printer: Path) -> None:
    found = order(printer, 4096, 4096)
    steps = [(after - before) % 4096 for before, after in pairwise(found)]
    assert max(map(steps.count, set(steps))) < 20
