"""A wrong command line is refused with a word on what is wrong."""

import pytest
from warplens.server.cli.main import main

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["check"], "FILE"),
        (["check", "--size", "n", "x.c"], "'n' is not NAME=SIZE"),
        (["check", "--size", "n=big", "x.c"], "n=big"),
        (["check", "--gpu", "voodoo2", "x.c"], "voodoo2"),
        (["check", "--no-such-option", "x.c"], "--no-such-option"),
        (["check", "--time-limit", "-1", "x.c"], "--time-limit"),
        (["lsp", "--tcp", "nowhere"], "nowhere"),
        (["fly"], "fly"),
        (["explain", "WL201", "--write-pages", "pages"], "--write-pages"),
    ],
)
def test_a_wrong_command_line_is_exit_code_2_and_names_what_is_wrong(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert named in capsys.readouterr().err.partition("error:")[2]
