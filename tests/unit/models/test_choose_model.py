from dataclasses import replace

import pytest
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.choice.choose_model import LEAST_MEASUREMENTS, UNMEASURED_MODEL, choose_model

_RESIOS = ModelError("resios", "stencil", 0.95, 0.7, 1.4, 0.2, 60, ("Tesla K20c",))
_HAIGH = ModelError("haigh", "stencil", 0.95, 0.8, 1.2, 0.1, 60, ("Tesla K20c",))


def test_the_model_with_the_least_error_is_chosen_whatever_the_order() -> None:
    for errors in ((_RESIOS, _HAIGH), (_HAIGH, _RESIOS)):
        choice = choose_model("stencil", errors)
        assert choice.model == "haigh"
        assert choice.errors == (_HAIGH, _RESIOS)
        assert choice.why == (
            "closest to 60 measurements of kernels of this family (stencil) on Tesla K20c: 10% off on average, "
            "the next 20%"
        )


def test_an_error_that_is_larger_by_less_than_measurements_repeat_does_not_lose() -> None:
    choice = choose_model("stencil", (replace(_HAIGH, mape=0.19), _RESIOS))
    assert choice.model == "resios"
    assert choice.why.startswith("as close as any to 60 measurements")
    assert choose_model("stencil", (replace(_HAIGH, mape=0.18), _RESIOS)).model == "haigh"


def test_the_band_of_the_worst_kernels_does_not_decide() -> None:
    assert choose_model("stencil", (replace(_HAIGH, mape=0.3, low=0.9, high=1.1), _RESIOS)).model == "resios"


def test_errors_of_another_family_say_nothing() -> None:
    everywhere = replace(_RESIOS, family="")
    assert choose_model("streaming", (_HAIGH, everywhere)).model == "resios"


def test_a_handful_of_measurements_does_not_decide() -> None:
    few = replace(_HAIGH, measurements=LEAST_MEASUREMENTS - 1)
    everywhere = replace(_RESIOS, family="")
    assert choose_model("stencil", (few, everywhere)).model == "resios"
    assert choose_model("stencil", (replace(few, measurements=LEAST_MEASUREMENTS), everywhere)).model == "haigh"


@pytest.mark.parametrize("errors", [(), (_HAIGH,)])
def test_without_measurements_the_reason_says_so(errors: tuple[ModelError, ...]) -> None:
    choice = choose_model("gathered", errors)
    assert choice.model == UNMEASURED_MODEL
    assert choice.errors == ()
    assert "no measurement" in choice.why
