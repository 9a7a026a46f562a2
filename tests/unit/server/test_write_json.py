"""The JSON report as it is written: whole for a reader, and no nest held once it is out."""

from __future__ import annotations

import gc
import io
import json
import weakref
from collections.abc import Iterator

import pytest
from warplens.server.cli.write_json import JsonReport
from warplens.server.json.version import JSON_VERSION


class Nest(dict[str, object]):
    """A dictionary that can be asked whether it is still there."""


@pytest.mark.parametrize(
    "files",
    [
        [],
        [{"path": "a.c", "failure": 'no "file"\n'}],
        [{"path": "a.c", "nests": [], "opaque": []}],
        [{"path": "a.c", "nests": [{"line": 1}, {"line": 2, "loops": [{"é": None}]}], "opaque": [1]}, {"path": "b.c"}],
    ],
)
def test_what_is_written_is_one_object(files: list[dict[str, object]]) -> None:
    out = io.StringIO()
    report = JsonReport(out)
    for file in files:
        report.add({name: iter(value) if isinstance(value, list) else value for name, value in file.items()})
    report.end()
    assert json.loads(out.getvalue()) == {"version": JSON_VERSION, "files": files}
    assert out.getvalue().endswith("}\n")


def test_a_nest_that_is_written_is_let_go() -> None:
    gc.freeze()  # what is there already is no garbage
    made: list[weakref.ref[Nest]] = []

    def nests() -> Iterator[Nest]:
        for line in range(20):
            gc.collect()
            assert sum(nest() is not None for nest in made) <= 1
            nest = Nest(line=line)
            made.append(weakref.ref(nest))
            yield nest
            del nest

    report = JsonReport(io.StringIO())
    report.add({"nests": nests()})
    report.end()
    assert len(made) == 20
