"""Nests that a port may get wrong in some launches only, run in those."""

from pathlib import Path

from support.cuda_on_cpu.analysed import analysed
from support.cuda_on_cpu.case import Case
from support.cuda_on_cpu.ports import Refused, contexts, ported
from support.cuda_on_cpu.programs import Checked, failures
from warplens.analysis.ports.fix import LaunchWish

_SIZES = ({"n": 0, "m": 0}, {"n": 1, "m": 1}, {"n": 5, "m": 4}, {"n": 40, "m": 37})

BODIES = Case(
    "bodies_in_three_dimensions",
    """
    void work(int n, float a[n][3], const float p[n][3], const float w[n])
    {
        for (int i = 0; i < n; i++) {
            float s[3] = {0, 0, 0};
            for (int j = 0; j < n; j++) {
                float r = 0.5f;
                for (int d = 0; d < 3; d++)
                    r += (p[j][d] - p[i][d]) * (p[j][d] - p[i][d]);
                for (int d = 0; d < 3; d++)
                    s[d] += w[j] * (p[j][d] - p[i][d]) / r;
            }
            for (int d = 0; d < 3; d++)
                a[i][d] = s[d];
        }
    }
    """,
    _SIZES,
)
ONE_NAME = Case(
    "one_name_in_two_loops",
    """
    void work(int n, int m, float a[n][m], const float p[n], const float w[m])
    {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                float t = 1, u, s = 0;
                int k;
                for (k = 0; k < n; k++) {
                    u = p[k] * w[j];
                    s += t * u;
                    if (u > 0)
                        t = u;
                }
                for (k = 0; k < m; k++) {
                    u = w[k] - p[i];
                    s -= t * u;
                    t = p[i];
                }
                a[i][j] = s + t;
            }
    }
    """,
    _SIZES,
)
HALF = Case(
    "half_in_chunks",
    """
    void work(int n, double *restrict y, const double *restrict x)
    {
        for (int i = 0; i < n / 2; i++) {
            double s = 0;
            for (int k = 0; k < (n + 1) / 2; k++)
                s += x[k] * i;
            y[i] = s;
        }
    }
    """,
    ({"n": 0}, {"n": 1}, {"n": 2}, {"n": 63}, {"n": 64}),
    lengths={"x": "(n + 1) / 2", "y": "n / 2"},
)
_LINE = (LaunchWish((33, 1, 1), (3, 1, 1), ()), LaunchWish((32, 1, 1), (2, 1, 1), ("p", "w")))
_SQUARE = (LaunchWish((8, 4, 1), (2, 3, 1), ()), LaunchWish((7, 5, 1), (1, 4, 1), ("p", "w")))
_CHUNKS = (LaunchWish((33, 1, 1), (1, 1, 1), ("x",)), LaunchWish((7, 1, 1), (2, 1, 1), ()))
LAUNCHES = ((BODIES, _LINE), (ONE_NAME, _SQUARE), (HALF, _CHUNKS))


def test_ports_compute_the_same_in_launches_that_tell(tmp_path: Path) -> None:
    checked = []
    for case, wishes in LAUNCHES:
        report = analysed(case)
        nests = list(contexts(case, report))
        ports = [ported(case, report, nests, [wish] * len(nests)) for wish in wishes]
        assert not [port for port in ports if isinstance(port, Refused)]
        checked.append(Checked(case, tuple(port for port in ports if not isinstance(port, Refused))))
    assert failures(checked, tmp_path) == []
