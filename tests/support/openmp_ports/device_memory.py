"""A ported C function as it would run on a device with memory of its own.

The host is the device of gcc without an offload compiler, so that what is copied wrongly doesn't show. Here each mapped
array is replaced around the directive's statement by a copy that has exactly the elements of its section, on the heap:
reading beyond it is an error to AddressSanitizer, and what is not copied in holds nonsense.
"""

import re
from dataclasses import dataclass

HEADER = r"""
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *enter_(void *host, long first, long count, long bytes, int is_copied)
{
    if (count < 0) { printf("a section of %ld elements\n", count); abort(); }
    char *device = malloc(count * bytes + (count == 0));
    memset(device, 0x5b, count * bytes);
    if (is_copied) memcpy(device, (char *)((uintptr_t)host + first * bytes), count * bytes);
    return (void *)((uintptr_t)device - first * bytes);
}
static void *leave_(void *device, void *host, long first, long count, long bytes, int is_copied)
{
    char *own = (char *)((uintptr_t)device + first * bytes);
    if (is_copied) memcpy((char *)((uintptr_t)host + first * bytes), own, count * bytes);
    free(own);
    return host;
}
"""

_SECTION = re.compile(r"(\w+)\[([^\]:]*):([^\]]*)\](?:\[0:([^\]]*)\])?\Z")
_END = "/* end */"


@dataclass(frozen=True)
class Mapped:
    """An item of a map clause: `length` rows from row `first` on, None for an array that is mapped whole."""

    kind: str
    name: str
    first: str | None
    length: str | None


def maps_of(pragma: str) -> list[Mapped]:
    """Items of the map clauses of a directive."""
    found = []
    for kind, items in re.findall(r"\bmap\((\w+): ((?:[^()]|\([^()]*\))*)\)", pragma):
        for item in items.split(", "):
            section = _SECTION.match(item)
            found.append(Mapped(kind, *section.group(1, 2, 3)) if section else Mapped(kind, item, None, None))
    return found


def condition_of(pragma: str) -> str:
    """Condition of the `if` clause, `1` without."""
    found = re.search(r"\bif\((?:target|target data): (.*)\)\Z", pragma.strip())
    return found[1] if found else "1"


def with_own_memory(function: str, name: str) -> str:
    """The ported function under another name; what it maps of pointers is in memory of its own while the nest runs."""
    lines = function.split("\n")
    at = next(n for n, line in enumerate(lines) if line.startswith("#pragma omp"))
    first = next(line for line in lines if "map(" in line or line.startswith("#pragma omp"))
    mapped = [each for each in maps_of(first) if each.first is not None]
    enter, leave = [f"int device_ = {condition_of(first)};"], []
    for each in mapped:
        bytes_ = f"sizeof {each.name}[0]"
        copied_in, copied_out = (int(each.kind in kinds) for kinds in ({"to", "tofrom"}, {"from", "tofrom"}))
        section = f"({each.first}), ({each.length}), {bytes_}"
        enter.append(
            f"void *host_{each.name} = {each.name};"
            f" if (device_) {each.name} = enter_({each.name}, {section}, {copied_in});"
        )
        leave.append(f"if (device_) {each.name} = leave_({each.name}, host_{each.name}, {section}, {copied_out});")
    lines[at:at] = enter
    end = next(n for n, line in enumerate(lines) if _END in line)
    lines[end] = lines[end].replace(_END, "\n".join(leave))
    return re.sub(rf"\b{name}\b", f"{name}_device", "\n".join(lines))


def recording(function: str, name: str, arrays: tuple[str, ...]) -> str:
    """The function under another name; `touch_` gets each (first) subscript of the arrays that it uses."""
    at = function.index("\n{")
    head, body = function[:at], function[at:]
    for number, array in enumerate(arrays):
        for match in reversed(list(re.finditer(rf"(?<![\w.]){array}\[", body))):
            closing, depth = match.end(), 1
            while depth:
                depth += (body[closing] == "[") - (body[closing] == "]")
                closing += 1
            inner = body[match.end() : closing - 1]
            body = f"{body[: match.end()]}touch_({number}, {inner}){body[closing - 1 :]}"
    return re.sub(rf"\b{name}\b", f"{name}_recording", head + body)
