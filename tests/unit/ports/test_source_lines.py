"""Lines put above a loop look like the file that they stand in."""

import pytest
from warplens.analysis.ports.fix import FixEdits, applied
from warplens.analysis.ports.source_lines import lines_above


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{\n\tfor (;;) ;\n}", "{\n\t#x\n\tfor (;;) ;\n}"),
        ("{\r\n  for (;;) ;\r\n}", "{\r\n  #x\r\n  for (;;) ;\r\n}"),
        ("{ for (;;) ; }", "{\n#x\nfor (;;) ; }"),
        ("\tif (n) for (;;) ;", "\tif (n)\n\t#x\n\tfor (;;) ;"),
        ("for (;;) ;", "#x\nfor (;;) ;"),
    ],
)
def test_lines_are_inserted_above_a_loop(text: str, result: str) -> None:
    assert applied(text, FixEdits((lines_above(text, text.index("for"), ("#x",)),))) == result
