"""What `warplens calibrate gpu` prints: each key beside the profile that it extends, and what gave no value."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text
from warplens.hwprofiles.entry import value_text
from warplens.hwprofiles.loader import load_profile
from warplens.server.cli.calibrate_cpu_report import inherited_lines, ratio_text
from warplens.server.cli.layout import print_list, print_table
from warplens.server.measure.calibration.gpu_profile import GpuCalibration

_RIGHT = (1, 2, 3)


def print_gpu_calibration(console: Console, made: GpuCalibration, refused: dict[str, str]) -> None:
    """Print the table, what is inherited, and what could not be measured or fitted."""
    base = load_profile(made.extends).entries
    console.print(Text(f"{made.name}, measured, beside {made.extends}", "bold"))
    rows = [("key", "measured", made.extends, "ratio", "unit", "how")]
    for key, entry in made.made.entries.items():
        other = base.get(key)
        theirs = "-" if other is None else value_text(other.value)
        ratio = "" if other is None else ratio_text(entry, other)
        rows.append((key, value_text(entry.value), theirs, ratio, entry.unit, entry.note or entry.kind))
    print_table(console, tuple(rows), 2, _RIGHT)
    inherited = [key for key in base if key not in made.made.entries]
    print_list(console, f"Taken from {made.extends}:", inherited_lines(inherited, base), 0)
    print_list(console, "Not measured:", [f"{what}: {why}" for what, why in refused.items()], 0)
    print_list(
        console, "Measured, but without a value:", [f"{key}: {why}" for key, why in made.made.refused.items()], 0
    )
