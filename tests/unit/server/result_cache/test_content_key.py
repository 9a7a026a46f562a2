"""Keys: the same in every process for the same content, different for any difference."""

import os
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction

import pytest
from warplens.hwprofiles.loader import cpu_names, gpu_names, load_cpu, load_gpu
from warplens.server.result_cache.content_key import content_key


@dataclass(frozen=True, slots=True)
class One:
    a: object
    b: object = None


@dataclass(frozen=True)
class Single:
    a: object


@dataclass(frozen=True)
class Nothing:
    pass


DIFFERENT = [
    Single("a"),
    Single(("a",)),
    Nothing(),
    One("a", "b"),
    One("ab", ""),
    One(("a", "b")),
    One("a"),
    One(1),
    One(1.0),
    One(True),
    One("1"),
    One(b"1"),
    One(None),
    One("None"),
    One(Fraction(1, 2)),
    One(0.5),
    One(frozenset({"a", "b"})),
    One(frozenset({"a"})),
    One({"a": 1}),
    One({"a": 2}),
    One({"b": 1}),
    One(()),
    One(((),)),
    "ab",
    ("a", "b"),
    "",
]


def test_no_two_of_these_have_one_key() -> None:
    assert len({content_key(value) for value in DIFFERENT}) == len(DIFFERENT)
    assert content_key("a", "b") != content_key("ab")


def test_sets_and_mappings_have_no_order() -> None:
    names = [f"name{n}" for n in range(50)]
    assert content_key(frozenset(names)) == content_key(frozenset(reversed(names)))
    assert content_key(dict.fromkeys(names, 1)) == content_key(dict.fromkeys(reversed(names), 1))


def test_the_key_is_the_same_in_another_process() -> None:
    program = (
        "from warplens.server.result_cache.content_key import content_key as k;"
        "print(k(frozenset('abcdefgh'), {'x': 1, 'y': (2, 0.5)}))"
    )
    keys = {
        subprocess.run(
            (sys.executable, "-c", program),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert keys == {f"{content_key(frozenset('abcdefgh'), {'x': 1, 'y': (2, 0.5)})}\n"}


def test_what_can_not_be_told_apart_has_no_key() -> None:
    with pytest.raises(TypeError, match="object has no place"):
        content_key(One(object()))


def test_each_profile_has_a_key_of_its_own() -> None:
    machines = [*map(load_gpu, gpu_names()), *map(load_cpu, cpu_names())]
    assert len({content_key(machine) for machine in machines}) == len(machines)
