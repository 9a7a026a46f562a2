/* HeCBench pointwise-cuda, kernel elementWise_fp (BSD-3-Clause, NVIDIA Corporation). */
#include <math.h>

static float sigmoidf(float in)
{
    return 1.f / (1.f + expf(-in));
}

void elementWise_fp(int hiddenSize, int miniBatch, const float *restrict tmp_h, const float *restrict tmp_i,
                    const float *restrict bias, float *restrict linearGates, float *restrict h_out, float *restrict i_out,
                    const float *restrict c_in, float *restrict c_out)
{
    for (int index = 0; index < miniBatch * hiddenSize; index++) {
        int batch = index / hiddenSize;
        int gateIndex = (index % hiddenSize) + 4 * batch * hiddenSize;

        float g[4];

        for (int i = 0; i < 4; i++) {
            g[i] = tmp_i[i * hiddenSize + gateIndex] + tmp_h[i * hiddenSize + gateIndex];
            g[i] += bias[i * hiddenSize + index % hiddenSize] + bias[(i + 4) * hiddenSize + index % hiddenSize];
            linearGates[gateIndex + i * hiddenSize] = g[i];
        }

        float in_gate = sigmoidf(g[0]);
        float forget_gate = sigmoidf(g[1]);
        float in_gate2 = tanhf(g[2]);
        float out_gate = sigmoidf(g[3]);

        float val = (forget_gate * c_in[index]) + (in_gate * in_gate2);

        c_out[index] = val;

        val = out_gate * tanhf(val);

        h_out[index] = val;
        i_out[index] = val;
    }
}
