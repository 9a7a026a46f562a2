"""The part of a file that a call of one of its functions may lead to."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

from warplens.analysis.frontend.declarations.declared_names import IDENTIFIER
from warplens.analysis.frontend.syntax.memo import Memo
from warplens.analysis.program.file_definitions import FileDefinitions, ProgramDeclaration
from warplens.analysis.program.renamed import renamed


@dataclass(frozen=True, eq=False, slots=True)
class CalledPart:
    """`members` are the declarations in source order, `characters` the length of the functions among them.

    `declared` are functions that they declare and do not define, `calls` those that they call and the file does not
    even declare. `own_objects` are variables that no other file can name: each file has one of its own. `type_names`
    are names that they make types. `cut_off` are functions of the file whose bodies were left out, as too far away.
    """

    members: tuple[ProgramDeclaration, ...]
    characters: int
    declared: tuple[str, ...]
    calls: tuple[str, ...]
    own_objects: tuple[str, ...]
    type_names: frozenset[str]
    cut_off: tuple[str, ...] = ()


def called_part(file: FileDefinitions, function: str, most_characters: int | None = None) -> CalledPart:
    """All declarations of the file that a function of it leads to, its own among them.

    Bodies of other functions are taken in by how many calls lead to them, up to so many characters in all.
    """
    declarations, by_name = file.declarations, file.by_name
    reached: dict[int, ProgramDeclaration] = {}
    left = most_characters
    todo = deque([function])
    asked = {function}
    cut_off: list[str] = []
    while todo:
        for position in by_name.get(todo.popleft(), ()):
            if position in reached:
                continue
            one = declarations[position]
            definition = one.declaration.definition
            if definition is not None and left is not None:
                if len(definition.text) > left and definition.name != function:
                    one = _without_body(one)
                    cut_off.append(definition.name)
                else:
                    left -= len(definition.text)
            reached[position] = one
            new = [name for name in (*one.needs, *one.declaration.names) if name not in asked]
            asked.update(new)
            todo += new
    members = tuple(reached[position] for position in sorted(reached))
    definitions = [one.declaration.definition for one in members if one.declaration.definition is not None]
    defined = frozenset(definition.name for definition in definitions)
    kinds = [(one, *each) for one in members for each in zip(one.declaration.names, one.kinds, strict=True)]
    return CalledPart(
        members,
        sum(len(definition.text) for definition in definitions),
        tuple(dict.fromkeys(n for _, n, kind in kinds if kind == "function" and n not in defined and n not in cut_off)),
        tuple(sorted(frozenset(name for one in members for name in one.calls))),
        tuple(name for one, name, kind in kinds if kind == "variable" and one.has_state),
        frozenset(name for one in members for name in one.declaration.type_names),
        tuple(cut_off),
    )


def with_names(part: CalledPart, names: Mapping[str, str], memo: Memo) -> CalledPart:
    """The part with other names for some functions and variables, the same one for the same part and names."""
    key = tuple(sorted(names.items()))

    def changed(one: ProgramDeclaration) -> ProgramDeclaration:
        if names.keys().isdisjoint((*one.needs, *one.declaration.names)):
            return one
        return memo.get("renamed declaration", (one, key), lambda: renamed(one, names))

    def found() -> CalledPart:
        cut_off = tuple(names.get(name, name) for name in part.cut_off)
        return replace(part, members=tuple(map(changed, part.members)), cut_off=cut_off)

    return memo.get("renamed part", (part, key), found)


def _without_body(one: ProgramDeclaration) -> ProgramDeclaration:
    """A function as a prototype declares it."""
    words = one.declaration.text
    needs = frozenset(IDENTIFIER.findall(words))
    declared = replace(one.declaration, definition=None)
    return replace(one, declaration=declared, line=0, needs=tuple(n for n in one.needs if n in needs), calls=())
