"""A result's file runs no code, whoever wrote it."""

import contextlib
import dataclasses
import hashlib
import os
import pickle
import zlib
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest
from warplens.analysis.engine.report import Recomputed
from warplens.server.result_cache.known_values import UnknownValueError, read_known
from warplens.server.result_cache.result_file import DamagedResultError, decoded


class Command:
    def __init__(self, call: object, *arguments: object) -> None:
        self._reduced = (call, arguments)

    def __reduce__(self) -> object:
        return self._reduced


@pytest.mark.parametrize("value", [Recomputed(1, 2, 3), (Fraction(1, 3), frozenset({"a"}), 2.5, b"x", None)])
def test_values_of_results_are_read(value: object) -> None:
    assert read_known(pickle.dumps(value)) == value


def built(module: str, name: str, state: bytes, *, is_called_with: bytes = b"") -> bytes:
    """A pickle that finds something, calls it where there are arguments, and sets attributes of what that gave."""
    return b"\x80\x04c" + f"{module}\n{name}\n".encode() + is_called_with + state + b"b."


OF_SLOTS = b"N}\x8c\x07__mul__cwarplens.hwprofiles.loader\nload_gpu\ns\x86"
OF_ATTRIBUTES = b"}\x8c\x07__mul__I1\ns"


@pytest.mark.parametrize("state", [OF_SLOTS, OF_ATTRIBUTES], ids=["slots", "attributes"])
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("fractions", "Fraction"),
        ("warplens.hwprofiles.loader", "load_gpu"),
        ("warplens.analysis.engine.report", "Recomputed"),
        ("warplens.analysis.gpu.machine.gpu", "Gpu"),
        ("warplens.analysis.models.results.evaluation", "NestEvaluation"),
    ],
)
def test_no_pickle_changes_what_others_use(module: str, name: str, state: bytes) -> None:
    found = getattr(import_module(module), name)
    before = dict(vars(found))
    with contextlib.suppress(UnknownValueError):
        read_known(built(module, name, state))
    assert dict(vars(found)) == before
    assert Fraction(2, 3) * 3 == 2


@pytest.mark.parametrize(("load", "name"), [("load_gpu", "a100"), ("load_cpu", "server")])
def test_no_pickle_changes_a_profile_that_others_use(load: str, name: str) -> None:
    profile = getattr(import_module("warplens.hwprofiles.loader"), load)(name)
    before = [getattr(profile, field.name) for field in dataclasses.fields(profile)]
    argument = b"\x8c" + bytes([len(name)]) + name.encode() + b"\x85R"
    for state in (pickle.dumps([1] * len(before), 2)[2:-1], pickle.dumps({"name": 1}, 2)[2:-1]):
        with pytest.raises(UnknownValueError):
            read_known(built("warplens.hwprofiles.loader", load, state, is_called_with=argument))
    after = [getattr(profile, field.name) for field in dataclasses.fields(profile)]
    assert all(one is other for one, other in zip(before, after, strict=True))
    assert read_known(b"\x80\x04c" + f"warplens.hwprofiles.loader\n{load}\n".encode() + argument + b".") is profile


def attacks(mark: Path) -> list[object]:
    return [
        Command(os.system, f"touch {mark}"),
        Command(eval, f"open({str(mark)!r}, 'w')"),
        Command(getattr, Recomputed, "__init__"),
        Command(__import__, "os"),
        Command(mark.touch),
        [Recomputed(1, 2, 3), Command(exec, f"open({str(mark)!r}, 'w')")],
    ]


@pytest.mark.parametrize("number", range(6))
def test_anything_else_is_refused_and_not_run(number: int, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    content = pickle.dumps(attacks(mark)[number])
    with pytest.raises(UnknownValueError):
        read_known(content)
    packed = zlib.compress(content)
    with pytest.raises(DamagedResultError):
        decoded(hashlib.sha256(packed).digest() + packed, Recomputed)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("warplens.server.files.atomic_file", "replace_file"),
        ("warplens.server.files.atomic_file", "os.remove"),
        ("warplens.server.worker.process", "subprocess"),
        ("warplens.server.worker.process", "AnalysisProcess"),
        ("warplens.server.cli.main", "main"),
        ("builtins", "eval"),
    ],
)
def test_our_own_functions_are_no_values(module: str, name: str) -> None:
    with pytest.raises(UnknownValueError):
        read_known(b"\x80\x04c" + f"{module}\n{name}\n".encode() + b".")


@pytest.mark.parametrize("content", [b"", b"junk", pickle.dumps((1, 2))[:-3]])
def test_what_is_no_pickle_is_refused(content: bytes) -> None:
    with pytest.raises(UnknownValueError):
        read_known(content)


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warplens.server.result_cache.result_file.MAX_RESULT_BYTES", 1000)
    packed = zlib.compress(pickle.dumps("x" * 100_000))
    with pytest.raises(DamagedResultError, match="too large"):
        decoded(hashlib.sha256(packed).digest() + packed, str)
