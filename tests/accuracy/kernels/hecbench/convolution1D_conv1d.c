/* HeCBench convolution1D-cuda, kernel conv1d<double> (BSD-3-Clause). The mask lies in constant memory there. */
void conv1d(const double *restrict in, double *restrict out, const double *restrict mask, const int input_width,
            const int mask_width)
{
    for (int i = 0; i < input_width; i++) {
        double s = 0;
        int start = i - mask_width / 2;
        for (int j = 0; j < mask_width; j++) {
            if (start + j >= 0 && start + j < input_width) {
                s += in[start + j] * mask[j];
            }
        }
        out[i] = s;
    }
}
