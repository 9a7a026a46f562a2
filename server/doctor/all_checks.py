"""Everything that is looked at, in the order in which it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from warplens.server.doctor.check import Check
from warplens.server.doctor.compiler import compiler_checks
from warplens.server.doctor.environment import environment_checks
from warplens.server.doctor.folder import folder_checks
from warplens.server.doctor.installation import installation_checks
from warplens.server.doctor.kept_results import kept_results_check
from warplens.server.doctor.round_trip import round_trip_check


def all_checks(folder: Path) -> Iterator[Check]:
    """What was found, each once it is known, for somebody who works in that folder."""
    yield from installation_checks()
    yield from compiler_checks(folder)
    yield from environment_checks()
    yield kept_results_check()
    yield from folder_checks(folder)
    yield round_trip_check()
