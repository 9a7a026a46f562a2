"""The plots of a studied kernel as SVG: matplotlib's, in the page's own colours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from warplens.analysis.counters.drivers import DependenceCurve
from warplens.analysis.counters.kernel_fit import KernelFit
from warplens.analysis.text.quantities import time_text
from warplens.server.render.visible_text import visible_html

MOST_BARS = 12
MOST_CURVES = 6
MOST_LOADINGS = 30
_MANY_DECADES = 1000
_WORTH_LOG = 4
"""A factor between the ends of an axis; below, a logarithmic one has hardly a tick."""
_BLUE, _GREY, _RED = "#1f77b4", "#9a9a9a", "#c44536"
_MOST_POINTS = 3000
Titles = Mapping[str, str]


def importance_plot(fit: KernelFit, titles: Titles) -> str:
    """Bars of the most important groups with one standard error, and the level that chance reaches."""
    shown = fit.groups[:MOST_BARS][::-1]
    figure, axes = _figure(7.0, 0.8 + 0.32 * len(shown))
    axes.barh(
        [_named(result.group.asked, titles) for result in shown],
        [max(0.0, result.importance.increase) for result in shown],
        xerr=[result.importance.error for result in shown],
        color=[_BLUE if result.is_above_chance else _GREY for result in shown],
        ecolor="#555555",
        height=0.7,
    )
    axes.axvline(fit.noise.importance_by_chance, color=_RED, linestyle="--", linewidth=1)
    axes.set_xlabel("importance; dashed: what a shuffled counter reaches")
    return _svg(figure, "Importance of each group of quantities, as in the table above")


def dependence_plots(fit: KernelFit, titles: Titles) -> tuple[tuple[str, str], ...]:
    """How the time goes with each of the most important groups, with the band of nine of ten resampled forests.

    Each with what it is of; all have one range of times, so that a steep one looks steeper than a flat one.
    """
    curves = [(result.group.asked, result.curve) for result in fit.groups if result.curve is not None][:MOST_CURVES]
    if not curves:
        return ()
    low = min(float(np.exp2(curve.low).min()) for _, curve in curves)
    high = max(float(np.exp2(curve.high).max()) for _, curve in curves)
    return tuple(
        (titles.get(name, name), _dependence(fit, name, curve, titles, (low / 1.1, high * 1.1)))
        for name, curve in curves
    )


def loadings_plot(fit: KernelFit, titles: Titles) -> str:
    """Correlations of the quantities with the rotated components, red for positive ones; those with most in them."""
    loadings = fit.components.loadings
    order = np.argsort(-np.abs(loadings).max(axis=1), kind="stable")[:MOST_LOADINGS]
    order = order[np.argsort(np.abs(loadings[order]).argmax(axis=1), kind="stable")]
    figure, axes = _figure(2.6 + 0.55 * loadings.shape[1] + 1.6, 0.9 + 0.2 * len(order))
    axes.grid(visible=False)
    image = axes.imshow(loadings[order], cmap="RdBu_r", norm=TwoSlopeNorm(0, -1, 1), aspect="auto")
    axes.set_yticks(range(len(order)), [_named(fit.names[j], titles) for j in order], fontsize=7)
    axes.set_xticks(range(loadings.shape[1]), [str(c + 1) for c in range(loadings.shape[1])])
    axes.set_xlabel("component")
    figure.colorbar(image, ax=axes, label="loading")
    return _svg(figure, "Loadings of the quantities on the components of the table above")


def fitted_plot(fit: KernelFit) -> str:
    """Predicted out of bag over measured times; the line is where both are equal."""
    points = np.array(fit.fitted)
    points = points[:: max(1, len(points) // _MOST_POINTS)]
    figure, axes = _figure(4.6, 4.2)
    low, high = float(points.min()) / 1.2, float(points.max()) * 1.2
    axes.plot([low, high], [low, high], color=_GREY, linewidth=1)
    axes.loglog(points[:, 0], points[:, 1], ".", color=_BLUE, markersize=4, alpha=0.6)
    for axis in (axes.xaxis, axes.yaxis):
        _mark_times(axis, (low, high))
    axes.set_xlabel("measured time")
    axes.set_ylabel("predicted, without this run")
    return _svg(figure, "Predicted over measured times; the line is where both are equal")


def _dependence(fit: KernelFit, name: str, curve: DependenceCurve, titles: Titles, times_s: tuple[float, float]) -> str:
    figure, axes = _figure(4.2, 3.0)
    scale = fit.scales[fit.names.index(name)]
    at = scale.back(curve.predictor)
    axes.fill_between(at, np.exp2(curve.low), np.exp2(curve.high), color=_BLUE, alpha=0.25, linewidth=0)
    axes.plot(at, np.exp2(curve.response), color=_BLUE)
    axes.set_yscale("log")
    axes.set_ylim(*times_s)
    _mark_times(axes.yaxis, times_s)
    if scale.is_log and at[-1] / at[0] > _WORTH_LOG:
        axes.set_xscale("log", base=2 if scale.is_given else 10)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.ticklabel_format(axis="x", useOffset=False, scilimits=(-3, 5))
    axes.set_xlabel(_named(name, titles))
    axes.set_ylabel("time")
    return _svg(figure, f"Time by {titles.get(name, name)}, with the band of nine of ten resampled forests")


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    axes.grid(visible=True, color="#dddddd", linewidth=0.5)
    axes.set_axisbelow(True)
    return figure, axes


def _svg(figure: Figure, label: str) -> str:
    """The drawing alone, one picture with a label to who can't see it.

    No declarations, no date, identifiers that are the same from run to run.
    """
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None}, transparent=False)
    found = text.getvalue()
    drawing = re.sub(r"<metadata>.*?</metadata>", "", found[found.index("<svg") :], flags=re.DOTALL)
    return drawing.replace("<svg", f'<svg role="img" aria-label="{visible_html(label)}"', 1)


def _mark_times(axis: Axis, times_s: tuple[float, float]) -> None:
    """A logarithmic axis of times: at each power of ten, and between them where there are few."""
    subs = (1.0,) if times_s[1] > _MANY_DECADES * times_s[0] else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value_s, _place: time_text(float(value_s))))
    axis.set_minor_formatter(NullFormatter())


def _named(name: str, titles: Titles) -> str:
    """Matplotlib would read dollars as formulas."""
    return titles.get(name, name)[:60].replace("$", r"\$")
