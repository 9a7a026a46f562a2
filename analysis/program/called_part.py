"""The part of a file that a call of one of its functions may lead to."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.program.file_definitions import FileDefinitions, ProgramDeclaration


@dataclass(frozen=True, eq=False, slots=True)
class CalledPart:
    """`members` are the declarations in source order, `characters` the length of the functions among them.

    `declared` are functions that they declare and do not define, `calls` those that they call and the file does not
    even declare. `own_objects` are variables that no other file can name: each file has one of its own. `type_names`
    are names that they make types.
    """

    members: tuple[ProgramDeclaration, ...]
    characters: int
    declared: tuple[str, ...]
    calls: tuple[str, ...]
    own_objects: tuple[str, ...]
    type_names: frozenset[str]


def called_part(file: FileDefinitions, function: str) -> CalledPart:
    """All declarations of the file that a function of it leads to, its own among them."""
    declarations, by_name = file.declarations, file.by_name
    reached: set[int] = set()
    todo = [function]
    asked = {function}
    while todo:
        for position in by_name.get(todo.pop(), ()):
            if position in reached:
                continue
            reached.add(position)
            one = declarations[position]
            new = [name for name in (*one.needs, *one.declaration.names) if name not in asked]
            asked.update(new)
            todo += new
    members = tuple(declarations[position] for position in sorted(reached))
    definitions = [one.declaration.definition for one in members if one.declaration.definition is not None]
    defined = frozenset(definition.name for definition in definitions)
    kinds = [(one, *each) for one in members for each in zip(one.declaration.names, one.kinds, strict=True)]
    return CalledPart(
        members,
        sum(len(definition.text) for definition in definitions),
        tuple(dict.fromkeys(name for _, name, kind in kinds if kind == "function" and name not in defined)),
        tuple(sorted(frozenset(name for one in members for name in one.calls))),
        tuple(name for one, name, kind in kinds if kind == "variable" and one.has_state),
        frozenset(name for one in members for name in one.declaration.type_names),
    )
