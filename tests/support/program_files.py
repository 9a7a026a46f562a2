"""C texts as the files of a program."""

import subprocess
from collections.abc import Mapping
from functools import cache

from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.program.definitions import link_definitions
from warplens.analysis.program.file_definitions import file_definitions
from warplens.analysis.program.program import Program
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes


@cache
def preprocessed(name: str, source: str) -> Preprocessed:
    """What the system's compiler makes of a text.

    What it says against the text is left out: half-typed text has an output too.
    """
    command = ["cc", "-E", "-x", "c", "-std=gnu11", "-fopenmp", "-w", "-"]
    run = subprocess.run(command, input=f'# 1 "{name}"\n{source}', capture_output=True, text=True, check=False)
    return Preprocessed(run.stdout, name)


def program_of(files: Mapping[str, str]) -> Program:
    """The texts by their files' names, their functions linked; of sizes they say nothing to each other."""
    found = (file_definitions(preprocessed(name, text), Memo()) for name, text in files.items())
    return Program(LinkedSizes.of(()), definitions=link_definitions(found))
