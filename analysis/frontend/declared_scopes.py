"""What the declarations that functions need make of their names: each declaration parsed once, each scope made once."""

from __future__ import annotations

from warplens.analysis.frontend.declarations.declarations import DeclarationIndex, names_in
from warplens.analysis.frontend.declarations.declared_names import declarator_names, is_typedef
from warplens.analysis.frontend.declarations.function_attributes import promised_purity
from warplens.analysis.frontend.declarations.parse_declaration import Parsed, parse_declaration
from warplens.analysis.frontend.scopes.file_scopes import FileScopes
from warplens.analysis.frontend.scopes.scope import FileScope
from warplens.analysis.frontend.syntax.memo import Memo


class DeclaredScopes:
    """Scopes of the functions of one file; `file_scopes` are those of whoever reads the same file too."""

    def __init__(self, memo: Memo, index: DeclarationIndex, file_scopes: FileScopes | None = None) -> None:
        self._memo = memo
        self._index = index
        self._declarations: dict[str, Parsed] = {}
        self._file_scopes = file_scopes or FileScopes()
        self._scopes: dict[tuple[str, ...], tuple[FileScope, tuple[str, ...]]] = {}

    def of(self, texts: tuple[str, ...]) -> tuple[FileScope, tuple[str, ...]]:
        """Names that declarations introduce, and what was inexact about them."""
        if texts not in self._scopes:
            parsed = [self.parsed(text) for text in texts]
            scope = self._file_scopes.scope([node for one in parsed for node in one.declarations])
            scope.purity.update(promised_purity(texts))
            self._scopes[texts] = scope, tuple(note for one in parsed for note in one.notes)
        return self._scopes[texts]

    def parsed(self, text: str) -> Parsed:
        """Trees of a declaration's text."""
        if text not in self._declarations:
            own = set(declarator_names(text[7:])) if is_typedef(text) else set()
            names = tuple(name for name in names_in(text, self._index.type_names) if name not in own)
            self._declarations[text] = self._memo.get(
                "parsed declaration", (text, names), lambda: parse_declaration(text, names)
            )
        return self._declarations[text]
