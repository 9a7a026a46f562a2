"""C texts as the files of a program."""

from collections.abc import Mapping

from support.compiler_output import compiler_output
from warplens.analysis.engine.memo import Memo
from warplens.analysis.program.definitions import link_definitions
from warplens.analysis.program.file_definitions import file_definitions
from warplens.analysis.program.program import Program
from warplens.analysis.program.sizes.linked_sizes import LinkedSizes


def program_of(files: Mapping[str, str]) -> Program:
    """The texts by their files' names, their functions linked; of sizes they say nothing to each other."""
    found = (file_definitions(compiler_output(name, text), Memo()) for name, text in files.items())
    return Program(LinkedSizes.of(()), definitions=link_definitions(found))
