"""`warplens completion`: what a TAB does in the shells themselves."""

import subprocess
from pathlib import Path

import pytest
from support.command_line.typed import bash_offers, fish_offers, terminal
from support.real_editors import editor_or_skip
from warplens.hwprofiles.loader import cpu_names, gpu_names
from warplens.server.cli.command_table import COMMANDS
from warplens.server.cli.completion import SCRIPTS, script_path
from warplens.server.cli.main import main

BASH = script_path("bash")
NAMES = {command.name for command in COMMANDS}
ENDED = [
    ("warplens chec", "warplens check "),
    ("warplens counters f", "warplens counters fit "),
    ("warplens check --si", "warplens check --size "),
    ("warplens check --gpu h100_", "warplens check --gpu h100_pcie "),
    ("warplens check --gpu=h100_", "warplens check --gpu=h100_pcie "),
    ("warplens check --gpu lab", "warplens check --gpu lab_gpu "),
    ("warplens check --gpu a100 --cpu desk", "warplens check --gpu a100 --cpu desktop "),
    ("warplens check --noise=q", "warplens check --noise=quiet "),
    ("warplens report --gpus a100,h100_", "warplens report --gpus a100,h100_pcie"),
    ("warplens check first.c --no-", "warplens check first.c --no-progress "),
    ("warplens check first.c sec", "warplens check first.c second.h "),
    ("warplens check fol", "warplens check folder/"),
    ("warplens doctor f", "warplens doctor folder/"),
    ("warplens report first.c -o no", "warplens report first.c -o notes.txt "),
    ("warplens machines show h100_", "warplens machines show h100_pcie "),
    ("warplens help zz", "warplens help zz"),
    ("warplens help what", "warplens help what-if "),
    ("warplens explain occup", "warplens explain occupancy "),
    ("warplens port first.c:3 --to cu", "warplens port first.c:3 --to cuda "),
    ("warplens completion f", "warplens completion fish "),
    ("warplens check --size ", "warplens check --size "),
]
"""Lines, and what TAB makes of them: wholly where there is one way to go on, nothing where there is none."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("first.c", "second.h", "notes.txt", "folder/deep.c", ".warplens/profiles/lab_gpu.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_line_is_ended_where_there_is_one_way_to_go_on(shell: str, folder: Path) -> None:
    with terminal(editor_or_skip(shell), script_path(shell), folder) as keys:
        ended = [(line, keys.completed(line)) for line, _ in ENDED]
    # Behind an option zsh puts a `=`, behind a name of a list a comma; both give way to a space.
    said = [(line, after if after == line else after.rstrip(" ,=")) for line, after in ended]
    assert said == [(line, after if after == line else after.rstrip()) for line, after in ENDED]


def test_fish_offers_the_same(folder: Path) -> None:
    fish = editor_or_skip("fish")
    for line, after in ENDED:
        whole = {after.split(" ")[-2 if after.endswith(" ") else -1]} if after != line else set()
        assert fish_offers(fish, script_path("fish"), folder, line) == whole, line


def test_all_names_of_a_kind_are_offered(folder: Path) -> None:
    own = {"lab_gpu"}
    assert bash_offers(BASH, folder, "") == NAMES
    assert bash_offers(BASH, folder, "help", "") == NAMES
    assert bash_offers(BASH, folder, "check", "--gpu", "") == {*gpu_names()} | own
    assert bash_offers(BASH, folder, "check", "--gpu", "=", "") == {*gpu_names()} | own
    assert bash_offers(BASH, folder, "check", "--gpu", "=") == {*gpu_names()} | own
    assert bash_offers(BASH, folder, "check", "--cpu", "") == {*cpu_names()} | own
    assert bash_offers(BASH, folder, "machines", "show", "") == {*gpu_names(), *cpu_names()} | own
    assert bash_offers(BASH, folder, "compare", "--gpu", "h200,a100_") == {
        f"h200,{name}" for name in gpu_names() if name.startswith("a100_")
    }
    assert bash_offers(BASH, folder, "check", "--noise", "") == {"quiet", "normal", "all"}
    assert bash_offers(BASH, folder, "check", "") == {"first.c", "second.h", "folder", ".warplens"}
    assert bash_offers(BASH, folder, "check", "note") == set()
    assert {"--gpu", "-D", "--define", "--help"} <= bash_offers(BASH, folder, "check", "first.c", "-")


def test_a_command_is_called_by_its_new_name_alone(folder: Path) -> None:
    assert bash_offers(BASH, folder, "prof") == {"profile"}


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_names_of_files_are_never_run(shell: str, folder: Path) -> None:
    """Whoever makes a file names it; a folder that was fetched from somewhere is looked into by pressing TAB."""
    for name in ("$(touch ran)", "`touch ran`", "x;touch ran", "a b", "-rf", "*", "$HOME"):
        (folder / ".warplens" / "profiles" / f"lab{name}.toml").touch()
    if shell == "fish":
        offered = fish_offers(editor_or_skip(shell), script_path(shell), folder, "warplens check --gpu lab")
    elif shell == "bash":
        offered = bash_offers(BASH, folder, "check", "--gpu", "lab")
    else:
        with terminal(editor_or_skip(shell), script_path(shell), folder) as keys:
            offered = {keys.completed("warplens check --gpu lab_").split()[-1]}
            keys.completed("warplens check --gpu lab")
    assert offered - {"lab-rf"} == {"lab_gpu"}
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_command_prints_what_is_installed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert capsys.readouterr().out == script_path(shell).read_text()


def test_the_script_is_registered_for_the_command() -> None:
    ask = f"source {BASH}; complete -p warplens"
    ran = subprocess.run(("bash", "--norc", "-c", ask), capture_output=True, text=True, check=True)
    assert ran.stdout.split()[-1] == "warplens"
