"""A profile's text with other entries: the lines of these, and no other byte. All numbers are made up."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st
from warplens.hwprofiles.calibrate.profile_edit import ProfileEditError, with_entries
from warplens.hwprofiles.calibrate.written_profile import entry_text
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.profile import parse_profile
from warplens.hwprofiles.schema import GPU_SCHEMA

SHIPPED = {
    file.name: file.read_bytes().decode()
    for file in (files("warplens.hwprofiles") / "gpu" / "nvidia").iterdir()
    if file.name.endswith(".toml")
}
EVERY = 9
"""Of so many entries one is tried: the others are lines of the same kind."""

BANKS = Entry(32, "banks", "measured", 'a "GPU" \\ # }', note="made up")
LATENCY = Entry(29.5, "cycles", "measured", "a GPU", clock_mhz=1410.5)
RATE = Entry(128, "B/clk/SM", "measured", "a GPU")
OLD = 'latency_cycles = { value = 1, unit = "cycles", kind = "assumed", source = "# } { here" }'


def edited(text: str, entries: dict[str, Entry]) -> str:
    return with_entries(text, entries, GPU_SCHEMA)


def test_there_are_profiles() -> None:
    assert len(SHIPPED) > 30


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_nothing_measured_changes_no_byte(name: str) -> None:
    assert edited(SHIPPED[name], {}) == SHIPPED[name]


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_each_entry_that_is_replaced_is_its_line_alone(name: str) -> None:
    text = SHIPPED[name]
    known = parse_profile(text, name, GPU_SCHEMA)
    before = text.splitlines(keepends=True)
    for key in list(known.entries)[::EVERY]:
        entry = Entry(known.entries[key].value, known.entries[key].unit, "measured", "a GPU", clock_mhz=1234.5)
        after = edited(text, {key: entry}).splitlines(keepends=True)
        changed = known.lines[key] - 1
        assert after[changed] == f"{key.partition('.')[2]} = {entry_text(entry)}\n"
        assert after[:changed] + after[changed + 1 :] == before[:changed] + before[changed + 1 :]


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_entries_that_are_taken_out_come_back_to_their_places(name: str) -> None:
    """Every line is put in again between its neighbours; other layouts of the shipped files would show here."""
    text = SHIPPED[name]
    known = parse_profile(text, name, GPU_SCHEMA)
    before = text.splitlines(keepends=True)
    order = [f"{section}.{key.name}" for section, keys in GPU_SCHEMA.items() for key in keys]
    assert [key for key in order if key in known.entries] == list(known.entries), "they are in the schema's order"
    for key, entry in list(known.entries.items())[::EVERY]:
        at = known.lines[key] - 1
        after = edited("".join(before[:at] + before[at + 1 :]), {key: entry}).splitlines(keepends=True)
        assert after[:at] + after[at + 1 :] == before[:at] + before[at + 1 :]
        assert after[at] == f"{key.partition('.')[2]} = {entry_text(entry)}\n"


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_tomlkit_reads_what_was_written_as_one_line_too(name: str) -> None:
    text = edited(SHIPPED[name], {"shared.banks": BANKS, "host.launch_interval_us": Entry(2.5, "us", "measured", "a")})
    assert tomlkit.parse(text).as_string() == text
    assert parse_profile(text, name, GPU_SCHEMA).entries["shared.banks"] == BANKS


def test_comments_and_spaces_around_an_entry_stay() -> None:
    text = f"# {{\n[shared] # of an SM\n# about it\n  {OLD}  # and this }} = 3\n"
    expected = text.replace(OLD, f"latency_cycles = {entry_text(LATENCY)}")
    assert edited(text, {"shared.latency_cycles": LATENCY}) == expected
    assert expected.count("# and this") == 1


def test_an_entry_is_added_after_the_one_before_it_in_the_schema() -> None:
    text = f"[shared]\n# first\n{OLD}\n# last\n\n[l1]\n"
    found = edited(text, {"shared.banks": BANKS, "shared.bytes_per_clk_per_sm": RATE})
    banks, rate = f"banks = {entry_text(BANKS)}", f"bytes_per_clk_per_sm = {entry_text(RATE)}"
    assert found == f"[shared]\n{banks}\n# first\n{OLD}\n{rate}\n# last\n\n[l1]\n"


def test_a_section_is_added_before_those_after_it_and_their_comments() -> None:
    text = f"schema = 1\n\n[device]\n\n# about L1\n[l1]\n{OLD}\n"
    block = f"[shared]\nbanks = {entry_text(BANKS)}\n"
    assert edited(text, {"shared.banks": BANKS}) == text.replace("# about L1\n", f"{block}\n# about L1\n")


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_a_section_is_added_at_the_end(end: str) -> None:
    found = edited(f"schema = 1{end}", {"shared.banks": BANKS, "shared.bytes_per_clk_per_sm": RATE})
    block = f"[shared]\nbanks = {entry_text(BANKS)}\nbytes_per_clk_per_sm = {entry_text(RATE)}\n"
    assert found == f"schema = 1\n\n{block}"


def test_lines_end_as_the_files_lines_do() -> None:
    text = f"[shared]\r\n{OLD}\r\n"
    found = edited(text, {"shared.banks": BANKS, "shared.latency_cycles": LATENCY})
    assert found == f"[shared]\r\nbanks = {entry_text(BANKS)}\r\nlatency_cycles = {entry_text(LATENCY)}\r\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[shared.banks]\nvalue = 1\n", r"shared\.banks can't be changed in place"),
        ("[shared]\nbanks.value = 1\n", r"shared\.banks can't be changed in place"),
        ("shared.banks = { value = 1 }\n", r"shared\.banks can't be changed in place"),
        ("[shared]\nbanks = { value = [\n1] }\n", r"shared\.banks can't be changed in place"),
        ("shared.latency_cycles = { value = 1 }\n", r"shared\.banks can't be added"),
        ('[shared]\nnote = """\n[shared]\nbanks = { value = 1 }\n"""\n', "not laid out as a line each"),
        ('note = """\n[shared]\n"""\n', "not laid out as a line each"),
    ],
)
def test_another_layout_is_refused(text: str, said: str) -> None:
    tomllib.loads(text)
    with pytest.raises(ProfileEditError, match=said):
        edited(text, {"shared.banks": BANKS})


@given(st.text(st.characters(exclude_categories=("Cs",)), min_size=1), st.sampled_from(["", "  # } = {"]))
def test_any_text_goes_in_and_is_replaced_again(said: str, comment: str) -> None:
    text = f"[shared]\n{OLD}{comment}\n"
    once = edited(text, {"shared.latency_cycles": Entry(3, "cycles", "measured", said, note=said)})
    assert tomllib.loads(once)["shared"]["latency_cycles"]["note"] == said
    assert edited(once, {"shared.latency_cycles": LATENCY}) == edited(text, {"shared.latency_cycles": LATENCY})
