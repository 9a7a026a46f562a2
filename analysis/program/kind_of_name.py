"""What a declaration makes of a name that it introduces."""

from __future__ import annotations

import re
from typing import Literal

from warplens.analysis.frontend.declarations.declarations import Declaration
from warplens.analysis.frontend.declarations.declarators import declarators
from warplens.analysis.frontend.declarations.gnu import rewrite_gnu

NameKind = Literal["function", "variable", "type", "tag", "constant"]


def kind_of_name(declaration: Declaration, name: str) -> NameKind:
    """A "constant" is one of an `enum`, a "tag" stands behind `struct`, `union` or `enum`."""
    if name in declaration.type_names:
        return "type"
    if declaration.definition is not None:
        return "function"
    found = next((one for one in declarators(rewrite_gnu(declaration.text).text) if one.name == name), None)
    if found is not None:
        return "function" if found.is_function else "variable"
    if re.search(rf"\b(?:struct|union|enum)\s+{re.escape(name)}\b", declaration.text):
        return "tag"
    is_pragma = declaration.text.lstrip().startswith(("#", "_Pragma"))
    return "variable" if is_pragma else "constant"
