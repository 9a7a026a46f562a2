"""`warplens profiles`: the GPUs and CPUs that predictions can be made for."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table
from warplens.hwprofiles.loader import cpu_names, gpu_names, load_cpu, load_gpu
from warplens.server.cli.commands import SubParsers


def add_command(commands: SubParsers, _epilog: str) -> None:
    """Declare the command."""
    parser = commands.add_parser("profiles", help="list the GPUs and CPUs", description=__doc__)
    parser.set_defaults(run=run)


def run(_arguments: argparse.Namespace) -> int:
    """Print one table per family."""
    console = Console()
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
    return 0
