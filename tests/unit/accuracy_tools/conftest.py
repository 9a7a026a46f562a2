"""The programs that measure (tests/accuracy): most of these tests build one."""

import pytest


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("compiled")
