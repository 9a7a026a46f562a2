/* HeCBench extrema, kernel relextrema_2D of int, along rows (BSD-3-Clause). `axis` is 1 throughout the first half of the launches. */
static int clip_plus(const _Bool clip, const int n, int plus)
{
    if (clip) {
        if (plus >= n) {
            plus = n - 1;
        }
    } else {
        if (plus >= n) {
            plus -= n;
        }
    }
    return plus;
}

static int clip_minus(const _Bool clip, const int n, int minus)
{
    if (clip) {
        if (minus < 0) {
            minus = 0;
        }
    } else {
        if (minus < 0) {
            minus += n;
        }
    }
    return minus;
}

void relextrema_2D(const int in_x, const int in_y, const int order, const _Bool clip, const int *restrict inp,
                   _Bool *restrict results)
{
    for (int tx = 0; tx < in_y; tx++)
        for (int ty = 0; ty < in_x; ty++) {
            int tid = tx * in_x + ty;

            const int data = inp[tid];
            _Bool temp = 1;

            for (int o = 1; o < (order + 1); o++) {
                int plus;
                int minus;

                plus = ty + o;
                minus = ty - o;

                plus = clip_plus(clip, in_x, plus);
                minus = clip_minus(clip, in_x, minus);

                plus = tx * in_x + plus;
                minus = tx * in_x + minus;

                temp &= data > inp[plus];
                temp &= data >= inp[minus];
            }
            results[tid] = temp;
        }
}
