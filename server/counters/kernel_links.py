"""Which measured kernels a loop nest is linked to: by a comment, or by the name of its function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from warplens.analysis.advice.measured_runs import MeasuredRuns
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.server.counters.linked_kernel import LinkedKernel
from warplens.server.counters.model_file import SUFFIX, ModelFileError, load_model
from warplens.server.folder_config import ConfigProblem, nearest_path

FOLDER = Path(".warplens") / "counters"
"""Where models lie that are shown beside loops."""

_MOST_MODELS = 32
_MOST_SHOWN = 6


def counters_for(path: Path, roots: Sequence[Path]) -> tuple[tuple[LinkedKernel, ...], tuple[ConfigProblem, ...]]:
    """The kernels of every model in the nearest `.warplens/counters` upward of a file, inside its root.

    A model that can't be read is said.
    """
    folder = nearest_path(path.parent, roots, str(FOLDER), Path.is_dir)
    if folder is None:
        return (), ()
    kernels: list[LinkedKernel] = []
    problems: list[ConfigProblem] = []
    try:
        models = sorted(each for each in folder.iterdir() if each.suffix == SUFFIX)
        for model in models[:_MOST_MODELS]:
            try:
                status = model.stat()
                kernels += _loaded(model, folder, status.st_mtime_ns, status.st_size)
            except (ModelFileError, OSError) as error:
                problems.append(ConfigProblem(str(model), f"not read: {error}"))
        if len(models) > _MOST_MODELS:
            problems.append(ConfigProblem(str(folder), f"only {_MOST_MODELS} of its {len(models)} models are read"))
    except OSError as error:
        problems.append(ConfigProblem(str(folder), f"not read: {error.strerror or error}"))
    return tuple(kernels), tuple(problems)


def linked_kernels(kernels: Sequence[LinkedKernel], said: str, names: Sequence[str]) -> tuple[LinkedKernel, ...]:
    """Those that a comment names (`said`), else those that have one of the nest's own names; one for each GPU."""
    found: dict[str, LinkedKernel] = {}
    for name in (said,) if said else names:
        for kernel in kernels:
            if kernel.kernel == name:
                found.setdefault(kernel.gpu, replace(kernel, by="comment" if said else "name"))
    return tuple(found.values())


def nest_names(function: str, ordinal: int, *, has_one_nest: bool) -> tuple[str, ...]:
    """What the kernel of a nest may be called: as its function, or as in the CUDA port that Warplens writes of it.

    >>> nest_names("heat", 0, has_one_nest=True), nest_names("heat", 1, has_one_nest=False)
    (('heat', 'heat_kernel'), ('heat_nest2_kernel',))
    """
    return (function, f"{function}_kernel") if has_one_nest else (f"{function}_nest{ordinal + 1}_kernel",)


@lru_cache(maxsize=_MOST_MODELS)
def _loaded(path: Path, folder: Path, _mtime_ns: int, _size: int) -> tuple[LinkedKernel, ...]:
    return tuple(_linked(kernel) for kernel in load_model(path, inside=folder))


def _linked(kernel: StudiedKernel) -> LinkedKernel:
    first = kernel.bottlenecks[0] if kernel.bottlenecks else None
    model = kernel.fit.model
    return LinkedKernel(
        kernel.fit.kernel,
        kernel.gpu,
        kernel.profile,
        "name",
        kernel.fit.runs,
        tuple(_shown(kernel.measured)),
        first.title if first else "",
        first.rule if first else None,
        first.evidence[0] if first else "",
        kernel.fit.noise.is_noise,
        model.inside_accuracy.mape if model else None,
    )


def _shown(measured: Sequence[MeasuredRuns]) -> Iterator[MeasuredRuns]:
    """The fastest launch of each size; of many sizes some, evenly taken by their time."""
    fastest: dict[tuple[tuple[str, float], ...], MeasuredRuns] = {}
    for one in measured:  # by rising time
        fastest.setdefault(one.problem, one)
    sizes = list(fastest.values())
    count = min(len(sizes), _MOST_SHOWN)
    yield from (sizes[round(at * (len(sizes) - 1) / max(1, count - 1))] for at in range(count))
