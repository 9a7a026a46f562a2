"""How a time on another GPU came about, in sentences."""

from __future__ import annotations

from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.hardware import FEWEST_FOR_BAND
from warplens.analysis.engine.transferred_model import TransferredModel


def transfer_items(kernel: StudiedKernel, target: str, moved: TransferredModel) -> tuple[str, ...]:
    """The similarity test's verdict, and what was made of it."""
    alike, transfer = moved.similarity, moved.transfer
    tested = f"rank correlation {alike.tau:.2f} over {len(alike.shared)} quantities"
    if transfer is None:
        mixed = (
            f"What matters is ranked differently on {kernel.gpu} and {target} ({tested}): the model is one of the runs "
            "on both, with the important counters of both and what the GPUs are like."
        )
        return (mixed,)
    factor = 2**transfer.log_ratio
    if not transfer.calibration_runs:
        is_bandwidth = transfer.ratio_of == "bandwidth of device memory"
        why = f", which is what holds it back on {kernel.gpu}" if is_bandwidth else ""
        untested = (
            f"Nothing was run on {target}: times are those on {kernel.gpu} times {factor:.3g}, the ratio of "
            f"{transfer.ratio_of}{why}. How far off that is was not tested. Five runs there with their counters "
            "(--runs) make this a measurement."
        )
        return (untested,)
    verdict = {
        "transfer": f"What matters is ranked alike on {kernel.gpu} and {target} ({tested}).",
        "mix": f"What matters is ranked differently on {kernel.gpu} and {target} ({tested}), and there is no profile "
        "to mix the runs of both by.",
    }.get(alike.verdict, "The runs are too few, or have too few counters, to test whether the same things matter.")
    made = f"Times are those on {kernel.gpu} times {factor:.3g}, the median ratio of {transfer.calibration_runs} runs."
    few = transfer.calibration_runs < FEWEST_FOR_BAND
    return (verdict, made, *([f"Fewer than {FEWEST_FOR_BAND} runs say nothing of how far off it is."] if few else []))
