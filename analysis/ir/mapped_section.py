"""What a clause of a directive copies between host and device: `map(to: x[0:n])`, `copyout(y)`."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class MappedSection:
    """A section of one dimension, in elements, or a whole array (`is_whole`); `text` is the item in the clause.

    `construct` is the directive that says it, without its clauses.
    `goes_in` says that the device begins with the host's values, `comes_back` that the host gets the device's. There
    are `length / divisor` elements from `start` on, rounded towards zero; both are None where that is not followed.
    """

    array: str
    construct: str
    text: str
    goes_in: bool
    comes_back: bool
    is_whole: bool = False
    start: Polynomial | None = None
    length: Polynomial | None = None
    divisor: int = 1
