"""The bytes of a value taken for one of another type: a call of a name that C can't have.

`bits'(v)` is what the bytes of `v` are as the call's type, `bits'(v, x)` is `x` with its first bytes replaced by `v`.
"""

from __future__ import annotations

from warplens.analysis.ir.symbol import added

BITS = added("bits")
