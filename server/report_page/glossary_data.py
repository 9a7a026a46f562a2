"""The glossary as JSON values: the page says what its words mean, without a request to anywhere."""

from __future__ import annotations

from typing import Any

from warplens.server.render.glossary import terms


def glossary_data() -> list[dict[str, Any]]:
    """Every term with the other forms that texts use, and its meaning, which may hold `code` in backquotes."""
    return [{"name": term.name, "forms": list(term.forms), "meaning": term.meaning} for term in terms()]
