"""`warplens machines`: the profiles, and what is in one."""

import pytest
from support.command_line.called import run

pytestmark = pytest.mark.process


def test_profiles_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "machines")
    assert code == 0
    assert "a100" in out


def test_a_profile_shows_its_values_with_their_sources(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    code, out, _ = run(capsys, "machines", "show", "GTX 680")
    assert code == 0
    assert "dram.bandwidth_gb_per_s" in out
    assert "157.1" in out
    assert "fitted to: every other of the 40 lengths" in out
    assert "checked on: the lengths between" in out


def test_an_unknown_profile_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "machines", "show", "voodoo2")
    assert (code, out) == (2, "")
    assert "no GPU profile of that name; known: 8800gtx" in err
