"""The models side by side: who predicts what, how far they are apart, and how well each did where it was checked."""

from __future__ import annotations

from warplens.analysis.advice.quantities import percent_text, time_text
from warplens.analysis.gpu.model_error import ModelError
from warplens.analysis.models.comparison import ModelComparison, MwpCwp
from warplens.analysis.models.evaluation import KernelEvaluation
from warplens.analysis.models.prediction import Prediction
from warplens.server.render.amounts import plural
from warplens.server.render.card import Section
from warplens.server.render.launch_words import ALIKE, factor_text

MODELS = "Models"
MODEL_NAMES = {"resios": "Resios", "mwp_cwp": "MWP-CWP", "gpuperf": "GPUPerf", "haigh": "Haigh"}
"""Names as their papers have them, by those in reports and on the command line."""

_LEAST_SHARE = 0.005


def model_name(model: str) -> str:
    """A model's name for people."""
    return MODEL_NAMES.get(model, model)


def bound_share(prediction: Prediction) -> float | None:
    """Share of the time that goes to what bounds it; None where no part of the breakdown is named so."""
    part = dict(prediction.breakdown_s).get(prediction.bound_by)
    return None if part is None or prediction.time_s <= 0 else part / prediction.time_s


def bound_text(prediction: Prediction) -> str:
    """What bounds a kernel, with its share: "memory bandwidth, 81 % of the time"."""
    share = bound_share(prediction)
    if share is None or share < _LEAST_SHARE:
        return prediction.bound_by
    return f"{prediction.bound_by}, {percent_text(share)} of the time"


def error_of(kernel: KernelEvaluation) -> ModelError | None:
    """What was measured of the model whose time is shown, on kernels of this one's family."""
    return None if kernel.comparison is None else _error(kernel.comparison, kernel.prediction.model)


def within_text(error: ModelError) -> str:
    """How well a model did: "19 % off on average, within 1.25x on 9 of 10 of 412 measurements (GTX 980, K20)"."""
    gpus = f" ({', '.join(error.gpus)})" if error.gpus else ""
    measured = plural(error.measurements, "measurement")
    return f"{_average(error)}, within {factor_text(error.within)} on 9 of 10 of {measured}{gpus}"


def _average(error: ModelError) -> str:
    return f"{percent_text(error.mape)} off on average"


def models_section(kernel: KernelEvaluation | None) -> Section:
    """All models on the recommended launch; empty where they were not compared."""
    comparison = None if kernel is None else kernel.comparison
    if comparison is None or not comparison.predictions:
        return Section(MODELS)
    chosen, *others = comparison.predictions
    checked = {error.model: error for error in comparison.errors}
    head = ("model", "time", "vs chosen", "bound by", *(("mean error", "9 of 10 within") if checked else ()))
    rows = [_row(each, chosen, checked) for each in (chosen, *others)]
    items = (
        *((_spread_sentence(comparison),) if others else ()),
        *_mwp_cwp_sentences(comparison),
        *_check_sentences(comparison),
    )
    return Section(MODELS, items, (head, *rows))


def models_in_brief(kernel: KernelEvaluation | None) -> Section:
    """The other models' times without the table; which did best is said only where another one is shown."""
    comparison = None if kernel is None else kernel.comparison
    if comparison is None or not comparison.predictions:
        return Section(MODELS)
    chosen, *others = comparison.predictions
    spread = _spread_sentence(comparison).removeprefix("Spread: ")
    times = ", ".join(f"{model_name(each.model)} {time_text(each.time_s)}" for each in others)
    beside = (f"{times}, beside {model_name(chosen.model)} {time_text(chosen.time_s)}: {spread}",) if others else ()
    best, shown = _best(comparison), _error(comparison, chosen.model)
    if best is None or shown is None:
        checks = _check_sentences(comparison)
    elif best is shown:
        checks = ()
    else:
        alike = f"{_average(best)}, {model_name(shown.model)} {percent_text(shown.mape)}"
        checks = (f"{model_name(best.model)} did as well on such kernels: {alike}.",)
    return Section(MODELS, (*beside, *_mwp_cwp_sentences(comparison), *checks))


def _row(prediction: Prediction, chosen: Prediction, checked: dict[str, ModelError]) -> tuple[str, ...]:
    is_chosen, share = prediction is chosen, bound_share(prediction)
    comparable = prediction.time_s > 0 and chosen.time_s > 0
    ratio = factor_text(prediction.time_s / chosen.time_s) if comparable and not is_chosen else ""
    error = checked.get(prediction.model)
    within = (percent_text(error.mape), factor_text(error.within)) if error else ("not checked", "")
    return (
        f"{model_name(prediction.model)}{' (chosen)' if is_chosen else ''}",
        time_text(prediction.time_s),
        ratio,
        f"{prediction.bound_by}{f' ({percent_text(share)})' if share else ''}",
        *(within if checked else ()),
    )


def _spread_sentence(comparison: ModelComparison) -> str:
    spread = comparison.spread
    if spread < ALIKE:
        return "The models agree."
    return f"Spread: {factor_text(spread)} between the shortest and the longest prediction."


def _mwp_cwp_sentences(comparison: ModelComparison) -> tuple[str, ...]:
    named = any(prediction.model == "mwp_cwp" for prediction in comparison.predictions)
    return (mwp_cwp_sentence(comparison.mwp_cwp),) if named else ()


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
    """Which model did best on kernels like this one, and what the choice rests on where it is another."""
    best = _best(comparison)
    if best is None:
        return (f"None of them has been held against measurements of {comparison.family or 'such'} kernels.",)
    checked = f"Checked best {on_kernels(best)}: {model_name(best.model)}, {within_text(best)}."
    if best.model == comparison.predictions[0].model or not comparison.why_chosen:
        return (checked,)
    shown = _error(comparison, comparison.predictions[0].model)
    if shown is None:
        return checked, f"Chosen: {comparison.why_chosen.rstrip('.')}."
    too_close = f"{model_name(best.model)}'s {percent_text(best.mape)} is too close to tell apart"
    return (f"{model_name(shown.model)} is shown: {on_kernels(shown)} {within_text(shown)}; {too_close}.",)


def _best(comparison: ModelComparison) -> ModelError | None:
    """The error of the model that was closest to measurements of such kernels."""
    return min(comparison.errors, key=lambda error: (error.mape, error.within), default=None)


def on_kernels(error: ModelError) -> str:
    """What an error was measured on; one without a family is over all of them."""
    return f"on {error.family} kernels" if error.family else "over all kernels (too few like this one)"


def _error(comparison: ModelComparison, model: str) -> ModelError | None:
    return next((error for error in comparison.errors if error.model == model and error.measurements > 0), None)


def _warps(count: float) -> str:
    return f"{count:.2g} warp{'' if count == 1 else 's'}"
