"""Files of a workspace that say the same wrong thing thousands of times, or little at great length."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.wire import Wire
from warplens.hwprofiles.bounded_toml import TomlError, parse_toml
from warplens.server.preprocess.compile_commands import flags_for_file
from warplens.server.settings.folder_config import load_config
from warplens.server.settings.settings import Settings, settings_from_client
from warplens.server.worker.analyse_document import Remembered, analyse_document
from warplens.server.worker.job import AnalysisJob

LOOP = "void f(int n, double *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 2;\n}\n"
MANY = 5000


def config(folder: Path, text: str) -> list[str]:
    (folder / ".warplens.toml").write_text(text)
    return [problem.message for problem in load_config(folder / ".warplens.toml")[1]]


def test_many_unknown_keys_are_one_message_with_ten_names(tmp_path: Path) -> None:
    (said,) = config(tmp_path, "".join(f"k{k} = 1\n" for k in range(MANY)))
    assert said == f"5000 unknown keys: {', '.join(f'`k{k}`' for k in range(10))} and 4990 more"
    assert len(config(tmp_path, "".join(f"k{k} = 1\n" for k in range(10)))) == 10, "each with what may be meant"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"k{k} = 1\n" for k in range(MANY)),
        "[sizes]\n" + "".join(f"n{k} = -1\n" for k in range(MANY)),
        "".join(f"[sizes.f{k}]\nn = -1\n" for k in range(MANY)),
        f"disabled_rules = {[f'WL{k}x' for k in range(MANY)]}\n",
        f"gpu = '{'x' * 500_000}'\n",
        f"'{'k' * 500_000}' = 1\n",
        f"defines = {[f'{k}=1' for k in range(MANY)]}\n",
        f"include_paths = {[f'/nowhere/{k}' for k in range(200)]}\n",
    ],
    ids=["keys", "sizes", "functions", "rules", "a long value", "a long key", "defines", "folders"],
)
@pytest.mark.parametrize("trusted", [True, False])
def test_what_is_said_of_a_folder_s_file_is_read_by_people(tmp_path: Path, text: str, trusted: bool) -> None:
    (tmp_path / ".warplens.toml").write_text(text)
    job = AnalysisJob(str(tmp_path / "f.c"), LOOP, Settings(), (str(tmp_path),), trusted)
    answer = analyse_document(job, Remembered())
    said = [each.message for each in (*answer.problems, *answer.config_problems)]
    assert len(said) <= 25
    assert max(map(len, said), default=0) < 2000
    assert [len(function.nests) for function in answer.functions] == [1]


def test_many_models_that_are_none_are_said_together(tmp_path: Path) -> None:
    models = tmp_path / ".warplens" / "counters"
    models.mkdir(parents=True)
    for number in range(60):
        (models / f"m{number}.counters").write_text("no model")
    job = AnalysisJob(str(tmp_path / "f.c"), LOOP, Settings(), (str(tmp_path),))
    assert len(analyse_document(job, Remembered()).config_problems) <= 25


def test_the_client_s_settings_are_answered_as_shortly() -> None:
    for settings in (
        {f"k{k}": 1 for k in range(MANY)},
        {"disabledRules": [f"WL{k}x" for k in range(MANY)]},
        {"k" * 100_000: 1},
    ):
        said = settings_from_client(settings)[1]
        assert 1 <= len(said) <= 11
        assert max(map(len, said)) < 1000


@pytest.mark.parametrize("trusted", [True, False])
def test_the_editor_is_told_once(tmp_path: Path, trusted: bool) -> None:
    (tmp_path / ".warplens.toml").write_text("".join(f"k{k} = 1\n" for k in range(MANY)))
    with Wire(tmp_path) as wire:
        wire.initialize(trusted=trusted)
        uri = wire.open("f.c", LOOP)
        wire.complete(uri)
        assert len(wire.shown) == 1
        assert [len(each["diagnostics"]) for each in wire.published[wire.uri(".warplens.toml")]] == [1]


def test_keys_of_many_parts_are_refused_before_they_cost_anything() -> None:
    with pytest.raises(TomlError, match="Too many keys of too many parts"):
        parse_toml("".join(f"k{k}{'.a' * 300} = 1\n" for k in range(1300)))
    plain = "".join(f"k{k} = 'a/file.with.dots/1.2.3'\n" for k in range(5000))
    assert len(parse_toml(plain)) == 5000
    assert parse_toml("a" + ".b" * 300 + " = 1\n")


def test_a_database_of_files_with_one_name_is_asked_for_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [{"directory": ".", "file": f"d{k}/a.c", "command": f"cc -DN={k}"} for k in range(MANY)]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    resolved = 0
    from warplens.server.preprocess import compile_commands

    real = compile_commands.real_path

    def counted(path: Path) -> Path | None:
        nonlocal resolved
        resolved += 1
        return real(path)

    monkeypatch.setattr(compile_commands, "real_path", counted)
    assert flags_for_file(tmp_path / "d4321" / "a.c", [tmp_path], trusted=True).defines == ("N=4321",)
    assert resolved == 2, "the path is written as it is"
    resolved = 0
    assert flags_for_file(tmp_path / "elsewhere" / "a.c", [tmp_path], trusted=True).defines == ()
    assert resolved < 1100
    (tmp_path / "link").symlink_to(tmp_path / "d7", target_is_directory=True)
    (tmp_path / "d7").mkdir()
    assert flags_for_file(tmp_path / "link" / "a.c", [tmp_path], trusted=True).defines == ("N=7",)


def test_a_macro_that_stands_for_too_much_costs_its_use(tmp_path: Path) -> None:
    names = tuple(f"A{k}=A{k + 1} A{k + 1}" for k in range(40))
    settings = Settings(defines=(*names, "A40=x+"), analysis_time_limit_s=60.0)
    job = AnalysisJob(str(tmp_path / "f.c"), f"int n = A0 1;\n{LOOP}", settings, (str(tmp_path),), trusted=False)
    answer = analyse_document(job, Remembered())
    assert [len(function.nests) for function in answer.functions] == [1]
    assert any("stands for more than" in problem.message for problem in answer.problems)
