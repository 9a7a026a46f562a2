/* HeCBench extrema, kernel relextrema_1D of int (BSD-3-Clause). Each thread had one trip of its grid-stride loop. */
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

void relextrema_1D(const int n, const int order, const _Bool clip, const int *restrict inp, _Bool *restrict results)
{
    for (int tid = 0; tid < n; tid++) {
        const int data = inp[tid];
        _Bool temp = 1;

        for (int o = 1; o < (order + 1); o++) {
            int plus = tid + o;
            int minus = tid - o;

            plus = clip_plus(clip, n, plus);
            minus = clip_minus(clip, n, minus);

            temp &= data > inp[plus];
            temp &= data >= inp[minus];
        }
        results[tid] = temp;
    }
}
