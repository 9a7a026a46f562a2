"""Loops of the host that find the least and the largest of what data says (`host_scans.py`)."""

from __future__ import annotations

from collections.abc import Callable

from warplens.analysis.ir.expression import Expression
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.cuda.host_scans import HostScan
from warplens.analysis.ports.cuda.loop_text import LoopText

_INDENT = "    "


def scan_lines(
    scan: HostScan, names: tuple[str, str], headers: LoopText, text: Callable[[Expression], str]
) -> list[str]:
    """Declarations of the two `names` and the loops; raises PortRefusedError where these can't be written."""
    least, most = names
    around = scan.loops if scan.value is not None else scan.loops[:-1]
    lines = [f"/* {_said(scan, text)} */", f"long {least} = LONG_MAX, {most} = LONG_MIN;"]
    for depth, loop in enumerate(around):
        lines.append(f"{_INDENT * depth}{headers.header(loop, declares=True)} {{")
    depth = len(around)
    lines += [_INDENT * depth + line for line in _kept(scan, least, most, headers, text)]
    needed = scan.needed
    for at, loop in reversed(list(enumerate(around))):
        lines += [] if loop.iterator in needed else [f"{_INDENT * (at + 1)}break;"]
        lines.append(f"{_INDENT * at}}}")
    nothing = f"{least} = {most} = 0" if scan.value is None else f"{least} = 0, {most} = -1"
    return [*lines, f"if ({least} > {most})", f"{_INDENT}{nothing};"]


def _said(scan: HostScan, text: Callable[[Expression], str]) -> str:
    if scan.value is not None:
        return f"Between which numbers `{text(scan.value)}` lies."
    return f"Where `{c_name(scan.loops[-1].iterator)}` begins and ends, over all."


def _kept(scan: HostScan, least: str, most: str, headers: LoopText, text: Callable[[Expression], str]) -> list[str]:
    """What the innermost iteration does."""
    if scan.value is not None:
        value = text(scan.value)
        return [f"{least} = std::min<long>({least}, {value});", f"{most} = std::max<long>({most}, {value});"]
    loop = scan.loops[-1]
    first = headers.start(loop)
    ends = [headers.polynomials.text(limit, wide=True) for limit in loop.limits]
    for read, added in loop.limit_reads:
        moved = f" + {headers.polynomials.text(added)}" if added.terms else ""
        ends.append(f"{text(read)}{moved}")
    end = ends[0] if len(ends) == 1 else f"std::min<long>({{{', '.join(f'(long)({one})' for one in ends)}}})"
    return [
        f"if ({first} < {end}) {{",
        f"{_INDENT}{least} = std::min<long>({least}, {first});",
        f"{_INDENT}{most} = std::max<long>({most}, {end});",
        "}",
    ]
