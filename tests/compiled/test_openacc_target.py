"""The OpenACC port compiles without a warning and computes what the original computes.

gcc runs the regions on the host, on one thread: clauses that are wrong in form, tiles that lose iterations, values that
are lost and sections outside of an array show. Races show where the same directives run as OpenMP's, on four threads.
Copies that are missing do not show: those are held against the clauses expected.
"""

from pathlib import Path

from support.openacc_ports.batch import Pair, differing
from support.openacc_ports.insertion import as_openmp, ported_text
from support.openmp_ports.case import Case
from support.openmp_ports.device_memory import maps_of
from support.openmp_ports.insertion import ported_text as openmp_text
from support.openmp_ports.loop_shapes import LOOP_SHAPES
from support.openmp_ports.memory_and_calls import MEMORY_AND_CALLS
from support.openmp_ports.reductions_and_time_loops import REDUCTIONS_AND_TIME_LOOPS
from warplens.analysis.engine.report import Report
from warplens.analysis.ports.fix import AS_PREDICTED, LaunchWish

CASES = {case.name: case for case in (*LOOP_SHAPES, *REDUCTIONS_AND_TIME_LOOPS, *MEMORY_AND_CALLS)}
CHECKED = ["-O0", "-fopenacc", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
THREADS = ["-O1", "-fopenmp", "-foffload=disable", "-Wno-unused-variable"]


NO_CLAUSE = ("OpenACC's compilers reduce no arrays", "OpenACC has no `lastprivate`", "write `<` or `>` for `!=`")
"""What OpenMP can say and OpenACC can't."""


def _ported(case: Case, report: Report, wish: LaunchWish = AS_PREDICTED) -> tuple[Pair, list[str]] | None:
    """The original and the port, and the pragmas; None where OpenACC has no clause for the case."""
    text, ports = ported_text(case.source, report, wish=wish)
    refusals = [port.refusal for port in ports if port.refusal]
    if refusals:
        assert any(reason in refusals[0] for reason in NO_CLAUSE), refusals
        return None
    return Pair(case.source, text, 1e-9 if case.is_reduction else 0), [line for port in ports for line in port.lines]


def test_ports_compute_the_same(analyse_c, tmp_path: Path) -> None:
    pairs: dict[str, Pair] = {}
    for name, case in CASES.items():
        report = analyse_c(case.source)
        best, wished = _ported(case, report), _ported(case, report, LaunchWish(block=(8, 4, 1)))
        assert (best is None) == (wished is None)
        if best is None or wished is None:
            continue
        (pairs[name], lines), (pairs[f"{name}, 8x4"], tiled) = best, wished
        assert not [line for line in tiled if "collapse(" in line and "tile(" in line]
        _, openmp = openmp_text(case.source, report)
        openmp_lines = [line for port in openmp for line in port.lines]
        assert _maps(as_openmp("\n".join(lines))) == _maps("\n".join(openmp_lines)), "the sections of OpenMP's port"
    tiles = [text for name, text in ((n, p.ported) for n, p in pairs.items()) if "tile(8, 4) vector_length(32)" in text]
    assert len(tiles) > 5
    assert len(pairs) > len(CASES), "most cases have both"
    on_host, on_threads = tmp_path / "acc", tmp_path / "omp"
    on_host.mkdir()
    on_threads.mkdir()
    assert differing(pairs, CHECKED, on_host) == []
    as_threads = {name: Pair(p.original, as_openmp(p.ported), p.tolerance) for name, p in pairs.items()}
    assert differing(as_threads, THREADS, on_threads) == []


def _is_directive(line: str) -> bool:
    return line.lstrip().startswith("#pragma acc")


def _maps(text: str) -> list[tuple[str | None, ...]]:
    """What is copied: kernels in a region name what is there as OpenACC's `present`, as far as OpenMP needs it."""
    copied = {(m.name, m.first, m.length) for m in maps_of(text) if m.kind != "alloc"}
    every = {(m.kind, m.name, m.first, m.length) for m in maps_of(text)}
    return sorted((one for one in every if one[0] != "alloc" or one[1:] not in copied), key=str)


def test_a_second_port_changes_nothing(analyse_c) -> None:
    for number, (name, case) in enumerate(CASES.items()):
        newline = "\r\n" if number % 2 else "\n"
        source = case.source.replace("        ", "\t").replace("\n", newline).rstrip()
        once, _ = ported_text(source, analyse_c(source))
        twice, ports = ported_text(once, analyse_c(once))
        assert twice == once, name
        reasons = ("there already as they would be written", *NO_CLAUSE)
        assert all(any(reason in port.refusal for reason in reasons) for port in ports), (name, ports)
        lines = once.split(newline)
        own = set(source.split(newline))
        kernels = {at for at, line in enumerate(lines) if "#pragma acc parallel loop" in line}
        guards = {at for at, line in enumerate(lines) if line not in own and at + 1 in kernels and "if (" in line}
        without = [line for at, line in enumerate(lines) if at not in guards and not _is_directive(line)]
        assert " ".join(without).split() == source.split(), "nothing but directives is added"
        assert "\n" not in once.replace(newline, ""), "with the file's own line ends"
