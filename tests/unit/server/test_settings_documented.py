"""One list of settings: the server's, the VS Code manifest's, the page's, with the same defaults."""

import json
import re
from pathlib import Path

import pytest
from warplens.server.settings.folder_config import KEYS, load_config
from warplens.server.settings.settings import CLIENT_NAMES, SETTING_NAMES, Settings, settings_from_client

ROOT = Path(__file__).parents[3]
MANIFEST = json.loads((ROOT / "vscode-client" / "package.json").read_text())
PROPERTIES = {
    name.removeprefix("warplens."): value
    for name, value in MANIFEST["contributes"]["configuration"]["properties"].items()
}
ROWS = re.findall(r"^\| `([\w.]+)` \|(.*?)\|(.*?)\|(.*?)\|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)


def test_the_manifest_has_the_servers_settings_and_no_others() -> None:
    assert set(PROPERTIES) == set(SETTING_NAMES)


def test_the_manifests_defaults_are_the_servers() -> None:
    given = {name: value["default"] for name, value in PROPERTIES.items()}
    assert settings_from_client(given) == (Settings(), ())


def test_the_page_names_every_setting_key_and_default() -> None:
    assert {name for name, *_ in ROWS} == set(SETTING_NAMES) - set(CLIENT_NAMES)
    keys = {key for _, named, *_ in ROWS for key in re.findall(r"`\[?([a-z_]+)\]?`", named)}
    assert keys == set(KEYS)
    for name, _, _, default in ROWS:
        said = default.strip().strip("`")
        value = PROPERTIES[name]["default"]
        assert said == ("none" if value in ([], {}) else json.dumps(value)), name


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"noise": "loud"}, 'setting `warplens.noise` must be one of "quiet", "normal", "all"; it is ignored'),
        ({"worthwhileMicroseconds": -1}, "setting `warplens.worthwhileMicroseconds` must be a number of microseconds"),
        ({"worthwhileMicroseconds": True}, "setting `warplens.worthwhileMicroseconds` must be"),
        ({"GPU": "v100"}, "there is no setting `warplens.GPU`: did you mean `gpu`?"),
        ({"inlayHints": {"evryLoop": True}}, "`warplens.inlayHints.evryLoop`: did you mean `inlayHints.everyLoop`?"),
        ({"xyzzy": 1}, "there is no setting `warplens.xyzzy`: known are gpu, cpu"),
        (
            {"disabledRules": ["WL2O1"]},
            "setting `warplens.disabledRules`: there is no rule `WL2O1`: did you mean WL201?",
        ),
    ],
)
def test_what_is_wrong_is_said_with_what_was_meant(section: dict[str, object], said: str) -> None:
    settings, problems = settings_from_client(section)
    assert settings == Settings()
    assert len(problems) == 1
    assert said in problems[0]


def test_codes_are_known_in_any_case_and_the_clients_own_settings_are_left_to_it() -> None:
    given = {
        "disabledRules": ["wl201", "Not-Analysed"],
        "server": {"path": "x", "args": []},
        "trace": {"server": "off"},
    }
    settings, problems = settings_from_client({**given, "sizes": {"server": 3}})
    assert settings.disabled_rules == {"WL201", "not-analysed"}
    assert problems == ()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('gpu = "v100"\nnoize = 1\n', 2, "unknown key `noize`: did you mean `noise`?"),
        ('# words\n\nnoise = "loud"\n', 3, '`noise` must be one of "quiet", "normal", "all"'),
        ("worthwhile_us = -5\n", 1, "`worthwhile_us` must be a number of microseconds"),
        ('disabled_rules = [\n  "WL210",\n]\n', 1, "`disabled_rules`: there is no rule `WL210`: did you mean WL2"),
        ('[sizes]\nn = 4\nm = "x"\n', 3, "`sizes.m` must be a whole number, not negative"),
        ("[sizes.f]\n\nn = -4\n", 3, "`sizes.f.n` must be a whole number, not negative"),
        ("[size]\nn = 4\n", 1, "unknown key `size`: did you mean `sizes`?"),
        ("gpu = \n", 1, "not read: Invalid value (at line 1, column 7)"),
    ],
)
def test_mistakes_in_a_folders_file_have_their_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = tmp_path / ".warplens.toml"
    path.write_text(text)
    _, (problem,) = load_config(path)
    assert problem.line == line
    assert said in problem.message
    assert problem.text.startswith(f"{path}:{line}: ")


def test_levels_and_the_worthwhile_time_are_read(tmp_path: Path) -> None:
    (tmp_path / ".warplens.toml").write_text('noise = "quiet"\nworthwhile_us = 0\n')
    config, problems = load_config(tmp_path / ".warplens.toml")
    assert (config.noise, config.worthwhile_s, problems) == ("quiet", 0.0, ())
    settings, _ = settings_from_client({"noise": "all", "worthwhileMicroseconds": 100})
    assert (settings.noise, settings.worthwhile_s) == ("all", pytest.approx(1e-4))
