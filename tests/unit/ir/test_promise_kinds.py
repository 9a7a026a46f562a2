"""Every kind of promise: it is in the catalogue, what a comment says is read as it, and the user is told of it."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
from dataclasses import replace

import pytest
from warplens.analysis.ir import promises
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.promises.catalogue import ELEMENT_KINDS, KINDS, TABLE_KINDS, read_promise
from warplens.analysis.ir.promises.comment import can_be_stated
from warplens.analysis.ir.promises.in_force import PromisesInForce
from warplens.analysis.ir.promises.named import ElementPromise, NamedPromise, TablePromise
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.separate import Separate
from warplens.analysis.ir.promises.size_holds import SizeHolds
from warplens.analysis.ir.promises.unordered import Unordered
from warplens.analysis.ir.separation import Separation
from warplens.analysis.ir.size_relation import size_relation


def example(kind: type[Promise]) -> Promise:
    if issubclass(kind, NamedPromise):
        return kind("p->data[].at")
    if kind is SizeHolds:
        return SizeHolds(size_relation("n - 1 < p->ld"))
    return Unordered() if kind is Unordered else Separate(Separation(("a", "b", "c")))


def classes_of_files() -> set[type[Promise]]:
    names = [module.name for module in pkgutil.iter_modules(promises.__path__, f"{promises.__name__}.")]
    found = {one for name in names for one in vars(importlib.import_module(name)).values() if isinstance(one, type)}
    return {one for one in found if issubclass(one, Promise) and hasattr(one, "kind")}


def test_the_catalogue_has_every_kind_once() -> None:
    assert classes_of_files() == set(KINDS)
    assert len({kind.kind for kind in KINDS}) == len(KINDS)
    assert set(TABLE_KINDS) == {kind for kind in KINDS if issubclass(kind, TablePromise)}
    assert set(ELEMENT_KINDS) == {kind for kind in KINDS if issubclass(kind, ElementPromise)}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_comment_says_of_it_is_read_as_it(kind: type[Promise]) -> None:
    promise = example(kind)
    assert [other for other in KINDS if other.read(promise.text) is not None] == [kind]
    assert read_promise(f"  {promise.text.upper()} ") is not None
    assert read_promise(promise.text) == promise
    assert can_be_stated(promise)
    assert not can_be_stated(replace(promise, loop=NodeId(1)))
    assert read_promise(f"{promise.text} at times") is None
    assert pickle.loads(pickle.dumps(promise)) == promise


@pytest.mark.parametrize("kind", KINDS)
def test_the_user_is_told_of_it(kind: type[Promise]) -> None:
    promise = example(kind)
    for wording in kind.wordings():
        assert wording.sentence.format(promise.subject).endswith(": the comment in the source says so.")
        for count in (1, 2):
            assert ("`x`" in wording.clause_about("`x`", count)) == (kind is not Unordered)
        assert wording.noun
        assert wording.meaning
    assert promise.wording(()) in kind.wordings()
    assert promise.wording((promise.subject,)) in kind.wordings()
    assert kind.unused


def test_two_ways_to_write_a_relation_are_one_promise() -> None:
    assert SizeHolds(size_relation("2*n == k - 1")) == SizeHolds(size_relation("k == 2*n + 1"))
    assert SizeHolds(size_relation("n < m")) == SizeHolds(size_relation("m >= n + 1"))


def test_those_in_force_are_the_loops_own_and_those_of_every_loop() -> None:
    said = tuple(
        filter(None, map(read_promise, ("x is private", "y is private", "z is independent", "a and b do not overlap")))
    )
    one, other, everywhere, apart = said
    of_nest = (
        replace(one, loop=NodeId(1)),
        replace(other, loop=NodeId(2)),
        one,
        everywhere,
        replace(apart, loop=NodeId(1)),
    )
    found = PromisesInForce.of_loop(NodeId(1), of_nest)
    assert found.every == (one, everywhere, apart)
    assert found.names(type(one)) == {"x"}
    assert found.apart == {frozenset("ab")}
    assert found.is_output_ordered
    assert not PromisesInForce((*said, Unordered())).is_output_ordered
