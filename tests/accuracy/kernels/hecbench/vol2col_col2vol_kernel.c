/* HeCBench vol2col-cuda, kernel col2vol_kernel<float, float> (BSD-3-Clause). std::min as a conditional. */
void col2vol_kernel(const unsigned long n, const float *data_col, const unsigned depth, const unsigned height,
                    const unsigned width, const unsigned kernel_t, const unsigned kernel_h, const unsigned kernel_w,
                    const unsigned pad_t, const unsigned pad_h, const unsigned pad_w, const unsigned stride_t,
                    const unsigned stride_h, const unsigned stride_w, const unsigned dilation_t, const unsigned dilation_h,
                    const unsigned dilation_w, const unsigned depth_col, const unsigned height_col, const unsigned width_col,
                    float *data_vol)
{
    for (unsigned long index = 0; index < n; index++) {
        float val = (float)0;
        const unsigned w_im = index % width + pad_w;
        const unsigned h_im = (index / width) % height + pad_h;
        const unsigned t_im = (index / width / height) % depth + pad_t;
        const unsigned c_im = index / (width * height * depth);
        unsigned kernel_extent_w = (kernel_w - 1) * dilation_w + 1;
        unsigned kernel_extent_h = (kernel_h - 1) * dilation_h + 1;
        unsigned kernel_extent_t = (kernel_t - 1) * dilation_t + 1;
        const unsigned w_col_start = (w_im < kernel_extent_w) ? 0 : (w_im - kernel_extent_w) / stride_w + 1;
        const unsigned w_col_end = w_im / stride_w + 1 < width_col ? w_im / stride_w + 1 : width_col;
        const unsigned h_col_start = (h_im < kernel_extent_h) ? 0 : (h_im - kernel_extent_h) / stride_h + 1;
        const unsigned h_col_end = h_im / stride_h + 1 < height_col ? h_im / stride_h + 1 : height_col;
        const unsigned t_col_start = (t_im < kernel_extent_t) ? 0 : (t_im - kernel_extent_t) / stride_t + 1;
        const unsigned t_col_end = t_im / stride_t + 1 < depth_col ? t_im / stride_t + 1 : depth_col;
        for (unsigned t_col = t_col_start; t_col < t_col_end; t_col += 1) {
            for (unsigned h_col = h_col_start; h_col < h_col_end; h_col += 1) {
                for (unsigned w_col = w_col_start; w_col < w_col_end; w_col += 1) {
                    unsigned long t_k = (t_im - t_col * stride_t);
                    unsigned long h_k = (h_im - h_col * stride_h);
                    unsigned long w_k = (w_im - w_col * stride_w);
                    if (t_k % dilation_t == 0 && h_k % dilation_h == 0 && w_k % dilation_w == 0) {
                        t_k /= dilation_t;
                        h_k /= dilation_h;
                        w_k /= dilation_w;
                        const unsigned long idx_k = ((c_im * kernel_t + t_k) * kernel_h + h_k) * kernel_w + w_k;
                        const unsigned long data_col_index =
                            ((idx_k * depth_col + t_col) * height_col + h_col) * width_col + w_col;
                        val += data_col[data_col_index];
                    }
                }
            }
        }
        data_vol[index] = (float)val;
    }
}
