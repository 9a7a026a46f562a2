"""`warplens doctor`: says what is wrong and what to do, of the things that go wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from warplens.server.doctor.check import Check
from warplens.server.doctor.compiler import compiler_checks
from warplens.server.doctor.environment import environment_checks
from warplens.server.doctor.folder import folder_checks
from warplens.server.doctor.installation import installation_checks
from warplens.server.doctor.kept_results import kept_results_check
from warplens.server.doctor.round_trip import round_trip_check

pytestmark = pytest.mark.cold_start
"""The doctor times the start of a server."""


def doctor(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from warplens.server.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-P", "-c", program, "doctor", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, env={**os.environ, **environment}
    )


def named(checks, name: str) -> Check:
    (check,) = [check for check in checks if check.name == name]
    assert check.state == "ok" or check.remedy
    return check


def test_a_working_installation_is_well(tmp_path: Path) -> None:
    run = doctor(str(tmp_path))
    assert run.returncode == 0, run.stdout
    lines = run.stdout.splitlines()
    assert not [line for line in lines if line.startswith("WRONG")]
    server = next(line for line in lines if line.startswith("ok     server: answers over stdio"))
    for step in ("start", "first messages", "hover", "shutdown"):
        assert f"{step} " in server
    assert "\x1b" not in run.stdout  # readable without colour, in any terminal
    assert list(tmp_path.iterdir()) == []


def test_what_is_wrong_has_its_line_in_json_and_exit_code_1(tmp_path: Path) -> None:
    (tmp_path / ".warplens.toml").write_text('gpu = "a1000"\nnoize = "all"\n')
    run = doctor("--json", str(tmp_path), PATH=str(tmp_path))
    assert run.returncode == 1
    report = json.loads(run.stdout)
    assert report["ok"] is False
    checks = {check["name"]: check for check in report["checks"]}
    assert checks["compiler"]["state"] == "note"
    assert "on PATH" in checks["command"]["found"]
    config = checks[".warplens.toml"]
    assert config["state"] == "wrong"
    assert ".warplens.toml:2: unknown key `noize`: did you mean `noise`?" in config["found"]
    assert "did you mean a100" in config["found"]
    assert checks["server"]["state"] == "ok"


def test_a_home_that_is_no_folder_is_no_obstacle() -> None:
    run = doctor(HOME="/dev/null", XDG_CACHE_HOME="/dev/null/cache", WARPLENS_CACHE="/dev/null/results")
    assert run.returncode == 0, run.stdout
    assert "note   kept results: nothing is kept: " in run.stdout


def test_where_results_are_kept_is_said(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WARPLENS_CACHE", str(tmp_path))
    check = kept_results_check()
    assert (check.state, str(tmp_path) in check.found) == ("ok", True)
    (tmp_path / "results").chmod(0o777)
    assert kept_results_check().state == "note"


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import time; time.sleep(60)", "no answer within"),
        ("print('no server')", "at: start"),
        ("import sys; sys.exit(3)", "at: start"),
    ],
)
def test_a_server_that_does_not_answer_is_ended_and_reported(program: str, said: str) -> None:
    check = round_trip_check((sys.executable, "-c", program), limit_s=3.0)
    assert check.state == "wrong"
    assert said in check.found
    assert check.remedy


def test_no_compiler_is_a_note_with_the_reason(monkeypatch, tmp_path: Path) -> None:
    folder = tmp_path / "brought"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:bin")
    checks = list(compiler_checks(folder))
    assert "none of cc, gcc, clang" in named(checks, "compiler").found
    assert named(checks, "preprocessing").state == "ok"  # by our own
    (folder / "cc").write_text("#!/bin/sh\n")
    (folder / "cc").chmod(0o755)
    brought = named(compiler_checks(folder), "compiler")
    assert brought.state == "note"
    assert "what a workspace brings along is not run" in brought.found
    assert named(compiler_checks(tmp_path / "elsewhere"), "include folders").state == "wrong"


def test_an_odd_path_and_locale_and_no_room_are_said(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", f"bin:{os.environ['PATH']}")
    monkeypatch.setattr("locale.getpreferredencoding", lambda _: "ANSI_X3.4-1968")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    checks = list(environment_checks())
    assert "bin" in named(checks, "PATH").found
    assert "ANSI_X3.4-1968" in named(checks, "locale").found
    assert named(checks, "temporary files").state == "wrong"


def test_a_broken_profile_and_a_missing_library_are_wrong(monkeypatch) -> None:
    monkeypatch.setattr("warplens.server.doctor.installation.gpu_names", lambda: ("a100", "gone"))
    monkeypatch.setattr("warplens.server.doctor.installation.requires", lambda _: ["pygls>=2", "no-such-library"])
    checks = list(installation_checks())
    assert "gone" in named(checks, "GPU profiles").found
    assert named(checks, "libraries").found == "missing: no-such-library"
    assert named(checks, "CPU profiles").state == "ok"


def test_a_folder_that_is_none_is_wrong(tmp_path: Path) -> None:
    assert named(folder_checks(tmp_path / "gone"), "folder").state == "wrong"
