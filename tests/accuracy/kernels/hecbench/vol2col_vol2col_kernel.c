/* HeCBench vol2col-cuda, kernel vol2col_kernel<float> (BSD-3-Clause). */
void vol2col_kernel(const unsigned long range, const float *data_vol, const int depth, const int height, const int width,
                    const int ksize_t, const int ksize_h, const int ksize_w, const int pad_t, const int pad_h, const int pad_w,
                    const int stride_t, const int stride_h, const int stride_w, const int dilation_t, const int dilation_h,
                    const int dilation_w, const int depth_col, const int height_col, const int width_col, float *data_col)
{
    for (long n = 0; n < range; n++) {
        int w_out = n % width_col;
        long index = n / width_col;
        int h_out = index % height_col;
        index = index / height_col;
        int t_out = index % depth_col;
        int channel_in = index / depth_col;
        int channel_out = channel_in * ksize_t * ksize_h * ksize_w;
        int t_in = t_out * stride_t - pad_t;
        int h_in = h_out * stride_h - pad_h;
        int w_in = w_out * stride_w - pad_w;
        const float *v = data_vol + ((channel_in * depth + t_in) * height + h_in) * width + w_in;
        float *c = data_col + ((channel_out * depth_col + t_out) * height_col + h_out) * width_col + w_out;

        for (int i = 0; i < ksize_t; ++i) {
            for (int j = 0; j < ksize_h; ++j) {
                for (int k = 0; k < ksize_w; ++k) {
                    int t = t_in + i * dilation_t;
                    int h = h_in + j * dilation_h;
                    int w = w_in + k * dilation_w;
                    *c = (t >= 0 && h >= 0 && w >= 0 && t < depth && h < height && w < width)
                             ? v[i * dilation_t * height * width + j * dilation_h * width + k * dilation_w]
                             : (float)0;
                    c += depth_col * height_col * width_col;
                }
            }
        }
    }
}
