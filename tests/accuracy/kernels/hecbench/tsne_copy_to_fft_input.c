/* HeCBench tsne-cuda, kernel copy_to_fft_input (BSD-3-Clause). The written array is volatile in the source. */
void copy_to_fft_input(float *restrict fft_input, const float *w_coefficients_device, const int n_fft_coeffs,
                       const int n_fft_coeffs_half, const int n_terms)
{
    // warplens: fft_input has no shared elements
    for (int tid = 0; tid < n_terms * n_fft_coeffs_half * n_fft_coeffs_half; tid++) {
        int i, j;

        int current_term = tid / (n_fft_coeffs_half * n_fft_coeffs_half);
        int current_loc = tid % (n_fft_coeffs_half * n_fft_coeffs_half);

        i = current_loc / n_fft_coeffs_half;
        j = current_loc % n_fft_coeffs_half;

        fft_input[current_term * (n_fft_coeffs * n_fft_coeffs) + i * n_fft_coeffs + j] =
            w_coefficients_device[current_term + current_loc * n_terms];
    }
}
