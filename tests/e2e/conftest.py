"""Real processes, on both sides of a pipe."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("process")
