// Checked calls, arrays on the device and timers are those of the calibration program, hwprofiles/calibrate/gpu, whose
// folder is on the include path. A comparison uses only some of their functions, which gcc would warn of.
#pragma once
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "check.cuh"
#include "device_memory.cuh"
#include "timing.cuh"
#pragma GCC diagnostic pop
