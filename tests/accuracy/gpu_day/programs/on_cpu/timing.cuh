// In place of the calibration program's timing.cuh, which reads the SM's clock: here every time is made up.
#pragma once
#include "device_memory.cuh"

class EventTimer {
  public:
    template <class Launch> double seconds(Launch launch) const
    {
        launch();
        CHECK(cudaGetLastError());
        return 1e-3;
    }
};

static void raise_clocks() {}
