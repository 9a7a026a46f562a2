"""`warplens profiles`: the GPUs and CPUs that predictions can be made for; every value of one with its source."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.text import Text
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.gpu.gpu import Gpu
from warplens.hwprofiles.entry import Entry
from warplens.hwprofiles.loader import cpu_names, gpu_names, load_cpu, load_gpu, load_profile
from warplens.hwprofiles.profile import Profile, ProfileError
from warplens.server.cli.arguments import console_for
from warplens.server.cli.commands import SubParsers
from warplens.server.cli.layout import print_table
from warplens.server.render.columns import Table


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command."""
    parser = commands.add_parser("profiles", help="list the GPUs and CPUs, or the values of one", description=__doc__)
    parser.add_argument("name", metavar="NAME", nargs="?", help="a GPU or CPU: its values; also a file of your own")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print one table per family, or one of a profile's values; 2 for a profile that does not exist or is wrong."""
    console = console_for("auto")
    if arguments.name is None:
        _print_table(console, "GPUs", _gpus())
        _print_table(console, "CPUs", _cpus())
        return 0
    try:
        profile = load_profile(arguments.name)
    except ProfileError as error:
        sys.stderr.write(f"warplens: {error}\n")
        return 2
    _print_table(console, profile.name, _values(profile))
    return 0


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
        ("fitted to: ", entry.fitted_to),
        ("checked on: ", entry.checked_on),
        ("note: ", entry.note),
    )
    return "; ".join(f"{label}{text}" for label, text in said if text)


def _gpus() -> Table:
    head = ("name", "GPU", "compute capability", "SMs", "memory bandwidth", "values assumed")
    return (head, *(_gpu(name, load_gpu(name)) for name in gpu_names()))


def _gpu(name: str, gpu: Gpu) -> tuple[str, ...]:
    reached, promised = gpu.dram.bandwidth_bytes_per_s / 1e9, gpu.dram.theoretical_bandwidth_bytes_per_s / 1e9
    bandwidth = f"{reached:.0f} of {promised:.0f} GB/s"
    return name, gpu.name, gpu.compute_capability, str(gpu.sm_count), bandwidth, str(len(gpu.assumptions))


def _cpus() -> Table:
    head = ("name", "CPU", "cores", "clock", "SIMD", "values assumed")
    return (head, *(_cpu(name, load_cpu(name)) for name in cpu_names()))


def _cpu(name: str, cpu: Cpu) -> tuple[str, ...]:
    clock, simd = f"{cpu.clock_hz / 1e9:.2f} GHz", f"{cpu.vector_bytes * 8} bit"
    return name, cpu.name, str(cpu.core_count), clock, simd, str(len(cpu.assumptions))
