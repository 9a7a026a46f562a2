"""`warplens machines`: the GPUs and CPUs that predictions can be made for, and what their values are from.

`warplens machines show NAME` prints every value of one with its source. Files of your own in `.warplens/profiles`
and in the configuration folder are found by name.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.hwprofiles.completeness import Group, completeness
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.loader import cpu_names, gpu_names, is_cpu, load_cpu, load_gpu, load_profile
from warplens.hwprofiles.profile import Profile, ProfileError
from warplens.server.cli.commands import SubParsers, command_parser
from warplens.server.cli.layout import print_indented, print_list, print_table
from warplens.server.cli.streams import write_error
from warplens.server.cli.terminal import console_for
from warplens.server.render.amounts import plural
from warplens.server.render.columns import Table
from warplens.server.settings.own_profiles import loaded_profiles, own_profiles, profile_folders, profile_name

_LEGEND = (
    "own: measured on this GPU; maker: its maker says so; derived: arithmetic on such values; sibling: measured on "
    "another GPU; simulator: a simulator's setting; recalled: not looked up; assumed: no source"
)


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command."""
    parser = command_parser(commands, "machines", __doc__)
    parser.usage = "warplens machines [-h] [show NAME]"  # argparse knows no command that may be left out
    parser.set_defaults(run=run, name=None)
    show = parser.add_subparsers(metavar="show", prog="warplens machines").add_parser(
        "show", help="every value of one, with its source", description="Every value of a GPU or CPU with its source."
    )
    show.add_argument("name", metavar="NAME", help="a GPU or CPU; also a file of your own, or its name")


def run(arguments: argparse.Namespace) -> int:
    """Print the lists, or one profile's values; 2 for a profile that does not exist or is wrong, also one's own."""
    console = console_for("auto")
    roots = (Path.cwd(),)
    if arguments.name is None:
        return _list(console, roots)
    try:
        profile = load_profile(profile_name(arguments.name, roots))
    except ProfileError as error:
        write_error(f"warplens: {error}\n")
        return 2
    _print_table(console, f"{profile.name} ({profile.file})", _values(profile))
    return 0


def _list(console: Console, roots: Sequence[Path]) -> int:
    own, wrong = loaded_profiles(roots)
    files = {name: str(path) for name, path in own_profiles(roots).items() if name in own}
    cpus = {name: path for name, path in files.items() if is_cpu(path)}
    gpus = {name: path for name, path in files.items() if name not in cpus}
    profiles = {name: load_profile(name) for name in gpu_names()} | {name: own[name] for name in gpus}
    by_name = {name: load_gpu(gpus.get(name, name)) for name in profiles}
    _print_table(console, "GPUs", _gpus(by_name))
    _print_table(console, "What their values are from: the weakest of each group", _origins(profiles))
    print_indented(console, Text("  "), Text(_LEGEND, "dim"), 2)
    _print_table(console, "CPUs", _cpus({name: load_cpu(cpus.get(name, name)) for name in (*cpu_names(), *cpus)}))
    folders = " and ".join(map(str, profile_folders(roots)))
    print_list(console, "Your own", (f"{plural(len(own), 'profile')} in {folders}",), 0)
    for message in wrong:
        write_error(f"warplens: {message}\n")
    return 2 if wrong else 0


def _print_table(console: Console, title: str, table: Table) -> None:
    console.print(Text(title, "bold"))
    print_table(console, table, 2)


def _values(profile: Profile) -> Table:
    rows = ((key, str(each.value), each.unit, each.kind, _origin(each)) for key, each in profile.entries.items())
    return (("key", "value", "unit", "kind", "source"), *rows)


def _origin(entry: Entry) -> str:
    said = (
        ("", entry.source),
        ("measured on ", entry.measured_on),
        ("at ", f"{entry.clock_mhz:g} MHz" if entry.clock_mhz else ""),
        ("fitted to: ", entry.fitted_to),
        ("checked on: ", entry.checked_on),
        ("note: ", entry.note),
    )
    return "; ".join(f"{label}{text}" for label, text in said if text)


def _gpus(gpus: dict[str, Gpu]) -> Table:
    head = ("name", "GPU", "compute capability", "SMs", "memory bandwidth", "values assumed")
    return (head, *(_gpu(name, gpu) for name, gpu in gpus.items()))


def _gpu(name: str, gpu: Gpu) -> tuple[str, ...]:
    reached, promised = gpu.dram.bandwidth_bytes_per_s / 1e9, gpu.dram.theoretical_bandwidth_bytes_per_s / 1e9
    bandwidth = f"{reached:.0f} of {promised:.0f} GB/s"
    return name, gpu.name, gpu.compute_capability, str(gpu.sm_count), bandwidth, str(len(gpu.assumptions))


def _origins(profiles: dict[str, Profile]) -> Table:
    groups = {name: completeness(profile) for name, profile in profiles.items()}
    head = ("name", *(group.name for group in next(iter(groups.values()))), "sourced")
    return (head, *((name, *(group.weakest for group in found), _sourced(found)) for name, found in groups.items()))


def _sourced(groups: Sequence[Group]) -> str:
    """How many of the values were measured on the GPU, promised by its maker or follow from such."""
    return f"{sum(group.sourced for group in groups)} of {sum(group.values for group in groups)}"


def _cpus(cpus: dict[str, Cpu]) -> Table:
    head = ("name", "CPU", "cores", "clock", "SIMD", "values assumed")
    return (head, *(_cpu(name, cpu) for name, cpu in cpus.items()))


def _cpu(name: str, cpu: Cpu) -> tuple[str, ...]:
    clock, simd = f"{cpu.clock_hz / 1e9:.2f} GHz", f"{cpu.vector_bytes * 8} bit"
    return name, cpu.name, str(cpu.core_count), clock, simd, str(len(cpu.assumptions))
