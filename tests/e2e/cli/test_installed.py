"""What is installed: the wheel's files, and the command as a module."""

import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SHARED = {
    "share/man/man1/warplens.1": "docs/man/warplens.1",
    "share/bash-completion/completions/warplens": "server/cli/shells/warplens.bash",
    "share/zsh/site-functions/_warplens": "server/cli/shells/_warplens",
    "share/fish/vendor_completions.d/warplens.fish": "server/cli/shells/warplens.fish",
}


def test_the_wheel_has_what_runs_and_where_shells_and_man_look(tmp_path: Path) -> None:
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        found = {name.partition(".data/data/")[2] or name: name for name in opened.namelist()}
        for name, source in SHARED.items():
            assert opened.read(found[name]) == (ROOT / source).read_bytes()
        opened.extractall(tmp_path / "site")
    run = (sys.executable, "-I", "-c", _FROM_SITE, str(tmp_path / "site"), "--version")
    assert subprocess.run(run, check=True, capture_output=True, text=True).stdout == f"warplens {version('warplens')}\n"


_FROM_SITE = """
import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
import warplens
warplens.__path__ = [f"{sys.path[0]}/warplens"]
runpy.run_module("warplens", run_name="__main__", alter_sys=True)
"""
"""The module out of the wheel, not out of this tree: the package has no file of its own, its folders add up."""


@pytest.mark.parametrize(("asked", "code"), [("--version", 0), ("chek", 2)])
def test_the_command_is_a_module_too(asked: str, code: int, tmp_path: Path) -> None:
    run = (sys.executable, "-m", "warplens", asked)
    ran = subprocess.run(run, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert ran.returncode == code
    assert (ran.stdout if code == 0 else ran.stderr.splitlines()[-1]).startswith("warplens")
