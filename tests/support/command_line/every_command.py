"""The parser with all commands, for what is written of them: the manual page and the shells' scripts."""

from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator

from warplens.server.cli.command_table import COMMANDS
from warplens.server.cli.parsers import parser_of


def whole_parser() -> ArgumentParser:
    """As `warplens` has it, with every command loaded."""
    return parser_of(COMMANDS)


def below(parser: ArgumentParser) -> dict[str, ArgumentParser]:
    """The commands of a command, by name."""
    found = (action.choices for action in parser._actions if isinstance(action, _SubParsersAction))
    return {name: each for choices in found for name, each in choices.items()}


def summaries(parser: ArgumentParser) -> dict[str, str]:
    """What a list of its commands says of each."""
    found = (action for action in parser._actions if isinstance(action, _SubParsersAction))
    return {each.dest: each.help or "" for action in found for each in action._choices_actions}


def all_parsers(parser: ArgumentParser) -> Iterator[ArgumentParser]:
    """It and those of all commands below it."""
    yield parser
    for each in below(parser).values():
        yield from all_parsers(each)


def arguments(parser: ArgumentParser) -> Iterator[Action]:
    """Its options and what stands behind them, without --help and commands."""
    for action in parser._actions:
        if action.help != SUPPRESS and action.dest != "help" and not isinstance(action, _SubParsersAction):
            yield action


def value_name(action: Action) -> str:
    """What stands for a value: FILE, {cold,resident}; nothing of a flag."""
    if action.nargs == 0:
        return ""
    if isinstance(action.metavar, str):
        return action.metavar
    return f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest
