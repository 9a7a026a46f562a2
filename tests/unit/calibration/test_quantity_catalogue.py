"""The catalogue of quantities, out of the headers of the real files and of wrong ones."""

from __future__ import annotations

from importlib.resources import files

import pytest
from warplens.hwprofiles.calibrate.fits.plateau import plateau
from warplens.hwprofiles.calibrate.quantity import Quantity, QuantityError, catalogue

GOOD = "// Quantity: l2.latency\n// Keys: l2.latency_cycles\n"


def test_the_real_files_are_read() -> None:
    root = files("warplens.hwprofiles").joinpath("calibrate", "gpu")
    sources = {
        f"{folder.name}/{file.name}": file.read_text(encoding="utf-8")
        for folder in root.iterdir() if folder.is_dir()
        for file in folder.iterdir() if file.name.endswith(".cu")
    }  # fmt: skip
    found = {quantity.name: quantity.keys for quantity in catalogue(sources)}
    assert len(found) == len(sources) > 20
    assert "device.sm_count" in found["device.properties"]
    assert found["atomics.spread"] == ()


def test_a_header_is_read() -> None:
    assert catalogue({"a.cu": GOOD}) == (Quantity("l2.latency", ("l2.latency_cycles",)),)


@pytest.mark.parametrize(
    ("text", "place"),
    [("", "a.cu:1"), ("// Quantity: l2\n// Keys:\n", "a.cu:1"), ("// Quantity: l2.a\n", "a.cu:2"),
     ("// Quantity: l2.a\n// Keys: l2.nothing\n", "a.cu:2")],
)  # fmt: skip
def test_a_wrong_header_says_where(text: str, place: str) -> None:
    with pytest.raises(QuantityError, match=place):
        catalogue({"a.cu": text})


def test_a_quantity_given_twice_names_both() -> None:
    with pytest.raises(QuantityError, match=r"b\.cu:1: l2\.latency is also in a\.cu"):
        catalogue({"a.cu": GOOD, "b.cu": GOOD})


def test_a_plateau_of_points_out_of_order_starts_at_the_fewest_warps() -> None:
    found = plateau((16, 1, 8, 4, 2), (64.0, 8.0, 62.0, 32.0, 16.0))  # synthetic
    assert (found.rate, found.warps_to_peak) == (64.0, 8.0)
    assert found.residual.largest == pytest.approx(2 / 62)


def test_one_point_is_no_plateau() -> None:
    with pytest.raises(ValueError, match="two"):
        plateau((4,), (8.0,))
