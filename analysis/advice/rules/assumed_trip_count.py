"""WL901: the size of this loop is assumed.

## What
A loop bound is not known from the source, so a default stands in for it; every time and speedup of the nest follows
from it.

## Why
A prediction for n = 1024 says little about n = 10 000 000. The tool never guesses silently.

## Example
```c
void scale(int n, double *x) {
    for (int i = 0; i < n; i++)   /* n = 1024 is assumed */
        x[i] *= 2;
}
```

## Fix
Say the size: a comment `// warplens: n = 1000000` above the loop or the function (there is a quick fix), `[sizes]` in
a `.warplens.toml` in the folder, or the editor's setting `warplens.sizes`. Or import the counts of a real run
(`warplens profile import`), from which sizes follow.

## Fix safety
A comment changes nothing in the program.

## Does not report
Sizes that follow from literals, macros, constants, array extents, that were said or measured.

## Source
None: it is this tool's rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.rule import Rule
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import guessed_sizes


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per nest, naming every default."""
    assumed = [a for a in evaluation.assumptions if a.kind == "size" and a.origin == "default" and a.value is not None]
    if assumed:
        values = ", ".join(f"{a.subject} = {a.value:.0f}" for a in assumed)
        yield Finding(
            "WL901",
            evaluation.facts.nest.root.id,
            f"Assumed size, not known from the source: {values}. Say it in a comment: "
            f"`// warplens: {_first_to_say(evaluation, assumed)} = ...`.",
            "hint",
            cause=tuple(a.subject for a in assumed),
        )


def _first_to_say(evaluation: NestEvaluation, assumed: Sequence[Assumption]) -> str:
    """The size that the numbers hang on most: that of the outermost loop."""
    deciding = guessed_sizes(evaluation)
    return deciding[0].name if deciding else assumed[0].subject


RULE = Rule("WL901", "assumed trip count", __doc__ or "", check)
