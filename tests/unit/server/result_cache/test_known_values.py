"""A result's file runs no code, whoever wrote it."""

import hashlib
import os
import pickle
import zlib
from fractions import Fraction
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
