"""A cache folder of the test's own."""

from pathlib import Path

import pytest
from warplens.server.result_cache.folder import VARIABLE, private_folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return private_folder()
