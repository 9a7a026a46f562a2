"""`make accuracy`: predict what was measured and write docs/accuracy.md, hwprofiles/validation.toml and the budget."""

from __future__ import annotations

import argparse
from pathlib import Path

from accuracy.ledger import held_out, pair_tables
from accuracy.ledger.budget import exceeded, reached, read_budget, tightened, write_budget
from accuracy.ledger.ledger import make_ledger
from accuracy.ledger.tables import BEGIN, END, tables
from accuracy.ledger.validation_file import write_validation

DOCUMENT = Path(__file__).parents[3] / "docs" / "accuracy.md"


def main() -> int:
    """Print the tables; with --write, write them and what depends on them. 1 when a limit of the budget is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the tables, the errors by family and the budget")
    options = parser.parse_args()
    ledger = make_ledger()
    text, over_pairs = tables(ledger), pair_tables.pair_tables(ledger.shown, *ledger.left_out, ledger.correction)
    errors, budget = reached(ledger), read_budget()
    if options.write:
        document = _replaced(DOCUMENT.read_text(encoding="utf-8"), BEGIN, END, text)
        document = _replaced(document, pair_tables.BEGIN, pair_tables.END, over_pairs)
        document = _replaced(document, held_out.BEGIN, held_out.END, held_out.held_out())
        DOCUMENT.write_text(document, encoding="utf-8")
        write_validation(ledger.families)
        budget = tightened(errors, budget)
        write_budget(budget)
    else:
        print(over_pairs, text, sep="\n\n")
    beyond = list(exceeded(errors, budget))
    print(*beyond, sep="\n")
    return 1 if beyond else 0


def _replaced(document: str, begin: str, end: str, text: str) -> str:
    """The document with a text, its markers included, in the place of what is between them."""
    before, _, rest = document.partition(begin)
    return before + text + rest.partition(end)[2]


if __name__ == "__main__":
    raise SystemExit(main())
