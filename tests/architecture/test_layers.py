"""The import contract of pyproject.toml, held by a test as well as by the linter."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_layers_are_law() -> None:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_name_says_nothing() -> None:
    empty = {"util", "utils", "helper", "helpers", "common", "misc", "manager", "managers"}
    files = [path for folder in ("analysis", "server", "hwprofiles", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert [path for path in files if path.stem in empty] == []
