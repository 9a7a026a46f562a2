"""The what-if's job for the analysis process, where a prediction holds up nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from warplens.server.worker.job import Job, NestAnswer


@dataclass(frozen=True, slots=True)
class WhatIfJob(Job[dict[str, Any]]):
    """One question; `text` is the file's as the nest's answer speaks of it, `changes` as the client sent them.

    `with_page`: also what the report's page draws of it. `reads_files`: a machine may be a profile's file, as the user
    of a command line can name one.
    """

    text: str
    nest: NestAnswer
    changes: object
    time_limit_s: float
    with_page: bool = False
    reads_files: bool = False

    @property
    def limit_s(self) -> float:
        """How long it may take."""
        return self.time_limit_s
