"""Every named nest that ports are checked with."""

from cuda_on_cpu.corpus.kinds import KINDS
from cuda_on_cpu.corpus.measured import MEASURED_NESTS
from cuda_on_cpu.corpus.openmp import OPENMP_NESTS
from cuda_on_cpu.corpus.shapes import SHAPES
from cuda_on_cpu.corpus.updates import UPDATES
from cuda_on_cpu.corpus.variables import VARIABLES

CORPUS = (*MEASURED_NESTS, *OPENMP_NESTS, *SHAPES, *KINDS, *UPDATES, *VARIABLES)
