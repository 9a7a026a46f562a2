"""`warplens profiles`: the GPUs and CPUs that predictions can be made for; every value of one with its source."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.loader import cpu_names, gpu_names, load_cpu, load_gpu, load_profile
from warplens.hwprofiles.profile import Profile, ProfileError
from warplens.server.cli.arguments import PipeConsole
from warplens.server.cli.commands import SubParsers


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command."""
    parser = commands.add_parser("profiles", help="list the GPUs and CPUs, or the values of one", description=__doc__)
    parser.add_argument("name", metavar="NAME", nargs="?", help="a GPU or CPU: its values; also a file of your own")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one table per family, or one of a profile's values; 2 for a profile that does not exist or is wrong."""
    if arguments.name is None:
        _print_families(PipeConsole())
        return 0
    try:
        profile = load_profile(arguments.name)
    except ProfileError as error:
        sys.stderr.write(f"warplens: {error}\n")
        return 2
    _print_values(PipeConsole(), profile)
    return 0


def _print_values(console: Console, profile: Profile) -> None:
    table = Table("key", "value", "unit", "kind", "source", title=profile.name)
    for key, entry in profile.entries.items():
        table.add_row(key, str(entry.value), entry.unit, entry.kind, _origin(entry))
    console.print(table)


def _origin(entry: Entry) -> str:
    said = (
        ("", entry.source),
        ("measured on ", entry.measured_on),
        ("fitted to: ", entry.fitted_to),
        ("checked on: ", entry.checked_on),
        ("note: ", entry.note),
    )
    return "\n".join(escape(f"{label}{text}") for label, text in said if text)


def _print_families(console: Console) -> None:
    table = Table("name", "GPU", "compute capability", "SMs", "memory bandwidth", "values assumed", title="GPUs")
    for name in gpu_names():
        gpu = load_gpu(name)
        bandwidth = f"{gpu.dram.bandwidth_bytes_per_s / 1e9:.0f} GB/s"
        table.add_row(name, gpu.name, gpu.compute_capability, str(gpu.sm_count), bandwidth, str(len(gpu.assumptions)))
    console.print(table)
    table = Table("name", "CPU", "cores", "clock", "SIMD", "values assumed", title="CPUs")
    for name in cpu_names():
        cpu = load_cpu(name)
        clock, simd = f"{cpu.clock_hz / 1e9:.2f} GHz", f"{cpu.vector_bytes * 8} bit"
        table.add_row(name, cpu.name, str(cpu.core_count), clock, simd, str(len(cpu.assumptions)))
    console.print(table)
