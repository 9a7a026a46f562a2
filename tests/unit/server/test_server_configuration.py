"""Settings and configuration files: what is read, what is refused and how it is said."""

import json
from pathlib import Path

import pytest
from warplens.server.files.source_file import decode
from warplens.server.preprocess.compile_commands import flags_for_file
from warplens.server.preprocess.flags import PreprocessorFlags
from warplens.server.preprocess.header_search import folder_that_has
from warplens.server.settings.folder_config import load_config, nearest_config
from warplens.server.settings.settings import Settings, settings_from_client


def test_settings_are_read_nested_and_dotted() -> None:
    nested, _ = settings_from_client({"codeLens": {"enabled": False}, "sizes": {"n": 8}, "analyseWhileTyping": True})
    dotted, _ = settings_from_client({"codeLens.enabled": False, "sizes": {"n": 8}, "analyseWhileTyping": True})
    assert nested == dotted == Settings(code_lens=False, sizes=(("n", 8),), analyse_while_typing=True)


@pytest.mark.parametrize(
    ("section", "name"),
    [
        ({"gpu": 3}, "gpu"),
        ({"defaultSize": 0}, "defaultSize"),
        ({"defaultSize": True}, "defaultSize"),
        ({"sizes": {"n": "big"}}, "sizes"),
        ({"includePaths": "inc"}, "includePaths"),
        ({"analysisTimeLimitSeconds": float("inf")}, "analysisTimeLimitSeconds"),
    ],
)
def test_a_wrong_setting_is_said_and_keeps_its_default(section: dict[str, object], name: str) -> None:
    settings, problems = settings_from_client(section)
    assert settings == Settings()
    assert len(problems) == 1
    assert f"warplens.{name}" in problems[0]


def test_the_nearest_file_inside_the_root_counts(tmp_path: Path) -> None:
    deep = tmp_path / "root" / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / ".warplens.toml").touch()
    assert nearest_config(deep, [tmp_path / "root"]) is None
    (tmp_path / "root" / ".warplens.toml").touch()
    assert nearest_config(deep, [tmp_path / "root"]) == tmp_path / "root" / ".warplens.toml"
    (deep / ".warplens.toml").touch()
    assert nearest_config(deep, [tmp_path / "root"]) == deep / ".warplens.toml"
    assert nearest_config(deep.parent, []) is None


def test_a_file_with_mistakes_keeps_its_good_parts(tmp_path: Path) -> None:
    path = tmp_path / ".warplens.toml"
    path.write_text(
        'gpu = "v100"\ndefault_size = -1\nspeed = 3\ndisabled_rules = ["WL201", "x"]\n[sizes]\nn = "many"\n'
    )
    config, problems = load_config(path)
    assert config.gpu == "v100"
    assert config.default_size is None
    messages = " ".join(problem.message for problem in problems)
    for word in ("`default_size`", "`speed`", "`x`", "`sizes.n`"):
        assert word in messages


def test_a_file_that_is_no_toml_is_said(tmp_path: Path) -> None:
    path = tmp_path / ".warplens.toml"
    path.write_bytes(b"gpu = \xff")
    _, problems = load_config(path)
    assert problems[0].path == str(path)


def test_only_preprocessor_flags_are_read_of_a_compilation_database(tmp_path: Path) -> None:
    source = tmp_path / "src" / "a.c"
    command = "evil -Iinc -isystem sys -DN=4 -UDEBUG -include pre.h -std=c99 -fplugin=x.so -B. -wrapper sh a.c"
    entries = [{"directory": str(tmp_path / "src"), "file": "a.c", "command": command}]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    base = str(tmp_path / "src")
    assert flags_for_file(source, [tmp_path], trusted=True) == PreprocessorFlags(
        (f"{base}/inc",), (f"{base}/sys",), (f"{base}/pre.h",), ("N=4",), ("DEBUG",), "c99", (base,)
    )


@pytest.mark.parametrize(
    "content", ["[", "{}", '[{"file": 3}]', '[{"directory": ".", "file": "a.c", "command": "\'"}]']
)
def test_a_broken_compilation_database_is_ignored(tmp_path: Path, content: str) -> None:
    (tmp_path / "compile_commands.json").write_text(content)
    assert flags_for_file(tmp_path / "a.c", [tmp_path], trusted=True).arguments() == []


def test_a_missing_header_is_found_in_the_nearest_folder(tmp_path: Path) -> None:
    for folder in ("lib/one/include/sub", "lib/two/include/sub"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "x.h").touch()
    (tmp_path / "lib" / "two" / "loop").symlink_to(tmp_path, target_is_directory=True)
    found = folder_that_has("sub/x.h", tmp_path / "lib" / "two" / "src", [tmp_path])
    assert found == str(tmp_path / "lib" / "two" / "include")
    assert folder_that_has("../x.h", tmp_path, [tmp_path]) is None
    assert folder_that_has("y.h", tmp_path, [tmp_path]) is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
def test_sources_of_any_encoding_are_read(encoding: str) -> None:
    text = "/* Größe der Fläche, für jede Schleife überprüft */\r\nint x;\r\n"
    assert decode(text.encode(encoding)).text == text


def test_bytes_that_are_no_text_are_read_somehow() -> None:
    assert decode(bytes(range(256))).text


@pytest.mark.parametrize(
    "text",
    ["gpu = " + "[" * 50_000, "a" + ".a" * 50_000 + " = 1", "default_size = " + "9" * 9000],
    ids=["nested", "dotted", "digits"],
)
def test_a_file_that_would_take_all_memory_is_a_problem_of_its_own(tmp_path: Path, text: str) -> None:
    path = tmp_path / ".warplens.toml"
    path.write_text(text, encoding="utf-8")
    config, (problem,) = load_config(path)
    assert config.gpu is None
    assert problem.message.startswith("not read: ")
