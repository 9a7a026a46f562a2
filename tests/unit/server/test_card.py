"""A card in a terminal of 80 columns."""

from warplens.server.render.card import Card, Section, as_plain_text

LONG = "the order of additions must be kept, so that it takes 1 048 576 iterations of 478 µs each, or 94 % of the time"


def test_a_value_continues_in_its_column_and_an_item_under_its_text() -> None:
    text = as_plain_text(Card("head", (("GPU time", LONG), ("x", "1")), (Section("Why", (LONG,)),)))
    head, first, second, last, why, item, *rest = (line for line in text.splitlines() if line)
    assert (head, last, why) == ("head", "x         1", "Why")
    assert first.startswith("GPU time  the order")
    assert second.startswith("          ")
    assert second[10] != " "
    assert item.startswith("- the order")
    assert all(line.startswith("  ") and line[2] != " " for line in rest)
    assert max(map(len, text.splitlines())) <= 76


def test_numbers_stay_with_their_units_and_code_on_its_line() -> None:
    for padding in range(60):
        text = as_plain_text(Card(f"{'x' * padding} {LONG} `// warplens: n = 4096` above the loop"))
        assert "`// warplens: n = 4096`" in text
        assert "1 048 576 iterations" in text
        assert "478 µs" in text
        assert "94 %" in text
        assert "\u00a0" not in text


def test_nothing_is_lost_in_wrapping() -> None:
    words = as_plain_text(
        Card(LONG, ((LONG[:10].strip(), LONG),), (Section("s", (LONG, "a-b-c " * 40)),), LONG)
    ).split()
    assert words.count("additions") == 4
    assert words.count("a-b-c") == 40
