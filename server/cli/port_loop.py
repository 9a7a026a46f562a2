"""What `warplens port` does: the fixes of a loop are listed, or one is printed or written."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from warplens.analysis.models.nest.what_if import Changes, what_if
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.sizes.break_even import BreakEven, break_even
from warplens.analysis.ports.fix import AS_PREDICTED, LaunchWish, OfferedFix
from warplens.hwprofiles.validation import model_errors
from warplens.server.cli.analyse_files import STANDARD_INPUT, analyse_file
from warplens.server.cli.arguments import settings_of
from warplens.server.cli.commands import failed
from warplens.server.cli.find_loop import FoundLoop, NoLoopError, loop_at_line
from warplens.server.cli.fix_names import short_name
from warplens.server.cli.port_report import line_of_fix, offered_as_json, print_fixes
from warplens.server.cli.port_result import Ported, WriteRefusedError, ported_as_json, write_in_place, write_to
from warplens.server.cli.streams import write_code, write_error, write_out
from warplens.server.cli.terminal import console_for
from warplens.server.cli.write_json import print_json
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in
from warplens.server.render.fix_title import fix_title, reason_text
from warplens.server.render.loop_reasons import verdict_sentences
from warplens.server.worker.chosen_fix import chosen_edits
from warplens.server.worker.fix_context import fix_context
from warplens.server.worker.packing import unpack

_LAUNCHED = frozenset({"openmp", "openacc", "cuda"})


def port(arguments: argparse.Namespace) -> int:
    """List, print or write; 2 for a line without a loop, 1 for a refusal or a file that can't be used."""
    path, line = arguments.place
    where = f"{path}:{line}"
    problem = _contradiction(arguments, path)
    if problem:
        return failed(where, problem, 2)
    if Path(path).is_dir():
        return failed(path, "a folder has no lines, name a C file")
    result = asyncio.run(analyse_file(path, settings_of(arguments)))
    if result.answer is None:
        return failed(path, result.failure)
    try:
        found = loop_at_line(result.answer, result.text, line)
        if arguments.to is None:
            _list(arguments, path, result.text, found)
            return 0
        offer = _chosen(found, result.text, arguments.to)
    except NoLoopError as error:
        return failed(where, str(error), 2 if error.is_usage else 1)
    context = fix_context("stdin.c" if path == STANDARD_INPUT else path, result.text, found.function, found.nest)
    if arguments.mapping:
        changed = what_if(context.evaluation, Changes(mapping=arguments.mapping), model_errors())
        if changed.refusals:
            return failed(where, changed.refusals[0].message)
        context = replace(context, evaluation=changed.evaluation)
    ported = Ported(path, result.text, offer, chosen_edits(context, offer, _wish(arguments)))
    return _deliver(arguments, where, ported, found)


def _break_even(found: FoundLoop) -> BreakEven | None:
    """The nest's where titles have it: of the one size that is guessed."""
    evaluation = unpack(found.nest.packed)
    return break_even(evaluation) if len(grounds_of(evaluation).guesses) == 1 else None


def _deliver(arguments: argparse.Namespace, where: str, ported: Ported, found: FoundLoop) -> int:
    written: Sequence[Path] = ()
    refusal, shown = reason_text(ported.offer) or ported.edits.refusal, ""
    is_for_file = arguments.write or arguments.output not in {None, Path(STANDARD_INPUT)}
    try:
        if not refusal and not ported.is_nothing and is_for_file:
            written = _written(arguments, ported)
        elif not refusal:
            shown = _shown(arguments, ported)
    except WriteRefusedError as error:
        refusal = str(error)
    if arguments.json:
        line = line_of_fix(Lines(ported.source), found, ported.offer)
        title = fix_title(ported.offer, _break_even(found))
        print_json(ported_as_json(ported, title, line, refusal, written))
        return 1 if refusal else 0
    if refusal:
        return failed(where, refusal)
    for sentence in ported.edits.rests_on:
        write_error(f"warplens: {where}: {sentence}\n")
    if ported.edits.promise:
        write_error(f"warplens: {where}: right only if {ported.edits.promise}\n")
    if ported.is_nothing or (is_for_file and not written):
        write_error(f"warplens: {where}: nothing to change, it is written already\n")
    if written:
        write_out("".join(f"{each}\n" for each in written))
    else:
        write_code(shown)
    sys.stdout.flush()  # at the end of the program nobody would catch that the pipe is closed
    return 0


def _written(arguments: argparse.Namespace, ported: Ported) -> list[Path]:
    if arguments.write:
        return write_in_place(ported, force=arguments.force)
    return write_to(ported, arguments.output, force=arguments.force)


def _shown(arguments: argparse.Namespace, ported: Ported) -> str:
    """What goes to standard output: all of the one file where `-o -` asks for it, else what a reader looks for."""
    if arguments.output is not None:
        return ported.only_text
    return ported.diff if arguments.diff or ported.edits.edits else ported.new_texts


def _contradiction(arguments: argparse.Namespace, path: str) -> str:
    """What is wrong with options that are each right."""
    wish, code = _wish(arguments), (arguments.to or ("", ""))[0]
    if not code and (arguments.write or arguments.output or arguments.diff or wish != AS_PREDICTED):
        return "nothing is written without --to"
    if wish != AS_PREDICTED and code not in _LAUNCHED:
        return "--block, --outputs and --shared are for --to omp, acc and cuda"
    if arguments.mapping and code != "cuda":
        return "--mapping is for --to cuda"
    if arguments.write and arguments.output:
        return "--write and --output name two places"
    if arguments.write and path == STANDARD_INPUT:
        return "standard input can't be written, use --output"
    return ""


def _list(arguments: argparse.Namespace, path: str, text: str, found: FoundLoop) -> None:
    lines, starts = Lines(text), _break_even(found)
    if arguments.json:
        print_json(offered_as_json(path, lines, found, starts))
    else:
        print_fixes(console_for(arguments.color), path, lines, found, starts, _why_none(found, text, "cuda", ""))


def _chosen(found: FoundLoop, text: str, wanted: tuple[str, str]) -> OfferedFix:
    """The offer that is meant; raises NoLoopError with what there is instead."""
    code, variant = wanted
    offers = [o for o in found.nest.fixes if o.code == code and variant in {"", o.variant}]
    if not offers:
        raise NoLoopError(_why_none(found, text, code, variant))
    here = [offer for offer in offers if offer.loop == found.loop] or offers
    fitting = [offer for offer in here if not offer.refusal] or here
    if len(fitting) == 1:
        return fitting[0]
    lines = Lines(text)
    choices = (f"line {line_of_fix(lines, found, o)}{f' --to {code}:{o.variant}' * bool(o.variant)}" for o in fitting)
    raise NoLoopError(
        f"`{code}` is offered more than once, name one: {', '.join(dict.fromkeys(choices))}", is_usage=True
    )


def _why_none(found: FoundLoop, text: str, code: str, variant: str) -> str:
    evaluation = unpack(found.nest.packed)
    if code in _LAUNCHED and not evaluation.kernels:
        lines = Lines(text)
        verdict = evaluation.facts.verdict(found.loop)
        reasons = verdict_sentences(evaluation.facts.nest, verdict, lambda node: line_in(lines, found.nest.spans, node))
        return f"the loop is not parallel. {' '.join(reasons)}"
    others = ", ".join(dict.fromkeys(short_name(offer.code) for offer in found.nest.fixes))
    there_are = f"; there is {others}" if others else ""
    return f"there is no `{code}`{f' of `{variant}`' if variant else ''} for this loop{there_are}"


def _wish(arguments: argparse.Namespace) -> LaunchWish:
    return LaunchWish(arguments.block, arguments.outputs, arguments.shared)
