"""Device buffers of the arrays: where they begin and end, what is allocated, copied and freed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import Scalar
from warplens.analysis.ports.cuda.device_memory import DeviceArray
from warplens.analysis.ports.cuda.host_number import holds_text, number_text
from warplens.analysis.ports.cuda.names import Names
from warplens.analysis.ports.cuda.polynomial_text import PolynomialText
from warplens.analysis.ports.sections.hull import Hull, Touched, is_implied

_LONGEST_LINE = 106


@dataclass(frozen=True, slots=True)
class _Range:
    """`first` and `end` are C++ expressions of type `long`; `lines` declare what they are made of."""

    first: str
    end: str
    lines: tuple[str, ...]
    may_be_empty: bool
    starts_below: bool
    """Whether the first element may lie before the array's start."""

    @property
    def count(self) -> str:
        """How many elements."""
        return self.end if self.first == "0" else f"({_minus(self.end, self.first)})"

    def at(self, pointer: str) -> str:
        """Address of the first element."""
        if self.first.startswith("-"):
            return f"{pointer} - {self.first[1:]}"
        return pointer if self.first == "0" else f"{pointer} + {self.first}"


@dataclass(frozen=True, slots=True)
class Buffer:
    """The lines that keep an array on the device."""

    before: tuple[str, ...]
    """Sections, allocation and copy to the device."""
    after: tuple[str, ...]
    """Copy back."""
    free: str


def buffer(
    array: DeviceArray,
    pointers: tuple[str, str],
    element: str,
    names: Names,
    printer: PolynomialText,
    granted: Collection[Polynomial],
) -> Buffer:
    """The lines for one array with elements of the type `element`, by its `pointers` on the host and on the device.

    Elements keep their subscripts: the buffer starts at element 0, or at the first one where that lies before it, and
    only the section is copied. So the kernel's subscripts are the source's, at the price of what lies before the
    section being allocated.
    """
    host, device = pointers
    writer = _Sections(host.rstrip("_"), names, printer, granted)
    touched = writer.section(array.touched, "")
    lines = [_said(array, host), *touched.lines]
    memory, base = device, "0"
    if touched.starts_below:
        memory, base = names.fresh(f"{device}_memory"), touched.first
        if not _is_number(touched.first):
            base = names.fresh(f"{host.rstrip('_')}_base")
            lines.append(f"const long {base} = {touched.first} < 0 ? {touched.first} : 0;")
    lines += [f"{element} *{memory} = nullptr;"]
    lines += [f"CHECK(cudaMalloc(&{memory}, {_bytes(_size(touched, base), element)}));"]
    if memory != device:
        lines.append(f"{element} *const {device} = {_minus(memory, base)};")
    if array.is_copied_in:
        lines += _copy(touched, device, host, element, "HostToDevice")
    after: list[str] = []
    if array.written is not None:
        written = touched if array.written == array.touched else writer.section(array.written, "_written")
        after = [*(() if written is touched else written.lines), *_copy(written, host, device, element, "DeviceToHost")]
    return Buffer(tuple(lines), tuple(after), f"CHECK(cudaFree({memory}));")


def _said(array: DeviceArray, host: str) -> str:
    if array.written is None:
        what = "only read" if array.is_copied_in else "only used on the device"
    elif not array.is_copied_in:
        what = "written in full, so that nothing is copied to the device"
    elif array.is_read:
        what = "read and written"
    else:
        what = "written in part, so that the rest of the section has to be there"
    return f"/* {host}: {what}. */"


def _size(touched: _Range, base: str) -> str:
    """Elements to allocate, at least one."""
    if touched.may_be_empty:
        return f"({touched.end} > {base} ? {_minus(touched.end, base) if base != '0' else touched.end} : 1)"
    if touched.starts_below:
        return f"({_minus(f'({touched.end} > 0 ? {touched.end} : 0)', base)})"
    return touched.end


def _copy(section: _Range, target: str, source: str, element: str, direction: str) -> list[str]:
    start = f"CHECK(cudaMemcpy({section.at(target)}, {section.at(source)},"
    rest = f"{_bytes(section.count, element)}, cudaMemcpy{direction}));"
    if len(start) + 1 + len(rest) <= _LONGEST_LINE:
        return [f"{start} {rest}"]
    return [start, f"{' ' * len('CHECK(cudaMemcpy(')}{rest}"]


def _bytes(count: str, element: str) -> str:
    return f"{count} * sizeof({element})"


class _Sections:
    """Declares the ends of an array's sections, equal ones once."""

    def __init__(self, stem: str, names: Names, printer: PolynomialText, granted: Collection[Polynomial]) -> None:
        self._stem, self._names, self._printer, self._granted = stem, names, printer, granted
        self._known: dict[str, str] = {}

    def _unsigned(self, value: Polynomial) -> tuple[Polynomial, ...]:
        """The symbols of a value that are not negative by their type."""
        read = {
            one.name: one.read_from[0].element
            for one in self._printer.derived.values()
            if one.formula is None and len(one.read_from) == 1
        }
        types = {name: read.get(name, self._printer.types.get(name)) for name in sorted(value.symbols)}
        return tuple(Polynomial.symbol(n) for n, t in types.items() if isinstance(t, Scalar) and not t.signed)

    def section(self, hull: Hull, suffix: str) -> _Range:
        """First element and end, in variables where they are more than a number or a name."""
        if not hull.firsts:
            return _Range("0", "0", (), True, False)
        starts_below = not all(
            is_implied(one.value, (*self._granted, *one.conditions, *self._unsigned(one.value))) for one in hull.firsts
        )
        guards = {self._needed(one) for one in (*hull.firsts, *hull.ends)}
        if guards != {()} and not len(hull.firsts) == len(hull.ends) == len(guards) == 1:
            return self._searched(hull, suffix, starts_below=starts_below)
        (guard,) = guards
        test = " && ".join(holds_text(condition, self._printer) for condition in guard)
        lines: list[str] = []
        first = self._variable(hull.firsts, f"{suffix}_first", "min", test, lines)
        end = self._variable(hull.ends, f"{suffix}_{'count' if first == '0' else 'end'}", "max", test, lines)
        return _Range(first, end, tuple(lines), bool(test), starts_below)

    def _searched(self, hull: Hull, suffix: str, *, starts_below: bool) -> _Range:
        """Ends that are looked for among those that count."""
        first, end = (self._names.fresh(f"{self._stem}{suffix}_{which}") for which in ("first", "end"))
        lines = [f"long {first} = LONG_MAX, {end} = LONG_MIN;"]
        for name, ends, function in ((first, hull.firsts, "min"), (end, hull.ends, "max")):
            for one in ends:
                test = " && ".join(holds_text(condition, self._printer) for condition in self._needed(one))
                move = f"{name} = std::{function}<long>({name}, {_long(one.value, self._printer)});"
                lines += [f"if ({test})", f"    {move}"] if test else [move]
        lines += [f"if ({first} > {end})", f"    {first} = {end} = 0;"]
        return _Range(first, end, tuple(lines), True, starts_below)

    def _variable(self, ends: Sequence[Touched], suffix: str, function: str, test: str, lines: list[str]) -> str:
        """A number, a name, or a variable that holds the value, 0 where the test fails."""
        if len(ends) == 1:
            value = ends[0].value
            if value.is_constant and (not test or not value.terms):
                return str(value.constant_term)
            text = number_text(value, self._printer)
            if not test and text.isidentifier():
                return text
        else:
            text = f"std::{function}<long>({{{', '.join(_long(one.value, self._printer) for one in ends)}}})"
        whole = f"{test} ? {text} : 0" if test else text
        if whole not in self._known:
            self._known[whole] = self._names.fresh(f"{self._stem}{suffix}")
            lines.append(f"const long {self._known[whole]} = {whole};")
        return self._known[whole]

    def _needed(self, end: Touched) -> tuple[Polynomial, ...]:
        """The conditions of an end of which none follows from the others."""
        needed = sorted(end.conditions, key=str)
        for condition in tuple(needed):
            if is_implied(condition, (*self._granted, *(other for other in needed if other != condition))):
                needed.remove(condition)
        return tuple(needed)


def _minus(text: str, base: str) -> str:
    return f"{text} + {base[1:]}" if base.startswith("-") else f"{text} - {base}"


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit()


def _long(value: Polynomial, printer: PolynomialText) -> str:
    return f"{value.constant_term}L" if value.is_constant else printer.text(value, wide=True)
