"""What the user may choose: one frozen value, read at request time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.advice.noise_levels import Noise
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.ir.ids import LoopId
from warplens.analysis.measured.line_counts import FileCounts


@dataclass(frozen=True, slots=True)
class SizeChoice:
    """A value for a parameter, and who said so; `function` empty: everywhere."""

    name: str
    value: int
    origin: Literal["setting", "file"]
    function: str = ""


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """Everything besides the sources, the GPU and the CPU that a report depends on."""

    default_size: int = 1024
    sizes: tuple[SizeChoice, ...] = ()
    disabled_rules: frozenset[str] = frozenset()
    noise: Noise = "all"
    worthwhile_s: float = 0.0
    """Below "all", nests that need less than this on one core, at sizes that are known, are not spoken of."""
    skipped: frozenset[LoopId] = frozenset()
    """Nests that are not analysed because an earlier attempt did not end within its limit."""
    counts: FileCounts | None = None
    """What a real run counted in this file, as it was then."""
    arguments: tuple[str, ...] | None = None
    """Arguments with which the program is said to be called, without its own name; None where nobody said."""
    model_errors: tuple[ModelError, ...] = ()
    """How far the models were from measured times: they decide which one is shown."""
