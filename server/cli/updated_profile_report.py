"""What `warplens calibrate gpu --update` prints: what is replaced, added and kept, and what was not measured."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.text import Text
from warplens.hwprofiles.calibrate.profile_update import MOST_DIFFERENCE, Compared
from warplens.hwprofiles.entry import Entry, value_text
from warplens.server.cli.calibrate_cpu_report import inherited_lines
from warplens.server.cli.layout import print_list, print_table
from warplens.server.measure.calibration.gpu_profile import GpuCalibration
from warplens.server.measure.calibration.gpu_update import UpdatedProfile

_RIGHT = (1, 3, 4)


def print_updated_profile(
    console: Console, updated: UpdatedProfile, made: GpuCalibration, refused: Mapping[str, str]
) -> None:
    """Print the tables and lists, each only where there is something in it; `refused` has quantities that failed."""
    changes = updated.changes
    console.print(Text(f"{updated.path}, with what was measured of {made.name}", "bold"))
    _print_written(console, changes.replaced, changes.added)
    share = f"{MOST_DIFFERENCE:.0%}".replace("%", " %")
    alike = [key for key, each in changes.kept.items() if each.is_alike]
    apart = {key: each for key, each in changes.kept.items() if not each.is_alike}
    known = [*changes.kept, *changes.replaced, *changes.same, *changes.not_measured]
    kept = [_kept_line(key, each) for key, each in apart.items()]
    print_list(console, f"Kept, though measured more than {share} away:", kept, 0)
    print_list(console, f"Kept, and measured within {share}:", inherited_lines(alike, known), 0)
    print_list(console, "There already as measured:", inherited_lines(changes.same, known), 0)
    reasons = made.made.refused
    left = [key for key in changes.not_measured if key not in reasons]
    print_list(console, "Left as it is, not measured:", inherited_lines(left, known), 0)
    print_list(console, "Could not be measured:", [f"{what}: {why}" for what, why in refused.items()], 0)
    print_list(console, "Measured, but without a value:", [f"{key}: {why}" for key, why in reasons.items()], 0)


def _print_written(console: Console, replaced: Mapping[str, Compared], added: Mapping[str, Entry]) -> None:
    rows = [("key", "was", "kind", "measured", "ratio", "unit", "how")]
    for key, each in replaced.items():
        known, measured = each.known, each.measured
        values = value_text(known.value), known.kind, value_text(measured.value), _ratio_text(each)
        rows.append((key, *values, measured.unit, _how(each)))
    for key, entry in added.items():
        rows.append((key, "-", "-", value_text(entry.value), "", entry.unit, entry.note or entry.kind))
    if len(rows) > 1:
        print_table(console, tuple(rows), 2, _RIGHT)


def _how(each: Compared) -> str:
    known, measured = each.known.clock_mhz, each.measured.clock_mhz
    times = f"ratio of times, at {known:g} and {measured:g} MHz" if each.is_time and known != measured else ""
    return "; ".join(text for text in (each.measured.note or each.measured.kind, times) if text)


def _kept_line(key: str, each: Compared) -> str:
    ratio = _ratio_text(each)
    known = f"{value_text(each.known.value)} {each.known.unit} ({each.known.kind})"
    return f"{key}: {known}, measured {value_text(each.measured.value)}{f', ratio {ratio}' if ratio else ''}"


def _ratio_text(each: Compared) -> str:
    return "" if each.ratio is None else f"{each.ratio:.2f}"
