"""Where bytes become objects: on the private pipe between our own two processes, and where a class must be known."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[2]
DANGEROUS = {
    "pickle.load", "pickle.loads", "pickle.Unpickler", "marshal.load", "marshal.loads", "shelve.open", "eval", "exec",
    "dill.loads", "joblib.load", "yaml.load", "os.system", "os.popen", "__import__", "runpy.run_path", "numpy.load",
    "np.load",
}  # fmt: skip
KNOWN = {
    ("server/worker/frames.py", "pickle.loads"),  # the pipe
    ("server/worker/sent_nests.py", "pickle.Unpickler"),  # the other way
    ("server/result_cache/known_values.py", "pickle.Unpickler"),  # its find_class takes our own dataclasses alone
}


def calls_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)
        elif isinstance(node, ast.ClassDef):
            yield from (ast.unparse(base) for base in node.bases)


def test_nothing_else_makes_objects_or_code_of_bytes() -> None:
    files = [path for folder in ("analysis", "hwprofiles", "server") for path in (PROJECT / folder).rglob("*.py")]
    assert len(files) > 400
    found = {(str(path.relative_to(PROJECT)), call) for path in files for call in calls_in(path) if call in DANGEROUS}
    assert found == KNOWN


def test_no_command_is_run_by_a_shell() -> None:
    for path in (PROJECT / "server").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "shell=True" not in text, path
