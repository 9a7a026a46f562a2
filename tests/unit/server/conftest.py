"""One evaluation with round numbers, so that the words around them can be tested."""

from dataclasses import replace
from fractions import Fraction
from math import inf

import pytest
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.facts.nest_facts import ArrayTransfer, GridLoop, Kernel, NestFacts, TripCount
from warplens.analysis.facts.program import BasicBlock, Instruction
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.gpu.launch.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.launch.occupancy import Occupancy
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Access, Load, ScalarRef
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject, Assign, Loop, LoopNest, ScalarObject
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import FLOAT, INT
from warplens.analysis.models.results.benefit import Benefit
from warplens.analysis.models.results.comparison import ModelComparison, MwpCwp
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.launch_ranking import LaunchMap, LaunchRanking, RankedLaunch
from warplens.analysis.models.results.offload import Offload
from warplens.analysis.models.results.prediction import Hotspot, Prediction
from warplens.hwprofiles.loader import load_cpu, load_gpu

INDEX, N = Polynomial.symbol("i"), Polynomial.symbol("n")
ROOT, STATEMENT, WRITE, READ = NodeId(0), NodeId(1), NodeId(2), NodeId(3)
SIZE = Assumption("size", "n", "`n` is not known: 4096 is assumed.", 4096.0)


def access(node: NodeId, array: str) -> Access:
    return Access(node, array, FLOAT, (ScalarRef("i", INT),), (INDEX,), (None,), 4)


def cost(node: NodeId, sectors: float) -> AccessCost:
    return AccessCost(node, "strided", sectors, 4, sectors, 128, 32, "dram", 1, "no reuse")


@pytest.fixture
def evaluation() -> NestEvaluation:
    """`for (i = 0; i < n; i++) y[i] = x[i];`, 18 times faster cold and 61 times resident."""
    body = Assign(STATEMENT, access(WRITE, "y"), "", Load(access(READ, "x")))
    root = Loop(ROOT, "i", INT, Polynomial(()), (N,), 1, (body,))
    arrays = tuple(ArrayObject(a, FLOAT, 4, (None,), "parameter", is_pointer=True, restrict=True) for a in "xy")
    nest = LoopNest(root, arrays, (ScalarObject("i", INT, "body", used_after=False),), ("n",))
    n = Formula.parameter("n")
    block = BasicBlock(
        (Instruction("load", (), STATEMENT, READ), Instruction("store", (0,), STATEMENT, WRITE)), Fraction(1)
    )
    kernel = Kernel(
        ROOT, Formula.constant(1), (GridLoop(ROOT, "i", n, Polynomial(()), 1),), (ROOT,), (block,), (), (), (), 8, (),
        Fraction(1, 2),
    )  # fmt: skip
    facts = NestFacts(
        nest, (LoopVerdict(ROOT, "parallel"),), (TripCount(ROOT, n, exact=True),), (block,), (), (kernel,),
        (ArrayTransfer("x", n * 4, Formula.constant(0)),), n * 8, ("n",),
    )  # fmt: skip
    staged = SharedChoice("x", (READ,), 2048, 512.0, 0.25, 1536.0)
    launch = LaunchConfig((32, 8, 1), (staged,))
    prediction = Prediction(
        model="Resios", launch=launch, time_s=1e-3, breakdown_s=(("memory", 1e-3),), bound_by="memory bandwidth",
        occupancy=Occupancy(8, 64, 1.0, "threads"), costs=(cost(READ, 32), cost(WRITE, 4)),
        hotspots=(Hotspot(READ, STATEMENT, 1234.0, 0.6),), registers_per_thread=16, spills_per_thread=0, threads=4096,
        flops=0.0, useful_bytes=32768.0, bytes_moved=65536.0, assumptions=(),
    )  # fmt: skip
    return NestEvaluation(
        facts, (("n", 4096),),
        (KernelEvaluation(kernel, 1, prediction, (staged,)),),
        Offload(1e-3, 0.0, 1e-3, 1.388e-3, 0.3, 0.061, 0.0061, 16384.0, 16384.0),
        CpuTime(0.061, 0.0061, "memory bandwidth", vectorised=True, breakdown_s=(), assumptions=()),
        load_gpu("a100"), load_cpu("server"), (SIZE,),
    )  # fmt: skip


def ranked(time_s: float, block: tuple[int, int, int], outputs: int = 1, *shared: SharedChoice) -> RankedLaunch:
    return RankedLaunch(LaunchConfig(block, shared, (1, outputs, 1)), time_s, 0.5, 24, spills=outputs >= 16)


@pytest.fixture
def ranking() -> LaunchRanking:
    """Six of 2304 launches, the user's own 1.316 times slower than the best."""
    staged = SharedChoice("x", (READ,), 2048, 512.0, 0.25, 1536.0)
    launches = (
        ranked(1e-3, (32, 8, 1), 4, staged), ranked(1.01e-3, (32, 8, 1), 2, staged), ranked(1.1e-3, (64, 4, 1), 4),
        ranked(1.316e-3, (128, 1, 1)), ranked(2e-3, (32, 1, 1)), ranked(40e-3, (1024, 1, 1), 16),
    )  # fmt: skip
    times = ((2e-3, 1.316e-3, 1.2e-3, inf), (2.1e-3, 1.1e-3, 1.01e-3, inf), (3e-3, 1.6e-3, 1e-3, 40e-3))
    return LaunchRanking(
        "haigh", 2304, launches, ("`x` is read 4 times less from memory", "no tail wave", "a third"), launches[3],
        "thread_limit(128)", LaunchMap((32, 128, 256, 1024), (1, 2, 4), times), 2000, launches[3],
    )  # fmt: skip


@pytest.fixture
def compared(evaluation: NestEvaluation, ranking: LaunchRanking) -> NestEvaluation:
    """The same nest with its launches ranked, four models side by side and three benefits."""
    (kernel,) = evaluation.kernels
    parts = (("memory bandwidth", 0.81e-3), ("computation", 0.19e-3))
    chosen = replace(kernel.prediction, model="resios", breakdown_s=parts)
    others = (("mwp_cwp", 1.3e-3), ("gpuperf", 1e-3), ("haigh", 1.1e-3))
    comparison = ModelComparison(
        (chosen, *(replace(chosen, model=model, time_s=time_s, bound_by="computation") for model, time_s in others)),
        "streaming",
        (
            ModelError("gpuperf", "streaming", 1.02, 0.7, 1.4, 0.2, 1.2, 40, 400, ("GTX 980", "K20")),
            ModelError("resios", "streaming", 0.97, 0.8, 1.25, 0.1, 1.1, 41, 412, ("GTX 980", "K20")),
        ),
        "`resios` has the smallest error on streaming kernels.",
        MwpCwp(2.28, 20.0, "CWP >= MWP", 14.8),
    )
    benefits = (
        Benefit("serialisation", 900.0, 9e-6, 0.009, "fewer barriers"),
        Benefit("instruction parallelism", 12_000.0, 0.12e-3, 0.12, "unroll the loop over `k`"),
        Benefit("memory parallelism", 42_000.0, 0.42e-3, 0.38, "read `x[i]` along `i`.", "WL201", has_fix=True),
    )
    found = replace(kernel, prediction=chosen, ranking=ranking, comparison=comparison, benefits=benefits)
    return replace(evaluation, kernels=(found,))
