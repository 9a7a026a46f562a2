"""Sentences on a loop: why it is parallel or not, where the time goes, what was staged, what was taken for granted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from warplens.analysis.advice.naming import node_text, pair_text
from warplens.analysis.advice.promise_words import promise_meanings
from warplens.analysis.facts.program import blocks
from warplens.analysis.facts.verdict import Dependence, LoopVerdict
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest, loops_of
from warplens.analysis.ir.promises.comment import directive_lines
from warplens.analysis.ir.promises.named import NamedPromise
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import KernelEvaluation
from warplens.analysis.text.quantities import bytes_text, count_text, percent_text
from warplens.server.render.amounts import plural

LineOf = Callable[[NodeId], int]
"""1-based line of a node in the user's file, 0 when it stands nowhere."""

LEAST_SHARE = 0.005
"""Shares of time that round to less than one percent are left out."""

_SHARED = {"store": "(all that set it store one value)"}
_HOTSPOTS_SHOWN = 3
_WORTH_NAMING = 0.1
_PAIRS_SHOWN = 6


def verdict_sentences(nest: LoopNest, verdict: LoopVerdict, line_of: LineOf) -> tuple[str, ...]:
    """Why the loop's iterations may run at the same time, or which two places stop them."""
    private = ", ".join(f"`{c_name(name)}`" for name in verdict.private)
    match verdict.kind:
        case "parallel":
            text = _on_word(nest, verdict, line_of) or "Yes: no iteration needs another one's result."
            own = (f"Each iteration has its own {private}.",) if private else ()
            return (text, *own, *_copied_in(verdict), *_promised(verdict))
        case "reduction":
            named = (
                f"`{c_name(r.variable)}` {_SHARED.get(r.operator, f'by `{r.operator}`')}" for r in verdict.reductions
            )
            text = f"As a reduction: all that the iterations share is {', '.join(named)}."
            word = _on_word(nest, verdict, line_of)
            return (text, *((word,) if word else ()), *_copied_in(verdict), *_promised(verdict))
        case "carried":
            return tuple(f"No: {dependence_text(nest, d, line_of)}." for d in verdict.dependences)
        case _:
            return (f"Not known: {opaque_reason(nest, verdict, line_of)}.", *_conditional(nest, verdict))


def opaque_reason(nest: LoopNest, verdict: LoopVerdict, line_of: LineOf) -> str:
    """Why a loop could not be decided, and the places that this is about."""
    stand = (f"{node_text(nest, b)} (line {line_of(b)})" for b in verdict.blockers if line_of(b))
    places = ", ".join(dict.fromkeys(stand))
    return f"{verdict.reason}{f': {places}' if places else ''}"


def _on_word(nest: LoopNest, verdict: LoopVerdict, line_of: LineOf) -> str:
    """That a directive alone says so, and where it stands; empty where the analysis knows."""
    if verdict.word is None:
        return ""
    line = line_of(verdict.word)
    where = f"in line {line}" if line else "above the loop"
    directives = (loop.directive for loop in loops_of(nest) if loop.directive is not None)
    construct = next((f": `{each.construct}`" for each in directives if each.id == verdict.word), "")
    shared = (f"{node_text(nest, n)} (line {line_of(n)})" for n in verdict.left_shared if line_of(n))
    named = ", ".join(dict.fromkeys(shared))
    shares = f" The iterations share {named} as the directive has it: waiting is not counted." if named else ""
    return f"Yes, on the word of the directive {where}{construct}.{shares}"


def _copied_in(verdict: LoopVerdict) -> tuple[str, ...]:
    names = ", ".join(f"`{c_name(name)}`" for name in verdict.copied_in)
    return (f"The copies of {names} start with what it holds before the loop.",) if names else ()


def _promised(verdict: LoopVerdict) -> tuple[str, ...]:
    """On whose word a loop may run in parallel."""
    said = [a.promise for a in verdict.assumptions if a.promise is not None]
    statements = ", ".join(f"`{promise.subject}`" for promise in said if not isinstance(promise, NamedPromise))
    names = ", ".join(f"`{c_name(promise.name)}`" for promise in said if isinstance(promise, NamedPromise))
    of_statements = (f"Only if {statements}, as the comment in the source says.",) if statements else ()
    of_names = (f"Only if what the comment in the source says of {names} is true.",) if names else ()
    return (*of_names, *of_statements)


def _conditional(nest: LoopNest, verdict: LoopVerdict) -> tuple[str, ...]:
    """What the user can say to decide a loop, and what it means."""
    if not verdict.conditions:
        return ()
    how = "Parallel" if verdict.under_conditions == "parallel" else "Parallel as a reduction"
    first, *others = directive_lines(verdict.conditions)
    first_words = f"{how} if this is true of it. If it is, write it directly above the loop"
    offer = f"{first_words}: `{first}`{', with' if others else '.'}"
    return (offer, *(f"`{line}`" for line in others), *promise_meanings(nest, verdict.conditions))


def dependence_text(nest: LoopNest, dependence: Dependence, line_of: LineOf) -> str:
    """The two places of a dependence, in the order they run."""
    what = {"flow": "reads what", "anti": "overwrites what", "output": "overwrites what"}[dependence.kind]
    earlier = {"flow": "wrote", "anti": "reads", "output": "wrote"}[dependence.kind]
    carrier = dependence.loops.index(dependence.carrier) if dependence.carrier in dependence.loops else -1
    distance = dependence.distances[carrier] if 0 <= carrier < len(dependence.distances) else None
    apart = f", {plural(distance, 'iteration')} earlier" if distance is not None else " in an earlier iteration"
    return (
        f"{node_text(nest, dependence.sink)} (line {line_of(dependence.sink)}) {what} "
        f"{node_text(nest, dependence.source)} (line {line_of(dependence.source)}) {earlier}{apart}"
    )


def hotspot_sentences(nest: LoopNest, kernel: KernelEvaluation, line_of: LineOf) -> tuple[str, ...]:
    """The accesses that the kernel waits for most; equal texts of one line are one hotspot."""
    return tuple(
        f"{verb} {what} (line {line}): {percent_text(share)} of the kernel's time is spent waiting for it."
        for (verb, what, line), share in _hottest(nest, kernel, line_of)[:_HOTSPOTS_SHOWN]
        if share >= LEAST_SHARE
    )


def hottest_access(nest: LoopNest, kernel: KernelEvaluation, line_of: LineOf) -> tuple[str, int] | None:
    """What the kernel waits for most, and its line; None where it waits for nothing much."""
    for (_, what, line), share in _hottest(nest, kernel, line_of)[:1]:
        if share >= _WORTH_NAMING:
            return what, line
    return None


def _hottest(nest: LoopNest, kernel: KernelEvaluation, line_of: LineOf) -> list[tuple[tuple[str, str, int], float]]:
    shares: dict[tuple[str, str, int], float] = {}
    for spot in kernel.prediction.hotspots:
        node = spot.statement if spot.access is None else spot.access
        verb = "Spills of" if spot.access is None else access_verb(kernel, spot.access)
        key = verb, node_text(nest, node), line_of(node)
        shares[key] = min(1.0, shares.get(key, 0.0) + spot.idle_share)
    return sorted(shares.items(), key=lambda item: -item[1])


def access_verb(kernel: KernelEvaluation, access: NodeId) -> str:
    """What the threads do with an access's element."""
    ops = {i.op for block, _ in blocks(kernel.kernel.program) for i in block.instructions if i.access == access}
    return "Updating" if {"load", "store"} <= ops else "Writing" if "store" in ops else "Reading"


def shared_sentences(kernel: KernelEvaluation) -> tuple[str, ...]:
    """What the recommended launch stages, and what it left out of the greedy order."""
    chosen = kernel.prediction.launch.shared
    sentences = [
        f"Stage `{c_name(c.array)}`: {bytes_text(c.size_bytes)} per block serve {count_text(c.reads_per_block)} reads "
        f"and save {bytes_text(c.saved_bytes)} of global traffic per block."
        for c in chosen
    ]
    reasons = dict(kernel.shared_left_out)
    for choice in kernel.shared_greedy:
        if choice not in chosen:
            reason = f", {reasons[choice.array]}" if choice.array in reasons else ""
            size = bytes_text(choice.size_bytes)
            sentences.append(f"Not staged: `{c_name(choice.array)}` ({size} per block){reason}.")
    return tuple(sentences)


def assumed_sentences(assumptions: Iterable[Assumption]) -> tuple[str, ...]:
    """What is taken for granted of the program, each with how to correct it; pairs of pointers in one sentence."""
    given = tuple(dict.fromkeys(_together(assumptions)))
    pairs = [a for a in given if a.kind == "alias"]
    texts = [assumption_text(a) for a in given if len(pairs) < 2 or a.kind != "alias"]
    if len(pairs) >= 2:
        listed = "; ".join(pair_text(a) for a in pairs[:_PAIRS_SHOWN])
        more = f"; and {plural(len(pairs) - _PAIRS_SHOWN, 'more pair')}" if len(pairs) > _PAIRS_SHOWN else ""
        sizes = sum(a.kind == "size" for a in given)
        texts.insert(
            sizes,
            f"These are assumed not to overlap in memory (if that is so, declare them `restrict`): {listed}{more}.",
        )
    return tuple(texts)


def _together(assumptions: Iterable[Assumption]) -> list[Assumption]:
    """What is promised alike of several functions or variables as one."""
    kept: list[Assumption] = []
    places: dict[str, int] = {}
    for assumption in assumptions:
        meaning = assumption.text.replace(f"`{assumption.subject}`", "``")
        if assumption.promise is None or not assumption.promise.is_told_once:
            kept.append(assumption)
        elif meaning not in places:
            places[meaning] = len(kept)
            kept.append(assumption)
        elif (first := kept[places[meaning]]).subject != assumption.subject:
            names = f"{first.subject}`, `{assumption.subject}"
            kept[places[meaning]] = replace(first, subject=names, text=meaning.replace("``", f"`{names}`"))
    return kept


def assumption_text(assumption: Assumption) -> str:
    """The sentence, with how to correct a size where the sentence doesn't say so itself."""
    text = assumption.text
    if assumption.kind == "size" and assumption.origin in {"default", "inferred"} and "warplens:" not in text:
        value = 4096 if assumption.value is None else int(assumption.value)
        return f"{text} To correct it: `// warplens: {assumption.subject} = {value}` above the loop."
    return text
