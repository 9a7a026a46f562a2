"""`make docs`: writes the manual page and the shells' scripts from the parsers."""

from support.command_line.completions import script
from support.command_line.man_page import MAN_PAGE, man_page
from warplens.server.cli.completion import SCRIPTS, script_path

if __name__ == "__main__":
    MAN_PAGE.write_text(man_page(), encoding="utf-8")
    for each in SCRIPTS:
        script_path(each).write_text(script(each), encoding="utf-8")
