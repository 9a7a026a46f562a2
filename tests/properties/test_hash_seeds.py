"""What is found does not depend on the order of Python's sets, which another hash seed changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

SEEDS = ("1", "2", "3")
FILES = ("calls", "overlapping_pointers", "statistics")
_PROGRAM = """
import sys
from pathlib import Path
from support.iteration_order.labels import FIXTURES, judged
for path in FIXTURES:
    if path.stem in sys.argv[1:]:
        for nest in judged(path.read_text(encoding="utf-8")):
            print(nest.function, *nest.verdicts, sep="\\n")
"""


def test_verdicts_are_the_same_with_every_hash_seed() -> None:
    said = set()
    for seed in SEEDS:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])}
        command = (sys.executable, "-c", _PROGRAM, *FILES)
        said.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    (text,) = said
    assert text.count("LoopVerdict(") > 50
