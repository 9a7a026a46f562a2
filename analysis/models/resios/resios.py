"""Resios' model end to end: what one launch of a kernel takes on a GPU."""

from __future__ import annotations

from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.resios.kernel_time import predict_kernel
from warplens.analysis.models.results.prediction import Prediction


def predict(sized: SizedKernel, launch: LaunchConfig, gpu: Gpu) -> Prediction:
    """Time of one launch of a kernel, what bounds it and where its idle time comes from.

    Units: seconds, launch overhead and transfers not included. A launch without threads takes 0. Where the
    block does not fit on an SM (occupancy 0) the time is that of one block at a time.
    Source: Resios chapters 4 and 5; see `predict_kernel` for the equation and what is not modelled.
    """
    return predict_kernel(kernel_on_gpu(sized, launch, gpu))
