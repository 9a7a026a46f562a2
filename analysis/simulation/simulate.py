"""The simulation's entry: the policy decides which of the two formulations runs."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.simulation.event_loop import simulate_events
from warplens.analysis.simulation.machine import Machine
from warplens.analysis.simulation.operation import Trace
from warplens.analysis.simulation.pipelines import simulate_in_turn
from warplens.analysis.simulation.result import SimulationResult, View


def simulate(trace: Trace, machine: Machine, views: Sequence[View] = ()) -> SimulationResult:
    """Time of a trace on one SM (Resios algorithm 5.1).

    Policy "in turn" runs the pipelines (pipelines.py: what predictions use, fast, and never slower on a better
    machine); the others run algorithm 5.1 with its division by TLP (event_loop.py).
    Units: cycles. An empty trace or grid takes 0.
    """
    if not trace.operations or trace.blocks_per_sm <= 0:
        return SimulationResult(0.0, 0.0, 0)
    if machine.policy == "in turn":
        return simulate_in_turn(trace, machine, views)
    return simulate_events(trace, machine, views)
