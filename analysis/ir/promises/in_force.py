"""The promises that hold for the iterations of one loop, as its analysis asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.promises.named import NamedPromise
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.separate import Separate
from warplens.analysis.ir.promises.unordered import Unordered


@dataclass(frozen=True, slots=True)
class PromisesInForce:
    """All that is promised of one loop; what is not promised may be otherwise."""

    every: tuple[Promise, ...] = ()

    @staticmethod
    def of_loop(loop: NodeId, promises: Iterable[Promise]) -> PromisesInForce:
        """Those of a nest that hold for the iterations of one of its loops, without its id."""
        return PromisesInForce(tuple(dict.fromkeys(replace(p, loop=None) for p in promises if p.loop in {None, loop})))

    def names(self, kind: type[NamedPromise]) -> frozenset[str]:
        """Names of which a promise of a kind is made."""
        return frozenset(promise.name for promise in self.every if isinstance(promise, kind))

    @property
    def separations(self) -> tuple[Separate, ...]:
        """What is promised of names that lead to memory apart."""
        return tuple(promise for promise in self.every if isinstance(promise, Separate))

    @property
    def apart(self) -> frozenset[frozenset[str]]:
        """Pairs of names that don't overlap."""
        return frozenset(pair for one in self.separations for pair in one.pairs)

    @property
    def is_output_ordered(self) -> bool:
        """Whether the order matters in which the loop prints."""
        return not any(isinstance(promise, Unordered) for promise in self.every)
