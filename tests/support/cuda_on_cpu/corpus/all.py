"""Every named nest that ports are checked with."""

from support.cuda_on_cpu.corpus.kinds import KINDS
from support.cuda_on_cpu.corpus.measured import MEASURED_NESTS
from support.cuda_on_cpu.corpus.openmp import OPENMP_NESTS
from support.cuda_on_cpu.corpus.scans import SCANS
from support.cuda_on_cpu.corpus.shapes import SHAPES
from support.cuda_on_cpu.corpus.steps import STEPS
from support.cuda_on_cpu.corpus.updates import UPDATES
from support.cuda_on_cpu.corpus.variables import VARIABLES

CORPUS = (*MEASURED_NESTS, *OPENMP_NESTS, *SHAPES, *KINDS, *UPDATES, *STEPS, *SCANS, *VARIABLES)
