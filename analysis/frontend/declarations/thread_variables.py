"""Variables of which each thread has one of its own.

Source: OpenMP 5.2, 5.2 (threadprivate); ISO C17 6.2.4 paragraph 4 (`_Thread_local`).
"""

from __future__ import annotations

import re
from collections.abc import Collection

_THREADPRIVATE = re.compile(r'\s*(?:#\s*pragma\s|_Pragma\s*\(\s*")\s*omp\s+threadprivate\s*\(([^()]*)\)')


def thread_variables(pragma: str) -> tuple[str, ...]:
    """What a pragma makes a variable of each thread; empty for any other pragma.

    >>> thread_variables("#pragma omp threadprivate(seed, count)"), thread_variables("#pragma omp parallel")
    (('seed', 'count'), ())
    """
    found = _THREADPRIVATE.match(pragma)
    return () if found is None else tuple(name.strip() for name in found[1].split(",") if name.strip())


def is_of_thread(storage: Collection[str] | None) -> bool:
    """Whether storage classes say that each thread has one."""
    return not {"_Thread_local", "thread_local"}.isdisjoint(storage or ())
