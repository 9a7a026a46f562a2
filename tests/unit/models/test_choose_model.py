from dataclasses import replace

import pytest
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.choice.choose_model import LEAST_PAIRS, UNMEASURED_MODEL, choose_model

_RESIOS = ModelError("resios", "stencil", 0.95, 0.7, 1.4, 0.2, 1.2, 9, 60, ("Tesla K20c",))
_HAIGH = ModelError("haigh", "stencil", 0.95, 0.8, 1.2, 0.1, 1.1, 9, 60, ("Tesla K20c",))


def test_the_model_with_the_least_error_is_chosen_whatever_the_order() -> None:
    for errors in ((_RESIOS, _HAIGH), (_HAIGH, _RESIOS)):
        choice = choose_model("stencil", errors)
        assert choice.model == "haigh"
        assert choice.errors == (_HAIGH, _RESIOS)
        assert choice.why == (
            "closest to measurements of 9 kernels of this family (stencil) on Tesla K20c: off by a factor of 1.10, "
            "the next by 1.20"
        )


def test_an_error_that_is_larger_by_less_than_measurements_repeat_does_not_lose() -> None:
    choice = choose_model("stencil", (replace(_HAIGH, typical=1.19), _RESIOS))
    assert choice.model == "resios"
    assert choice.why.startswith("as close as any to measurements of 9 kernels")
    assert choose_model("stencil", (replace(_HAIGH, typical=1.17), _RESIOS)).model == "haigh"


def test_neither_the_band_nor_the_mean_of_a_few_far_off_decides() -> None:
    tight = replace(_HAIGH, typical=1.3, low=0.9, high=1.1)
    assert choose_model("stencil", (tight, _RESIOS)).model == "resios"
    assert choose_model("stencil", (tight, replace(_RESIOS, mape=4.0))).model == "resios"


def test_errors_of_another_family_say_nothing() -> None:
    everywhere = replace(_RESIOS, family="")
    assert choose_model("streaming", (_HAIGH, everywhere)).model == "resios"


def test_a_handful_of_measurements_does_not_decide() -> None:
    few = replace(_HAIGH, pairs=LEAST_PAIRS - 1)
    everywhere = replace(_RESIOS, family="")
    assert choose_model("stencil", (few, everywhere)).model == "resios"
    assert choose_model("stencil", (replace(few, pairs=LEAST_PAIRS), everywhere)).model == "haigh"


@pytest.mark.parametrize("errors", [(), (_HAIGH,)])
def test_without_measurements_the_reason_says_so(errors: tuple[ModelError, ...]) -> None:
    choice = choose_model("gathered", errors)
    assert choice.model == UNMEASURED_MODEL
    assert choice.errors == ()
    assert "no measurement" in choice.why
