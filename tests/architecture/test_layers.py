"""The import contract of pyproject.toml, held by a test as well as by the linter."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_layers_are_law() -> None:
    run = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_name_says_nothing() -> None:
    empty = {"util", "utils", "helper", "helpers", "common", "misc", "manager", "managers"}
    named = [p for d in ("analysis", "server", "hwprofiles", "tests") for p in (ROOT / d).rglob("*.py") if p.stem in empty]
    assert named == []
