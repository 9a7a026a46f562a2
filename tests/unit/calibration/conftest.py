"""The stand-in's made-up truth, for tests that compare with it."""

import importlib.util
import sys
from pathlib import Path

_SPEC = importlib.util.spec_from_file_location("calibration_truth", Path(__file__).parent / "synthetic_gpu.py")
assert _SPEC is not None
assert _SPEC.loader is not None
_MODULE = importlib.util.module_from_spec(_SPEC)
sys.modules["calibration_truth"] = _MODULE
_SPEC.loader.exec_module(_MODULE)
