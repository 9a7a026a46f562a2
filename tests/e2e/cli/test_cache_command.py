"""`warplens cache`."""

from pathlib import Path

import pytest
from warplens.server.cli.main import main
from warplens.server.result_cache.folder import VARIABLE
from warplens.server.result_cache.result_cache import ResultCache


def test_it_shows_and_clears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    cache = ResultCache()
    cache.write("one", (1, 2))
    assert main(["cache"]) == 0
    assert capsys.readouterr().out == f"1 result, 0.0 MiB, in {tmp_path / 'results'}; the limit is 100 MiB\n"
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"removed 1 result, 0.0 MiB, in {tmp_path / 'results'}\n"
    assert main(["cache", "show"]) == 0
    assert capsys.readouterr().out.startswith("0 results, ")


def test_without_a_folder_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(VARIABLE, "")
    assert main(["cache", "clear"]) == 1
    assert capsys.readouterr().err == "warplens: cache: no results are kept: WARPLENS_CACHE is empty\n"


def test_an_unknown_action_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["cache", "burn"])
    assert ended.value.code == 2
    assert "invalid choice: 'burn'" in capsys.readouterr().err
