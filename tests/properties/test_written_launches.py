"""The launch that a fix writes is the one that is shown for it, over a corpus of C."""

import re
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path

import pytest
from support.examples import is_nightly
from support.fix_fixtures.contexts import contexts
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.ports.catalogue import FIXES
from warplens.analysis.ports.fix import AS_PREDICTED, TITLE_LENGTH, FixContext, OfferedFix
from warplens.analysis.ports.guessed_grid import is_for_a_guess
from warplens.analysis.text.quantities import extent_text
from warplens.server.render.fix_title import fix_title
from warplens.server.render.headline import blocks_text, written_text

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/fixtures/fixes", "tests/fixtures/asked", "tests/fixtures/dependence", "examples")
FILES = sorted(
    path for folder in FOLDERS for path in (ROOT / folder).rglob("*.c") if not path.name.endswith(".after.c")
)[:: 1 if is_nightly() else 7]
PORTS = {fix.code: fix for fix in FIXES if fix.code in {"openmp", "openacc", "cuda"}}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_written_launch_is_the_shown_one(file: Path, analyse_c) -> None:
    source = file.read_text(encoding="utf-8")
    for context in contexts(source, analyse_c(source)):
        for code, fix in PORTS.items():
            for offer in fix.offer(context):
                text = "" if offer.refusal else _written(context, code, offer)
                if text:
                    blocks = list(_blocks(code, text))
                    _require_shown(offer, blocks)
                    if code == "openmp":
                        _require_in_lens(context.evaluation, [prod(block) for block in blocks])


def _written(context: FixContext, code: str, offer: OfferedFix) -> str:
    """What is new of a fix; empty for one of which no launch is shown, as it may leave the user's own."""
    edits = PORTS[code].edit(context, offer, AS_PREDICTED)
    if edits.refusal or not offer.launch:
        return ""
    assert offer.launch in edits.note or code == "cuda"
    return "".join((*(edit.text for edit in edits.edits), *(file.text for file in edits.new_files)))


def _blocks(code: str, text: str) -> Iterator[Extent]:
    """Blocks in the order in which they are written, or a row's threads where it has a team; of CUDA by kernel."""
    pattern = {
        "openmp": r"thread_limit\((\d+)\)",
        "openacc": r"gang (?:worker |vector )?(?:tile\(([\d, ]+)\)|.*?vector_length\((\d+)\))",
        "cuda": r"const dim3 (?:\w+_)?block\(([\d, ]+)\);",
    }[code]
    every = re.finditer(pattern, re.sub(r"\\\r?\n\s*", "", text))
    for found in sorted(every, key=_kernel_number) if code == "cuda" else every:
        numbers = [int(number) for number in next(group for group in found.groups() if group).split(",")]
        yield tuple((*numbers, 1, 1)[:3])


def _kernel_number(block: re.Match[str]) -> int:
    """Blocks that sizes do not decide are declared before all others."""
    number = re.search(r"kernel(\d+)_block", block[0])
    return int(number[1]) if number else 0


def _require_shown(offer: OfferedFix, blocks: Sequence[Extent]) -> None:
    launch = re.sub(r", \d+ to a block", "", offer.launch)
    shown = re.findall(r"\d+(?:x\d+)*", launch.partition(", ")[0] if offer.code == "cuda" else launch)
    texts = [extent_text(block) for block in blocks]
    if offer.code == "cuda":
        assert texts[:1] == shown[:1]
    else:
        assert set(texts) == set(shown)
    title = fix_title(offer, None)
    assert len(title) <= TITLE_LENGTH
    assert offer.launch in title or len(title) + len(f", {offer.launch}") > TITLE_LENGTH


def _require_in_lens(evaluation: NestEvaluation, threads: Sequence[int]) -> None:
    kernels = evaluation.kernels
    if evaluation.mapped is not None or evaluation.in_row_teams is not None:
        return  # what directives can say of another mapping is in their titles alone
    assert len(threads) == len(kernels)
    for kernel, written in zip(kernels, threads, strict=True):
        assert _shown_threads(evaluation, kernel) == written
    if len(kernels) == 1 and is_for_a_guess(evaluation, kernels[0]):
        assert blocks_text(evaluation) == str(threads[0])
    elif len(kernels) == 1:
        assert blocks_text(evaluation).endswith(written_text(evaluation, kernels[0]))


def _shown_threads(evaluation: NestEvaluation, kernel: KernelEvaluation) -> int:
    """Threads by what the lens says: behind "ports" or "OpenMP", else those of the recommended block."""
    said = re.fullmatch(r" \((ports|OpenMP) (\d+)\)", written_text(evaluation, kernel))
    if said is None:
        assert not is_for_a_guess(evaluation, kernel)
        return kernel.prediction.launch.threads_per_block
    assert (said[1] == "ports") == is_for_a_guess(evaluation, kernel)
    return int(said[2])
