"""How a time on another GPU came about is said for every way that it can."""

import pytest
from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.error_band import ErrorBand
from warplens.analysis.counters.hardware import Similarity, Transfer, Verdict
from warplens.analysis.engine.transferred_model import TransferredModel
from warplens.server.measure.counters.transfer_words import transfer_items

BAND = ErrorBand(-0.1, 0.1, 5)


def words(matmul: StudiedKernel, verdict: Verdict, transfer: Transfer | None) -> str:
    assert matmul.fit.model is not None
    alike = Similarity(0.41, ("a", "b", "c"), verdict)
    return " ".join(transfer_items(matmul, "H100", TransferredModel(matmul.fit.model, alike, transfer, {})))


@pytest.mark.parametrize(
    ("verdict", "runs", "band", "said"),
    [
        ("untested", 0, None, "Nothing was run on H100: times are those on Tesla K20c times 0.25"),
        ("untested", 3, None, "too few, or have too few counters, to test"),
        ("untested", 3, None, "Fewer than 5 runs say nothing of how far off it is."),
        ("untested", 6, BAND, "the median ratio of 6 runs."),
        ("transfer", 30, BAND, "ranked alike on Tesla K20c and H100 (rank correlation 0.41 over 3 quantities)"),
        ("mix", 30, BAND, "there is no profile to mix the runs of both by"),
    ],
)
def test_a_ratio(matmul: StudiedKernel, verdict: Verdict, runs: int, band: ErrorBand | None, said: str) -> None:
    transfer = Transfer("h100", -2.0, runs, band)
    assert said in words(matmul, verdict, transfer)


def test_a_mixture(matmul: StudiedKernel) -> None:
    assert "the model is one of the runs on both" in words(matmul, "mix", None)
