"""WL104: the directive copies less, or another way, than the loop needs.

## What
A clause of the loop's own directive (`map`, `copyin`, `copyout`, ..) leaves out elements that the loop touches, copies
nothing in where the loop reads what it has not written, or nothing back where what it writes is used. The access and
the element that show it are named. Of a kernel's region around the loop only what its sections leave out is looked at.

## Why
The device has memory of its own. An element outside of a section is not there: the loop reads or writes whatever lies
there, or stops. Without a copy it reads garbage, and what stays on the device is lost. On the host, and where the data
happens to be on the device already, nothing of that shows.

## Example
```c
#pragma omp target teams distribute parallel for map(to: x[0:n/2]) map(from: y[0:n])   /* half of x */
for (int i = 0; i < n; i++)
    y[i] = x[i];
```
`map(to: x[n])` is one element, number n: the section of n elements is `x[0:n]`.

## Fix
The quick fix writes the section that the loop touches, where that is one C expression, and the direction that it needs.

## Fix safety
More is copied than before. Nothing else changes.

## Does not report
What is not sure for all sizes from a small one on, which is named: elements that data, a condition or an early end
decides about, sections of more than one dimension, arrays of structures' members, a loop inside of a region of data
(`target data`, `acc data`), functions that such a region calls, files that say elsewhere what is on the device
(`enter data`, `declare target`). Data that another file has put on the device is not known.

## Source
OpenMP 5.2, 5.8.3 (map) and 3.2.5 (array sections); OpenACC 3.3, 2.7 (data clauses).
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding, Related
from warplens.analysis.advice.naming import node_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.facts.mapping_mistake import MappingMistake
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import NestEvaluation

CODE = "WL104"


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per array and directive, at the loop below it."""
    facts = evaluation.facts
    for mistake in (mistake for verdict in facts.verdicts for mistake in verdict.mismapped):
        access = node_text(facts.nest, mistake.access)
        related = (Related(mistake.directive, "the directive"), Related(mistake.access, f"{access}: what shows it"))
        yield Finding(
            CODE,
            mistake.loop,
            _message(facts.nest, mistake),
            "warning",
            related,
            cause=(mistake.directive, mistake.section.array, mistake.kind),
        )


def _message(nest: LoopNest, mistake: MappingMistake) -> str:
    access, section = node_text(nest, mistake.access), f"`{mistake.section.text}`"
    construct = mistake.section.construct
    name = c_name(mistake.section.array)
    element = f"`{name}[{mistake.element}]`"
    does = "writes" if mistake.is_write else "reads"
    match mistake.kind:
        case "outside":
            sizes = " and ".join(f"`{symbol}`" for symbol in sorted(map(c_name, mistake.element.symbols)))
            since = f" (from {sizes} = {mistake.least} on)" if sizes and mistake.least > 1 else ""
            return f"Not on the device: {access} {does} {element}, outside of {section} that `{construct}` maps{since}."
        case "unset":
            return (
                f"Garbage: {access} reads {element} before the loop writes it, and `{construct}` copies {section} to "
                "the device in no clause."
            )
        case _:
            return f"Lost: {access} writes {element}, and `{construct}` copies {section} back to the host in no clause."


RULE = Rule(CODE, "wrong data in a directive", __doc__ or "", check)
