"""The text that an access keeps for messages."""

from warplens.analysis.engine.memo import Memo
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.nest import walk_statements

LOOP = "void f(int n, double *x, int *idx) {{ for (int i = 0; i < n; i++) {{ {} }} }}\n"


def texts(nest) -> list[str]:
    return [a.text for s in walk_statements((nest.root,)) for a in accesses_of(s)]


def test_accesses_in_subscripts_have_theirs_too(nests) -> None:
    (nest,) = nests(LOOP.format("x[ idx[i+1] ] += x[idx [ i ]];"))
    assert texts(nest) == ["x[idx[i+1]]", "idx[i+1]", "idx[i]", "x[idx[i]]"]


def test_two_spellings_of_an_element_are_one_element(nests) -> None:
    (nest,) = nests(LOOP.format("x[i + 1] = 2 * x[1 + i];"))
    first, second = (a for s in walk_statements((nest.root,)) for a in accesses_of(s))
    assert first.written != second.written
    assert first.element == second.element


def test_blanks_and_comments_make_no_other_nest(nests) -> None:
    plain, spread = nests(LOOP.format("x[i] = x[i + n];")), nests(LOOP.format("x[i] =\n   x[ i  + /* one row */ n ];"))
    assert plain == spread


def test_a_macro_in_place_of_the_same_code_changes_the_words_only(parse) -> None:
    """The preprocessed function is the same, so it comes from memory; its texts do not."""
    memo = Memo()
    code, macro = "x[i] = 1;", "SET(i) = 1;"
    (plain,) = parse("#define SET(k) x[k]\n" + LOOP.format(code), memo).functions
    (other,) = parse("#define SET(k) x[k]\n" + LOOP.format(macro), memo).functions
    assert texts(plain.nests[0].nest) == ["x[i]"]
    assert texts(other.nests[0].nest) == [""]


def test_a_very_long_reference_is_not_quoted(nests) -> None:
    (nest,) = nests(LOOP.format(f"x[i{' + n' * 40}] = 1;"))
    assert texts(nest) == [""]


def test_elements_of_an_initialiser_are_not_the_declarator(nests) -> None:
    (nest,) = nests(LOOP.format("double t[2] = {1, 2}; x[i] = t[0] + t[1];"))
    assert not {"t[2]"} & set(texts(nest))
    assert {"x[i]", "t[0]", "t[1]"} <= set(texts(nest))


def test_another_name_for_a_row_is_the_source_s_word(nests) -> None:
    (nest,) = nests(LOOP.format("double *row = x + i * n; for (int j = 0; j < n; j++) row[j] = 1;"))
    assert texts(nest) == ["row[j]"]
