"""From which size on a nest is faster on the GPU: rows of its card."""

from __future__ import annotations

from typing import get_args

from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.sizes.break_even import BreakEven, Cores, Data, WinsFrom
from warplens.analysis.models.sizes.work_break_even import WorkBreakEven, WorkWins
from warplens.analysis.text.quantities import count_text, ratio_text
from warplens.analysis.text.rounded import size_text

_BREAK_EVEN = "faster"
_DIGITS = 2
"""Significant digits of a size: about what it is found to, and its band is far wider."""

_OTHERS_SHOWN = 2
_NEVER = "never"
_FROM = "from {name} = "


def break_even_rows(found: BreakEven | None, core_count: int) -> tuple[tuple[str, str], ...]:
    """Rows of a loop's card, one against one core and one against all; none until it is known."""
    if found is None:
        return ()
    if found.why_not:
        return ((_BREAK_EVEN, work_from(found.by_work) or found.why_not),)
    one, every = (f"{_against(found, cores)} vs " for cores in get_args(Cores))
    if core_count == 1:
        return ((_BREAK_EVEN, f"{one}one core{_range_end(found)}"),)
    return (_BREAK_EVEN, f"{one}one core"), ("", f"{every}{core_count} cores{_range_end(found)}")


def break_even_starts(found: BreakEven | None) -> tuple[str, ...]:
    """From which size on the GPU is faster than one core and all, resident and cold; or why that is not known.

    Empty: unknown.
    """
    if found is None or found.why_not:
        return () if found is None else (found.why_not,)
    name = c_name(found.name)
    return tuple(
        _start_text(found, found.beats_cpu_from(data), name, is_somewhere=found.beats_cpu_somewhere(data))
        for data in get_args(Data)
    )


def work_from(found: WorkBreakEven | None) -> str:
    """From how many iterations on it is worth porting; empty where that is not known, or hangs on the shape."""
    if found is None or found.resident is None:
        return ""
    stays, copied = _of_work(found.resident), "" if found.cold is None else _of_work(found.cold)
    if stays == _NEVER:
        return "not worth porting at any size"
    if stays == copied:
        return f"may be worth porting: faster {stays}"
    with_copies = f", with copies {copied}" if copied else ""
    return f"may be worth porting: faster {stays} if its data stays on the GPU{with_copies}"


def _of_work(wins: WorkWins) -> str:
    if wins.least is None or wins.most is None:
        return _NEVER
    if wins.most == 0:
        return "at every size"
    least, most = (count_text(_rounded(amount)) for amount in (wins.least, wins.most))
    return f"from about {least if least == most else f'{least} to {most}'} iterations"


def _rounded(amount: float) -> int:
    """To one digit: with several sizes no more is known."""
    return int(float(f"{amount:.0e}"))


def _reach(found: BreakEven, wins: WinsFrom) -> str:
    """Of a guessed size: by how much it wins at most, between the size from which it does and the largest."""
    curve = found.curve
    if not found.is_guessed or wins.size is None:
        return ""
    gpu_s = curve.gpu_resident_s if wins.data == "resident" else curve.gpu_cold_s
    cpu_s = curve.one_core_s if wins.cores == "one core" else curve.all_cores_s
    return f"up to {ratio_text(max(cpu / gpu for cpu, gpu in zip(cpu_s, gpu_s, strict=True)))}"


def _against(found: BreakEven, cores: Cores) -> str:
    name = f"`{c_name(found.name)}`"
    both = [found.wins_from(data, cores) for data in get_args(Data)]
    if all(wins.earliest is None and _place(found, wins, name) == _NEVER for wins in both):
        return _NEVER
    resident, cold = (f"{_place(found, wins, name)}{_note(found, wins)}" for wins in both)
    start = _FROM.format(name=name)
    return f"{resident}, with copies {cold.replace(start, 'from ') if resident.startswith(start) else cold}"


def _place(found: BreakEven, wins: WinsFrom, name: str) -> str:
    return _start_text(found, wins.size, name, is_somewhere=any(_won(found, wins)))


def _start_text(found: BreakEven, size: int | None, name: str, *, is_somewhere: bool) -> str:
    """Where it begins to be faster for good; `is_somewhere`: faster at a size that was looked at."""
    if size is None:
        return f"only at some {name}" if is_somewhere else _NEVER
    if size == found.least:
        return f"at every {name}"
    return f"{_FROM.format(name=name)}{size_text(size, found.current)}"


def _also_here(found: BreakEven, wins: WinsFrom) -> bool:
    """Whether it wins at the size in force, though not at all between that and the size from which it does."""
    if wins.size is not None and wins.size <= found.current:
        return False
    return (found.current, True) in zip(found.curve.sizes, _won(found, wins), strict=True)


def _won(found: BreakEven, wins: WinsFrom) -> list[bool]:
    """Whether it wins at each size that was looked at."""
    curve = found.curve
    gpu_s = curve.gpu_resident_s if wins.data == "resident" else curve.gpu_cold_s
    cpu_s = curve.one_core_s if wins.cores == "one core" else curve.all_cores_s
    return [gpu < cpu for gpu, cpu in zip(gpu_s, cpu_s, strict=True)]


def _note(found: BreakEven, wins: WinsFrom) -> str:
    """In brackets: between which sizes it is by the measured errors, if these are apart; and the size in force."""
    ends = [None if size is None else size_text(size, found.current) for size in (wins.earliest, wins.latest)]
    size = None if wins.size is None else size_text(wins.size, found.current)
    earliest, latest = ends
    notes = []
    if found.has_band and ends != [size, size]:
        if latest is None:
            first = f"{earliest} at the earliest" if earliest != size else ""
            notes.append(first if size is None else f"{first}{', ' if first else ''}at worst never")
        else:
            notes.append(f"{earliest} to {latest}")
    if _also_here(found, wins):
        notes.append(f"also at {count_text(found.current)}")
    if reach := _reach(found, wins):
        notes.append(reach)
    return f" ({'; '.join(notes)})" if notes else ""


def _range_end(found: BreakEven) -> str:
    """What stays, and how far was looked."""
    others = [f"`{c_name(name)}` = {size}" for name, size in found.others]
    kept = f"; {', '.join(others)}" if others else ""
    if len(others) > _OTHERS_SHOWN:
        kept = "; other sizes as they are"
    return f"{kept}; `{c_name(found.name)}` up to {_most(found)} ({found.ends_at})"


def _most(found: BreakEven) -> str:
    return count_text(_rounded_down(found.most) if found.ends_at == "device memory" else found.most)


def _rounded_down(size: int) -> int:
    unit: int = 10 ** max(0, len(str(size)) - _DIGITS)
    return size // unit * unit
