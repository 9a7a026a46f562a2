"""Attacks, most of them on real processes."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("process")
