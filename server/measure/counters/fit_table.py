"""What was fitted, a line for each kernel."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.server.render.columns import Table

_HEAD = ("kernel", "GPU", "runs", "explained", "error between sizes", "beyond", "first bottleneck")


def fit_table(kernels: Sequence[StudiedKernel]) -> Table:
    """`explained`: of the variance out of bag; mean errors at unseen sizes, between and beyond those that were run."""
    return (_HEAD, *(_row(one) for one in kernels))


def top_bottleneck(kernel: StudiedKernel) -> str:
    """In a few words, with the rule's code."""
    if not kernel.bottlenecks:
        return "none of the known patterns"
    first = kernel.bottlenecks[0]
    return f"{first.title} ({first.rule})" if first.rule else first.title


def _row(kernel: StudiedKernel) -> tuple[str, ...]:
    fit, model = kernel.fit, kernel.fit.model
    explained = "noise" if fit.noise.is_noise else f"{max(0.0, fit.quality.out_of_bag):.1%}"
    between = f"{model.inside.accuracy.mape:.1%}" if model and model.inside else "-"
    beyond = f"{model.beyond.accuracy.mape:.1%}" if model and model.beyond else "-"
    return fit.kernel, kernel.gpu, str(fit.runs), explained, between, beyond, top_bottleneck(kernel)
