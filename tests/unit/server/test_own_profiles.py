"""The user's own GPUs: found by name in the workspace and in the configuration folder."""

from pathlib import Path

import pytest
from warplens.hwprofiles.loader import load_gpu, load_profile
from warplens.server.cli.main import main
from warplens.server.features.gpus import gpu_list
from warplens.server.settings.folder_config import FolderConfig
from warplens.server.settings.own_profiles import own_profiles, profile_name
from warplens.server.settings.settings import Settings
from warplens.server.worker.job import AnalysisJob
from warplens.server.worker.machines import machines_for

_GPU = """schema = 1
id = "{name}"
name = "Our {name}"
extends = "a100"
[device]
sm_clock_mhz = {{ value = {clock}, unit = "MHz", kind = "measured", source = "nvidia-smi" }}
"""
_CPU = """schema = 1
id = "desk"
name = "Our desk"
extends = "desktop"
[device]
core_count = { value = 6, unit = "cores", kind = "datasheet", source = "its box" }
"""


@pytest.fixture
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, ...]:
    """A workspace and a configuration folder, with a GPU each; both have one named `both`."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    workspace = tmp_path / "project"
    for folder, names in (
        (workspace / ".warplens" / "profiles", {"lab": 1000, "both": 1100, "a100": 1}),
        (tmp_path / "config" / "warplens" / "profiles", {"home": 1200, "both": 1300}),
    ):
        folder.mkdir(parents=True)
        for name, clock in names.items():
            (folder / f"{name}.toml").write_text(_GPU.format(name=name, clock=clock))
    (tmp_path / "config" / "warplens" / "profiles" / "desk.toml").write_text(_CPU)
    return (workspace,)


def _job(root: Path, gpu: str, *, trusted: bool = True) -> AnalysisJob:
    settings = Settings(gpu=gpu)
    return AnalysisJob(path=str(root / "f.c"), text="", settings=settings, roots=(str(root),), trusted=trusted)


def test_a_name_is_looked_for_in_the_workspace_first(roots: tuple[Path, ...]) -> None:
    assert load_gpu(profile_name("lab", roots)).clock_hz == 1000e6
    assert load_gpu(profile_name("home", roots)).clock_hz == 1200e6
    assert load_gpu(profile_name("both", roots)).clock_hz == 1100e6
    assert profile_name("nothing", roots) == "nothing"


def test_what_comes_along_keeps_its_name(roots: tuple[Path, ...]) -> None:
    assert "a100" in own_profiles(roots)
    assert load_gpu(profile_name("a100", roots)).clock_hz == 1410e6


def test_a_link_out_of_the_folder_is_no_profile(roots: tuple[Path, ...], tmp_path: Path) -> None:
    secret = tmp_path / "secret.toml"
    secret.write_text(_GPU.format(name="secret", clock=900))
    (roots[0] / ".warplens" / "profiles" / "linked.toml").symlink_to(secret)
    assert profile_name("linked", roots) == "linked"


@pytest.mark.parametrize("trusted", [True, False])
def test_settings_and_files_name_them(roots: tuple[Path, ...], *, trusted: bool) -> None:
    (root,) = roots
    found = machines_for(_job(root, "lab", trusted=trusted), FolderConfig(), "", roots)
    assert (found.gpu.name, found.problems) == ("Our lab", ())
    assert load_gpu(found.gpu_name) == found.gpu
    in_file = machines_for(_job(root, "lab", trusted=trusted), FolderConfig(gpu="home"), "c.toml", roots)
    assert in_file.gpu.name == "Our home"


def test_a_broken_one_is_said_with_its_line_and_the_next_one_counts(roots: tuple[Path, ...]) -> None:
    (root,) = roots
    path = root / ".warplens" / "profiles" / "lab.toml"
    path.write_text(path.read_text().replace('"MHz"', '"GHz"'))
    found = machines_for(_job(root, "lab"), FolderConfig(), "", roots)
    assert found.gpu.id == "a100"
    (problem,) = found.problems
    assert f'{path}:6: device.sm_clock_mhz: unit is "GHz", must be "MHz"' in problem.message
    assert [entry["id"] for entry in gpu_list(roots)][:2] == ["both", "home"]


def test_the_picker_offers_gpus_only(roots: tuple[Path, ...]) -> None:
    listed = {entry["id"]: entry for entry in gpu_list(roots)}
    assert listed["lab"]["name"] == "Our lab"
    assert "your own" in listed["lab"]["detail"]
    assert "desk" not in listed
    assert listed["a100"]["name"] == "A100 SXM4 40 GB"
    assert load_profile(str(own_profiles(roots)["desk"])).name == "Our desk"


def test_the_command_lists_them_and_says_what_is_wrong(
    roots: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(roots[0])
    monkeypatch.setenv("COLUMNS", "250")
    assert main(["machines"]) == 2
    out, err = capsys.readouterr()
    assert "Our lab" in out
    assert "Our desk" in out
    assert "a100.toml: not used, a profile of that name comes along" in err
    (roots[0] / ".warplens" / "profiles" / "a100.toml").unlink()
    assert main(["machines"]) == 0
    assert main(["machines", "show", "lab"]) == 0
    assert "1000" in capsys.readouterr().out
