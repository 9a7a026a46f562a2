"""What is shown of the kernels in models beside loops, read once for each content of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from warplens.analysis.advice.measured_runs import MeasuredRuns
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.server.files.folder_files import MODEL_SUFFIX
from warplens.server.measure.counters.linked_kernel import LinkedKernel
from warplens.server.measure.counters.model_file import ModelFileError, load_model
from warplens.server.settings.folder_config import ConfigProblem

_MOST_MODELS = 32
_MOST_SHOWN = 6


def summaries_in(folder: Path) -> tuple[tuple[LinkedKernel, ...], tuple[ConfigProblem, ...]]:
    """Of a folder's models, those written last first, and what is wrong with those that can't be read."""
    kernels: list[LinkedKernel] = []
    problems: list[ConfigProblem] = []
    models: list[tuple[int, Path, int]] = []
    try:
        found = sorted(each for each in folder.iterdir() if each.suffix == MODEL_SUFFIX)
    except OSError as error:
        return (), (ConfigProblem(str(folder), f"not read: {error.strerror or error}"),)
    for model in found:
        try:
            status = model.stat()
            models.append((-status.st_mtime_ns, model, status.st_size))
        except OSError as error:
            problems.append(ConfigProblem(str(model), f"not read: {error.strerror or error}"))
    for mtime_ns, model, size in sorted(models)[:_MOST_MODELS]:
        try:
            kernels += _summaries(model, folder, -mtime_ns, size)
        except ModelFileError as error:
            problems.append(ConfigProblem(str(model), f"not read: {str(error).removeprefix(f'{model}: ')}"))
    if len(models) > _MOST_MODELS:
        problems.append(ConfigProblem(str(folder), f"only {_MOST_MODELS} of its {len(models)} models are read"))
    return tuple(kernels), tuple(problems)


@lru_cache(maxsize=_MOST_MODELS)
def _summaries(path: Path, folder: Path, _mtime_ns: int, _size: int) -> tuple[LinkedKernel, ...]:
    return tuple(_linked(kernel, path.name) for kernel in load_model(path, inside=folder))


def _linked(kernel: StudiedKernel, file: str) -> LinkedKernel:
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
        model.inside.accuracy.mape if model and model.inside else None,
        file,
    )


def _shown(measured: Sequence[MeasuredRuns]) -> Iterator[MeasuredRuns]:
    """The fastest launch of each size; of many sizes some, evenly taken."""
    fastest: dict[tuple[tuple[str, float], ...], MeasuredRuns] = {}
    for one in measured:  # by rising time
        fastest.setdefault(one.problem, one)
    sizes = [one for _, one in sorted(fastest.items(), key=lambda item: item[0])]
    count = min(len(sizes), _MOST_SHOWN)
    yield from (sizes[round(at * (len(sizes) - 1) / max(1, count - 1))] for at in range(count))
