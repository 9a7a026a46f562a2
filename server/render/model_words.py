"""The models side by side: who predicts what, how far they are apart, and how well each did where it was checked."""

from __future__ import annotations

from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.results.comparison import ModelComparison, MwpCwp
from warplens.analysis.models.results.evaluation import KernelEvaluation
from warplens.analysis.models.results.prediction import Prediction
from warplens.analysis.text.quantities import percent_text, time_text
from warplens.server.render.amounts import plural
from warplens.server.render.card import Section
from warplens.server.render.columns import Table
from warplens.server.render.launch_words import ALIKE, factor_text
from warplens.server.render.model_names import model_name

MODELS = "Models"
_LEVELS = {"load/store": "load/store units", "l2": "L2", "dram": "DRAM"}
_LEAST_SHARE = 0.005


def bound_share(prediction: Prediction) -> float | None:
    """Share of the time that goes to what bounds it; None where no part of the breakdown is named so."""
    part = dict(prediction.breakdown_s).get(prediction.bound_by)
    return None if part is None or prediction.time_s <= 0 else part / prediction.time_s


def bound_text(prediction: Prediction) -> str:
    """What bounds a kernel, with its share: "memory bandwidth (DRAM), 81 % of the time"."""
    share = bound_share(prediction)
    if share is None or share < _LEAST_SHARE:
        return prediction.bound_by
    of_level = prediction.memory_level if prediction.bound_by == "memory bandwidth" else None
    level = f" ({_LEVELS[of_level]})" if of_level else ""
    return f"{prediction.bound_by}{level}, {percent_text(share)} of the time"


def models_section(kernel: KernelEvaluation) -> Section:
    """All models on the recommended launch, as a table; empty where none were compared."""
    comparison = kernel.comparison
    if comparison is None:
        return Section(MODELS)
    spread = (
        "the models agree"
        if comparison.spread < ALIKE
        else f"{factor_text(comparison.spread)} between the shortest and the longest"
    )
    items = (f"Spread: {spread}.", mwp_cwp_sentence(comparison.mwp_cwp), *_check_sentences(comparison))
    return Section(MODELS, items, _table(comparison))


def _table(comparison: ModelComparison) -> Table:
    columns = ("typically off", "predicted / measured (9 of 10)") if comparison.errors else ()
    head = ("model", "time", "vs chosen", "bound by", *columns)
    chosen = comparison.predictions[0]
    return (head, *(_row(each, chosen, comparison) for each in comparison.predictions))


def _row(prediction: Prediction, chosen: Prediction, comparison: ModelComparison) -> tuple[str, ...]:
    is_chosen, share = prediction is chosen, bound_share(prediction)
    comparable = prediction.time_s > 0 and chosen.time_s > 0
    ratio = factor_text(prediction.time_s / chosen.time_s) if comparable and not is_chosen else ""
    error = comparison.error_of(prediction.model)
    known = (factor_text(error.typical), f"{error.low:.2f} to {error.high:.2f}") if error else ("not checked", "")
    return (
        f"{model_name(prediction.model)}{' (chosen)' if is_chosen else ''}",
        time_text(prediction.time_s),
        ratio,
        f"{prediction.bound_by}{f' ({percent_text(share)})' if share else ''}",
        *(known if comparison.errors else ()),
    )


def mwp_cwp_sentence(numbers: MwpCwp) -> str:
    """MWP-CWP's own numbers in words.

    >>> mwp_cwp_sentence(MwpCwp(2.28, 20.0, "CWP >= MWP", 14.8)).partition(" compute, ")[2]
    'so memory is the limit (CWP >= MWP); 14.8 cycles per instruction.'
    """
    if numbers.cwp > numbers.mwp:
        limit = "so memory is the limit"
    elif numbers.mwp > numbers.cwp:
        limit = "so computation hides the memory"
    else:
        limit = "all there are: more warps would help"
    return (
        f"MWP-CWP: memory serves {_warps(numbers.mwp)} at a time while {numbers.cwp:.2g} could compute, {limit} "
        f"({numbers.case}); {numbers.cycles_per_instruction:.3g} cycles per instruction."
    )


def _check_sentences(comparison: ModelComparison) -> tuple[str, ...]:
    """Where nothing was measured, and which model was closer than the one that is shown; else nothing."""
    if not comparison.errors:
        return (f"None of them has been held against measurements of {comparison.family or 'such'} kernels.",)
    best, shown = min(comparison.errors, key=lambda error: error.typical), comparison.predictions[0].model
    error = comparison.error_of(shown)
    if error is None or best.model == shown:
        return ()
    alike = f"typically off by a factor of {best.typical:.2f}, {model_name(shown)} by {error.typical:.2f}"
    return (f"{model_name(best.model)} did as well on measurements {of_kernels(best)}: {alike}.",)


def of_kernels(error: ModelError) -> str:
    """What an error was measured on; one without a family is over all of them."""
    return f"of {error.family} kernels" if error.family else "of all kernels (too few are like this one)"


def _warps(count: float) -> str:
    return plural(float(f"{count:.2g}"), "warp")
