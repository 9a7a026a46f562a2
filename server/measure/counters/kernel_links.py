"""Which measured kernels a loop nest is linked to: by a comment, or by the name of its function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from warplens.analysis.frontend.comments.translation_unit import Problem
from warplens.analysis.frontend.comments.warplens_comments import KernelDirective
from warplens.server.files.folder_files import MODELS
from warplens.server.measure.counters.linked_kernel import LinkedKernel
from warplens.server.settings.folder_config import ConfigProblem, nearest_path
from warplens.server.settings.nearest import meant


def counters_for(path: Path, roots: Sequence[Path]) -> tuple[tuple[LinkedKernel, ...], tuple[ConfigProblem, ...]]:
    """The kernels of every model in the nearest `.warplens/counters` upward of a file, inside its root.

    A model that can't be read is said.
    """
    folder = nearest_path(path.parent, roots, MODELS, Path.is_dir)
    if folder is None:
        return (), ()
    from warplens.server.measure.counters.model_summaries import summaries_in  # noqa: PLC0415 - few folders have models

    return summaries_in(folder)


def linked_kernels(kernels: Sequence[LinkedKernel], said: str, names: Sequence[str]) -> tuple[LinkedKernel, ...]:
    """Those that a comment names (`said`), else those that have one of the nest's own names; one for each GPU."""
    found: dict[str, LinkedKernel] = {}
    for name in (said,) if said else names:
        for kernel in kernels:
            if kernel.kernel == name:
                found.setdefault(kernel.gpu, replace(kernel, by="comment" if said else "name"))
    return tuple(found.values())


def unknown_kernels(kernels: Sequence[LinkedKernel], directives: Sequence[KernelDirective]) -> tuple[Problem, ...]:
    """A note for each comment that names a kernel which no model has; none where there are no models at all."""
    known = tuple(dict.fromkeys(kernel.kernel for kernel in kernels))
    return tuple(
        Problem(f"no model in {MODELS} has a kernel `{each.kernel}`: {meant(each.kernel, known)}", each.span, "note")
        for each in directives
        if known and each.kernel not in known
    )


def nest_names(function: str, ordinal: int, *, has_one_nest: bool) -> tuple[str, ...]:
    """What the kernel of a nest may be called: as its function, or as in the CUDA port that Warplens writes of it.

    >>> nest_names("heat", 0, has_one_nest=True), nest_names("heat", 1, has_one_nest=False)
    (('heat', 'heat_kernel'), ('heat_nest2_kernel',))
    """
    return (function, f"{function}_kernel") if has_one_nest else (f"{function}_nest{ordinal + 1}_kernel",)
