"""Limits of the ledger's errors: tests/accuracy/budget.toml. They may only shrink.

A limit that is looser than the measured error by more than `MARGIN` fails as one that is exceeded does: `make accuracy`
tightens it. To raise one, edit the file, and say why in the commit.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from accuracy.ledger.ledger import Ledger
from accuracy.ledger.pair_tables import by_pair, typical_factor

PATH = Path(__file__).parent.parent / "budget.toml"
MARGIN = 0.05
"""Between what is reached and the limit: a change of that size passes without a new budget."""

_HEAD = """\
# Largest errors of the models beside measured times, tightened by `make accuracy` (docs/accuracy.md).
# [time."shown"] "KERNEL on GPU": geometric mean of the factors by which the launches of that pair are off, either way,
# by the model whose time is shown; "all pairs" alike over pairs, as shown and with the kernel's family or the GPU left
# out of everything that is fitted.
# [block."MODEL"] "KERNEL on GPU": mean measured time of the recommended block over that of the best.
# [registers."ptxas"] "WHAT, LAUNCHES on ARCHITECTURE": the factor that nine of ten predictions stay within.
"""

Budget = Mapping[str, Mapping[str, Mapping[str, float]]]
"""By what is limited ("time", "block", "registers"), model or "shown", and kernel on GPU."""


def reached(ledger: Ledger) -> Budget:
    """Errors as the budget limits them."""
    return {
        "time": {"shown": dict(_of_pairs(ledger))},
        "block": {
            model: {f"{kernel} on {gpu}": error.mean for (kernel, gpu), error in found.items()}
            for model, found in ledger.blocks.items()
        },
        "registers": {"ptxas": dict(_of_ptxas(ledger))},
    }


def _of_pairs(ledger: Ledger) -> Iterator[tuple[str, float]]:
    without_family, without_gpu = ledger.left_out
    yield "all pairs", typical_factor(ledger.shown)
    yield "all pairs, family left out", typical_factor(without_family)
    yield "all pairs, GPU left out", typical_factor(without_gpu)
    for (kernel, gpu), members in sorted(by_pair(ledger.shown).items()):
        yield f"{kernel} on {gpu}", typical_factor(members)


def _of_ptxas(ledger: Ledger) -> Iterator[tuple[str, float]]:
    for (kind, arch), found in ledger.registers.items():
        yield f"registers, {kind} on {arch}", found.registers.within
        yield f"resident warps, {kind} on {arch}", found.warps.within
        if found.shared is not None:
            yield f"shared memory, {kind} on {arch}", found.shared.within


def read_budget() -> Budget:
    """Limits as they are in the file; none where there is no file."""
    return tomllib.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}


def exceeded(errors: Budget, budget: Budget) -> Iterator[str]:
    """Say which errors are beyond their limit or have none."""
    for what, model, subject, error in _entries(errors):
        limit = budget.get(what, {}).get(model, {}).get(subject)
        if limit is None:
            yield f"{what}, {model}, {subject}: {error:.3f} has no limit"
        elif error > limit:
            yield f"{what}, {model}, {subject}: {error:.3f} is beyond {limit:.3f}"


def loose(errors: Budget, budget: Budget) -> Iterator[str]:
    """Say which limits are further from the error than `MARGIN`, or limit nothing."""
    for what, model, subject, limit in _entries(budget):
        error = errors.get(what, {}).get(model, {}).get(subject)
        if error is None:
            yield f"{what}, {model}, {subject}: nothing is measured"
        elif limit > error * (1 + MARGIN):
            yield f"{what}, {model}, {subject}: {limit:.3f} is looser than {error:.3f}"


def tightened(errors: Budget, budget: Budget) -> Budget:
    """Limits half a margin above the errors, never above what they were."""
    return {
        what: {
            model: {
                subject: min(error * (1 + MARGIN / 2), budget.get(what, {}).get(model, {}).get(subject, float("inf")))
                for subject, error in found.items()
            }
            for model, found in models.items()
        }
        for what, models in errors.items()
    }


def write_budget(budget: Budget) -> None:
    """Replace the file."""
    lines = [_HEAD]
    for what, models in budget.items():
        for model, found in models.items():
            lines.append(f'\n[{what}."{model}"]\n')
            lines += [f'"{subject}" = {limit:.3f}\n' for subject, limit in found.items()]
    PATH.write_text("".join(lines), encoding="utf-8")


def _entries(budget: Budget) -> Iterator[tuple[str, str, str, float]]:
    for what, models in budget.items():
        for model, found in models.items():
            for subject, value in found.items():
                yield what, model, subject, value
