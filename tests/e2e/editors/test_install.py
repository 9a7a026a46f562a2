"""What the tests with real editors do on a machine without the editors."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.real_editors import editor_or_skip

INSTALL = Path(__file__).with_name("install.sh")


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """Environment of a user, not root, without any editor."""
    for name in ("tr", "grep"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    (tmp_path / "id").write_text("#!/bin/sh\necho 1000\n")
    (tmp_path / "id").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name not in {"WARPLENS_EDITORS", "CHROMIUM"}}
    return {**kept, "PATH": str(tmp_path)}


@pytest.mark.parametrize(("required", "code"), [("", 0), ("required", 1)])
def test_what_is_missing_is_named_and_fails_only_where_it_is_required(bare, required: str, code: int) -> None:
    done = subprocess.run(
        ["/bin/sh", str(INSTALL)],
        env={**bare, "WARPLENS_EDITORS": required},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code
    for package in ("chromium", "neovim", "emacs-nox", "elpa-eglot", "clangd"):
        assert package in done.stderr
    assert ("skipped" in done.stderr) == (not required)


def test_a_test_without_its_editor_is_skipped_and_fails_where_it_is_required(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("WARPLENS_EDITORS", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no nvim on this machine"):
        editor_or_skip("nvim")
    monkeypatch.setenv("WARPLENS_EDITORS", "required")
    with pytest.raises(pytest.fail.Exception, match=r"install\.sh"):
        editor_or_skip("nvim")
    (tmp_path / "nvim").write_text("#!/bin/sh\n")
    (tmp_path / "nvim").chmod(0o755)
    assert editor_or_skip("nvim") == tmp_path / "nvim"
