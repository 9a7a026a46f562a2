"""Elements of an array that the device gets, at given sizes."""

from collections.abc import Mapping
from math import inf

from warplens.analysis.ports.cuda.device_memory import DeviceMemory
from warplens.analysis.ports.sections.hull import Hull
from warplens.analysis.ports.sections.touched_range import HostValue


def section(memory: DeviceMemory, hull: Hull, sizes: Mapping[str, int]) -> range:
    """Elements of a hull at a size, as the host function works them out."""
    values = dict(sizes)
    for value in memory.values.names.values():
        values[value.name] = _host_value(value, values)
    if not all(condition.evaluate(values) >= 0 for condition in memory.conditions):
        return range(0)
    first = min((e.value.evaluate(values) for e in hull.firsts if _counts(e.conditions, values)), default=inf)
    end = max((e.value.evaluate(values) for e in hull.ends if _counts(e.conditions, values)), default=-inf)
    return range(int(first), int(end)) if first < end else range(0)


def _counts(conditions, values: Mapping[str, int]) -> bool:
    return all(condition.evaluate(values) >= 0 for condition in conditions)


def _host_value(value: HostValue, values: Mapping[str, int]) -> int:
    operands = [operand.evaluate(values) for operand in value.operands]
    if value.kind == "quotient":
        return int(operands[0] / operands[1])
    if value.kind != "last":
        return (min if value.kind == "min" else max)(operands)
    start, end, step = operands
    size = abs(step)
    distance = end - start if step > 0 else start - end
    moved = (abs(distance) // size if distance >= 0 else -(abs(distance) // size)) * size  # as C divides
    return start + moved if step > 0 else start - moved
