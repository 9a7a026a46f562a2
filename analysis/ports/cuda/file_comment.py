"""The comment at the top of a `.cu` file: where it comes from, the numbers behind its choices, how it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from warplens.analysis.advice.mapping_words import shown_mapping
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.symbol import has_added
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.prediction import Prediction
from warplens.analysis.ports.cuda.choose_launch import ChosenLaunch, launch_text
from warplens.analysis.ports.cuda.plan import Tile
from warplens.analysis.ports.cuda.tiles import tile_bytes
from warplens.analysis.ports.rests_on import rests_on
from warplens.analysis.text.quantities import bytes_text, count_text, time_text

_WIDTH = 108


@dataclass(frozen=True, slots=True)
class Described:
    """A kernel's launch with what is predicted of it, how often it is launched, and its tiles as they are written."""

    name: str
    chosen: ChosenLaunch
    prediction: Prediction
    launches: int
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """How the C program calls it: the prototype, the call, and which code that stands for (`heat2d.c, lines 9 to 13`).

    `replaces_body` says that the call is the function's whole body.
    """

    prototype: str
    call: str
    place: str
    function: str
    cuda_file: str
    replaces_body: bool


def file_comment(
    evaluation: NestEvaluation, kernels: Sequence[Described], use: Use, granted: Sequence[str], source: str
) -> list[str]:
    """Lines of the comment. `granted` are more assumptions that the port rests on, as sentences; `source` the file."""
    lines: list[str] = []
    what = f"the body of `{use.function}`" if use.replaces_body else f"a loop of `{use.function}`"
    lines += _paragraph(f"{use.cuda_file}: {what} ({use.place}) for CUDA.")
    lines.append("")
    lines += _predicted(evaluation, kernels)
    taken = [*rests_on(evaluation.kernel_facts, source, is_cuda=True), *granted]
    if taken:
        lines += ["", "The result rests on:"]
        for text in dict.fromkeys(taken):
            lines += _paragraph(text, first="- ", rest="  ")
    lines += ["", "In the C program:", "", f"    {use.prototype}", ""]
    if use.replaces_body:
        arguments = use.call[use.call.index("(") :]
        lines += _paragraph(f"and `{use.call}` in place of `{use.function}{arguments}`.")
    else:
        lines += _paragraph(f"and `{use.call}` in place of {use.place}.")
    object_file = f"{use.cuda_file.removesuffix('.cu')}.o"
    architecture = evaluation.gpu.compute_capability.replace(".", "")
    lines += _paragraph(
        f"Compile with `nvcc -O3 -arch=sm_{architecture} -c {use.cuda_file}` and link {object_file} with the program "
        "and -lcudart. With -fmad=false nvcc rounds each product and each sum by itself, as C compilers do."
    )
    lines += _paragraph("An error of CUDA ends the program with a message.")
    return ["/*", *(f" * {line}".rstrip() for line in lines), " */"]


def _predicted(evaluation: NestEvaluation, kernels: Sequence[Described]) -> list[str]:
    sizes = ", ".join(f"{c_name(name)} = {value}" for name, value in evaluation.sizes if not has_added(name))
    lines = _paragraph(f"Predicted on {evaluation.gpu.name}{f' with {sizes}' if sizes else ''}:")
    if mapping := shown_mapping(evaluation):
        lines += _paragraph(f"{mapping[0].upper()}{mapping[1:]}.", first="- ", rest="  ")
    for one in kernels:
        prediction, chosen = one.prediction, one.chosen
        name = f"{one.name}: " if len(kernels) > 1 else ""
        times = f", {count_text(one.launches)} launches" if one.launches > 1 else ""
        text = (
            f"{name}{time_text(chosen.time_s)} per launch{times}, bound by {prediction.bound_by}; "
            f"{launch_text(chosen.launch)}{' as asked for' if chosen.is_wished else ''}; "
            f"occupancy {100 * prediction.occupancy.fraction:.0f}%, {prediction.registers_per_thread} registers"
        )
        if prediction.spills_per_thread:
            text += f", {prediction.spills_per_thread} spilled"
        lines += _paragraph(text + ".", first="- ", rest="  ")
        for choice in chosen.launch.shared:
            saved = f", saves {bytes_text(choice.saved_bytes)} of traffic" if choice.saved_bytes > 0 else ""
            size = sum(tile_bytes(tile) for tile in one.tiles if tile.array == choice.array)
            tile = f"`{c_name(choice.array)}` in {bytes_text(size)} of shared memory{saved} per block."
            lines += _paragraph(tile, first="  ", rest="  ")
        if chosen.passed_over:
            lines += _paragraph(f"{chosen.passed_over}.", first="  ", rest="  ")
    return lines


def _paragraph(text: str, first: str = "", rest: str = "") -> list[str]:
    """Wrapped; the end of a comment can't be in it."""
    safe = text.replace("*/", "* /")
    return wrap(safe, _WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                break_on_hyphens=False)  # fmt: skip
