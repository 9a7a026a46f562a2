"""Loops that wait for somebody else: nothing that they do changes what their condition reads.

Such a loop has no iterations to share out: it runs never, or until another thread, a signal or a device ends it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast
from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.frontend.effects.call_effects import EffectsOfCalls
from warplens.analysis.frontend.effects.writes import Writes, has_effect
from warplens.analysis.frontend.forms.loop_form import LoopForm
from warplens.analysis.frontend.syntax.syntax_index import nodes_of

_PAUSES = frozenset(
    ("asm", "_mm_pause", "__builtin_ia32_pause", "cpu_relax", "sched_yield", "thrd_yield", "pthread_yield", "sleep",
     "usleep", "nanosleep", "_mm_mfence", "_mm_lfence", "__sync_synchronize", "__atomic_thread_fence",
     "atomic_thread_fence", "atomic_signal_fence")
)  # fmt: skip
"""What passes the time, or only orders accesses."""
_ATOMIC = ("__sync_", "__atomic_", "atomic_")
_LEAVING = (c_ast.Break, c_ast.Return, c_ast.Goto)


def waits(form: LoopForm, writes: Writes, calls: EffectsOfCalls) -> bool:
    """Whether a loop without a count only waits; `writes` is what its body may write."""
    if not form.tests or form.test_step is not None or writes.memory or writes.targets:
        return False
    if any(map(has_effect, form.tests)):
        return False
    tests, body = _nodes(form.tests), _nodes((*form.body, *form.after))
    names = {node.name for node in tests if isinstance(node, c_ast.ID)}
    if not names.isdisjoint(writes.scalars) or any(isinstance(node, _LEAVING) for node in body):
        return False
    called = [_called(node) for node in tests if isinstance(node, c_ast.FuncCall)]
    inside = [_called(node) for node in body if isinstance(node, c_ast.FuncCall)]
    return all(name.startswith(_ATOMIC) or _only_reads(name, calls) for name in called) and all(
        name in _PAUSES or _only_reads(name, calls) for name in inside
    )


def _only_reads(name: str, calls: EffectsOfCalls) -> bool:
    """Whether a function is known to change no memory that a condition could read but what `writes` has."""
    effects = calls.of(name) if name else None
    if effects is not None:
        is_written = effects.written or effects.written_deeply or effects.globals_written
        return not effects.unknown and not is_written
    known = library_call(name)
    return math_function(name) is not None or (known is not None and not known.unknown)


def _called(node: c_ast.FuncCall) -> str:
    return str(node.name.name) if isinstance(node.name, c_ast.ID) else ""


def _nodes(items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
    return [node for item in items for node in nodes_of(item)]
