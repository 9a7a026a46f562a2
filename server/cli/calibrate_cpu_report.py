"""What `warplens calibrate cpu` prints: each key beside the profile that it extends, and what that one still gives."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.console import Console
from rich.text import Text
from warplens.hwprofiles.entry import Entry, value_text
from warplens.hwprofiles.loader import load_profile
from warplens.server.cli.layout import print_list, print_table
from warplens.server.measure.calibration.cpu_profile import CpuCalibration
from warplens.server.render.columns import Table

_RIGHT = (1, 2, 3)
_ALIKE = ("instructions.lat_", "instructions.per_cycle_", "instructions.vectorises_")


def print_calibration(console: Console, made: CpuCalibration, extends: str) -> None:
    """Print the table, what is inherited with the reason where there is one, and what to mind."""
    base = load_profile(extends).entries
    console.print(Text(f"{made.name}, measured, beside {extends}", "bold"))
    print_table(console, _table(made.entries, base, extends), 2, _RIGHT)
    inherited = [key for key in base if key not in made.entries]
    print_list(console, f"Inherited from {extends}:", inherited_lines(inherited, base), 0)
    print_list(console, "Not measured:", [f"{what}: {why}" for what, why in made.not_measured], 0)
    print_list(console, "To mind:", made.notes, 0)


def _table(entries: Mapping[str, Entry], base: Mapping[str, Entry], extends: str) -> Table:
    rows = [
        (
            key,
            value_text(entry.value),
            value_text(base[key].value),
            ratio_text(entry, base[key]),
            entry.unit,
            _spread(entry),
        )
        for key, entry in entries.items()
    ]
    return (("key", "measured", extends, "ratio", "unit", "middle half of the samples"), *rows)


def _spread(entry: Entry) -> str:
    """The end of a measured key's note."""
    if entry.kind == "derived":
        return "derived"
    return entry.note.partition("middle half ")[2]


def ratio_text(entry: Entry, base: Entry) -> str:
    """One value over the other, empty where they are equal and no numbers."""
    values = (entry.value, base.value)
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values) or not base.value:
        return "" if entry.value == base.value else "differs"
    mine, theirs = (float(value) for value in values if isinstance(value, int | float))
    return f"{mine / theirs:.2f}"


def inherited_lines(inherited: Sequence[str], known: Collection[str]) -> list[str]:
    """A line per section with its keys; those that begin alike are one where all of them are inherited."""
    sections: dict[str, dict[str, None]] = {}
    for key in inherited:
        section, _, name = key.partition(".")
        start = next((start for start in _ALIKE if key.startswith(start)), None)
        if start is not None and all(other in inherited for other in known if other.startswith(start)):
            name = f"{start.partition('.')[2]}*"
        sections.setdefault(section, {})[name] = None
    return [f"{section}: {', '.join(names)}" for section, names in sections.items()]
