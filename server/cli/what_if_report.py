"""What `warplens what-if` prints: the numbers now and with the changes side by side, and why they differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.text.quantities import bytes_text, extent_text, percent_text, time_text
from warplens.server.cli.layout import print_indented, print_list, print_table
from warplens.server.render.compared_table import DATA_WORDS
from warplens.server.render.launch_words import factor_text, kernel_time_text, outputs_text
from warplens.server.render.visible_text import visible_name

Json = dict[str, Any]
_BLOCKS_SHOWN = 8
_NONE = "-"
_PARTS = (
    ("kernels", "kernels_s"),
    ("launch overhead", "launch_overhead_s"),
    ("code between kernels", "host_s"),
    ("copying to the GPU", "transfer_in_s"),
    ("copying back", "transfer_out_s"),
)
_COPIES = ("transfer_in_s", "transfer_out_s")


def print_what_if(console: Console, path: str, answer: Json, *, is_changed: bool) -> None:
    """Print an answer that has numbers (docs/what-if.md)."""
    nest, base, result = answer["nest"], answer["base"], answer["result"]
    head = Text.assemble((f"{path}:{nest['line']}:", "cyan"), (f" {nest['function']}()", "bold"))
    print_indented(console, head, Text(f" {base['headline']}"), 2)
    if is_changed:
        print_indented(console, Text("  what if: ", "dim"), Text(result["headline"]), 4)
        rows = [("", "now", "what if"), *_rows(base, result)]
        print_table(console, tuple(rows), 2)
        print_list(console, "Why", answer["differences"] or ["Nothing that matters differs."], 2)
    else:
        _print_choices(console, answer)
    named = ((each["change"], each["message"]) for each in answer["problems"])
    print_list(console, "Not possible", [f"{change}: {message}" if change else message for change, message in named], 2)


def _rows(base: Json, result: Json) -> Iterator[tuple[str, str, str]]:
    pairs = [
        ("GPU", *(each["profiles"]["gpu"]["name"] for each in (base, result))),
        ("CPU", *(each["profiles"]["cpu"]["name"] for each in (base, result))),
        *((name, str(base["sizes"][name]), str(size)) for name, size in result["sizes"].items()),
        *zip(_titles(base, result), _totals(base), _totals(result), strict=True),
    ]
    # Another mapping may have another number of kernels.
    for number, (before, after) in enumerate(zip(base["kernels"], result["kernels"], strict=False), 1):
        of = f" of kernel {number}" if len(result["kernels"]) > 1 else ""
        for (name, was), (_, now) in zip(_kernel(before), _kernel(after), strict=True):
            pairs.append((f"{name}{of}", was, now))
    yield from ((name, was, now) for name, was, now in pairs if not was == now == _NONE)


def _titles(base: Json, result: Json) -> tuple[str, ...]:
    total = result["total"] or base["total"]
    data = total["data"] if total else "cold"
    parts = tuple(f"  {name}" for name, _ in _PARTS)
    return (
        f"GPU time, {DATA_WORDS[data]}",
        *parts,
        "one core",
        "all cores",
        "speedup vs one core",
        "speedup vs all cores",
    )


def _totals(numbers: Json) -> tuple[str, ...]:
    total, gpu, cpu = numbers["total"], numbers["gpu"], numbers["cpu"]
    cores = (time_text(cpu["one_core_s"]), time_text(cpu["all_cores_s"]))
    if total is None:
        return (_NONE, *(_NONE for _ in _PARTS), *cores, _NONE, _NONE)
    parts = (
        _NONE if gpu[field] == 0 or (total["data"] == "resident" and field in _COPIES) else time_text(gpu[field])
        for _, field in _PARTS
    )
    speedups = (
        _NONE if total[name] is None else _with_range(factor_text(total[name]), total[f"{name}_range"])
        for name in ("speedup_vs_one_core", "speedup_vs_all_cores")
    )
    return (time_text(total["gpu_s"]), *parts, *cores, *speedups)


def _with_range(text: str, between: list[float] | None) -> str:
    if between is None:
        return text
    least, most = between
    return f"{text} ({factor_text(least)} to {factor_text(most)})"


def _kernel(kernel: Json) -> tuple[tuple[str, str], ...]:
    shared = ", ".join(f"{c_name(each['array'])} ({bytes_text(each['size_bytes'])})" for each in kernel["shared"])
    return (
        ("time of a launch", kernel_time_text(kernel["time_s"])),
        ("launches", str(kernel["launches"])),
        ("block", extent_text(tuple(kernel["block"]))),
        ("outputs per thread", outputs_text(tuple(kernel["outputs_per_thread"]))),
        ("shared memory", shared or "nothing"),
        ("bound by", kernel["bound_by"]),
        ("occupancy", f"{percent_text(kernel['occupancy'])} ({kernel['occupancy_limited_by']})"),
        (
            "registers per thread",
            f"{kernel['registers_per_thread']}{' (spills)' if kernel['spills_per_thread'] else ''}",
        ),
    )


def _print_choices(console: Console, answer: Json) -> None:
    """What can be changed, by the options' names."""
    choices = answer["choices"]
    sizes = [f"--size {each['name']}=...: {each['text']}" for each in choices["parameters"]]
    sizes += [
        f"{' '.join(f'--size {name}={size}' for name, size in each['sizes'].items())}: "
        f"as `{each['text']}` sets it ({visible_name(Path(each['path']).name)}:{each['line']})"
        for each in choices["calls"]
    ]
    machines = [
        f"--gpu {', '.join(each['id'] for each in choices['gpus'])}",
        f"--cpu {', '.join(each['id'] for each in choices['cpus'])}",
    ]
    launches: list[str] = []
    for number, kernel in enumerate(choices["kernels"], 1):
        which = f" --kernel {number} (line {kernel['line']})" if len(choices["kernels"]) > 1 else ""
        blocks = [extent_text(tuple(block)) for block in kernel["blocks"]]
        more = f" and {len(blocks) - _BLOCKS_SHOWN} more" if blocks[_BLOCKS_SHOWN:] else ""
        most = f"{kernel['max_threads_per_block']} threads at most"
        launches += [
            f"--block {', '.join(blocks[:_BLOCKS_SHOWN])}{more}, {most}{which}",
            f"--work {', '.join(map(str, kernel['outputs_per_thread']))}{which}",
        ]
        arrays = [f"{c_name(each['array'])} ({bytes_text(each['size_bytes'])})" for each in kernel["shared"]]
        if arrays:
            launches.append(f"--shared none, {', '.join(arrays)}{which}")
    mappings = (
        [f"--mapping {', '.join(each['name'] for each in choices['mappings'])}"] if choices["mappings"][1:] else []
    )
    data = [f"--data {' or '.join(choices['data'])}"] if choices["data"] else []
    print_list(console, "What can be changed", [*sizes, *machines, *mappings, *launches, *data], 2)
