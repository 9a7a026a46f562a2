/* Runs a function as it was and after a fix on the same memory, and prints the name where something differs. Included
 * before the C file whose functions these are; main (equivalence.py) follows it. */
#include "../iteration_order/driver.h"
#include <signal.h>

typedef void run_(int is_null, long n, long m, double *result);

static sigjmp_buf fault_;
static void faulted_(int signal_number)
{
    (void)signal_number;
    siglongjmp(fault_, 1);
}

/* Whether the function touches memory behind its pointers, which are null here. */
static int touches_(run_ *run, long n, long m, double *result)
{
    reset_();
    if (sigsetjmp(fault_, 1))
        return 1;
    run(1, n, m, result);
    return 0;
}

static int alike_(void)
{
    for (int k = 0; k < object_count; k++) {
        struct object *o = &objects_[k];
        if (!memcmp(o->at, o->wanted, o->bytes))
            continue;
        if (o->kind != 'd')
            return 0;
        for (size_t n = 0; n < o->bytes / sizeof(double); n++) {
            double a = ((double *)o->at)[n], b = ((double *)o->wanted)[n];
            if (memcmp(&a, &b, sizeof a) && (a == a || b == b)) /* one NaN is like another */
                return 0;
        }
    }
    return 1;
}

static void pair_(run_ *original, run_ *fixed, const char *name)
{
    static const long sizes[][2] = {{0, 0}, {1, 5}, {0, 7}, {6, 0}, {11, 11}, {7, 10}, {3, 2}, {11, 4}, {2, 1}};
    static double result;
    object_(&result, sizeof result, 'd');
    for (volatile int round = 0; round < 18; round++) {
        long n = sizes[round / 2][0], m = sizes[round / 2][1];
        fill_all_(round);
        if (!touches_(original, n, m, &result) && touches_(fixed, n, m, &result)) {
            printf("%s touches more\n", name);
            break;
        }
        reset_();
        original(0, n, m, &result);
        want_();
        reset_();
        fixed(0, n, m, &result);
        if (!alike_()) {
            printf("%s differs\n", name);
            break;
        }
    }
    forget_();
}
