/* HeCBench popcount-cuda, kernel pc4 (BSD-3-Clause). The inner loop's i is called b. */
void pc4(const unsigned long *restrict data, int *restrict r, const int length)
{
    for (int i = 0; i < length; i++) {
        unsigned long x = data[i];
        char cnt = 0;
        for (char b = 0; b < 64; b++) {
            cnt = cnt + (x & 0x1);
            x = x >> 1;
        }
        r[i] = cnt;
    }
}
