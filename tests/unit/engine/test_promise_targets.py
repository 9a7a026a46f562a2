"""What a nest has that a promise could be of is asked of each kind of promise."""

from __future__ import annotations

import pytest
from warplens.analysis.engine.promise_targets import is_about
from warplens.analysis.ir.promises.catalogue import KINDS
from warplens.analysis.ir.promises.promise import Promise


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_known_for_each_kind(kind: type[Promise]) -> None:
    assert is_about.dispatch(kind) is not is_about.dispatch(Promise)
