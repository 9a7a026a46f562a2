/* Sums over channels, each shifted by a delay that grows with the dispersion measure. */
void dedispersion(int dms, int samples, int channels, int pitch, const unsigned char *restrict in,
                  const float *restrict shift, float *restrict out) {
    for (int dm = 0; dm < dms; dm++)
        for (int s = 0; s < samples; s++) {
            float a = 0;
            for (int ch = 0; ch < channels; ch++)
                a += in[ch * pitch + s + (int)(dm * 0.02f * shift[ch])];
            out[dm * samples + s] = a;
        }
}
