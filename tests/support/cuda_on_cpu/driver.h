/* What checks of ports share: numbers to run them on, and the comparison with the original. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
void cuda_order(unsigned seed);
void cuda_host(void *start, size_t bytes);
void cuda_done(void);
void cuda_fail(int call);
int cuda_calls(void);
#ifdef __cplusplus
}
#endif

enum { ORDERS = 4 };

static unsigned long long random_state;

static inline unsigned long random_(unsigned long below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return below ? (random_state >> 33) % below : 0;
}

/* Reals, or (exact) integers from -8 to 8 of which every sum of some thousands is exact even in float. */
#define FILL_FLOATS(TYPE, at, count, exact)                                                                            \
    for (size_t k_ = 0; k_ < (count); k_++)                                                                            \
        ((TYPE *)(at))[k_] = (exact) ? (TYPE)((int)random_(17) - 8) : (TYPE)(random_(2000001) / 1e6 - 1);
#define FILL_INTEGERS(TYPE, at, count)                                                                                 \
    for (size_t k_ = 0; k_ < (count); k_++)                                                                            \
        ((TYPE *)(at))[k_] = (TYPE)random_(11);
#define FILL_INDEX(TYPE, at, count, below)                                                                             \
    for (size_t k_ = 0; k_ < (count); k_++)                                                                            \
        ((TYPE *)(at))[k_] = (TYPE)random_(below);
#define FILL_PERMUTATION(TYPE, at, count, unused)                                                                      \
    for (size_t k_ = 0; k_ < (count); k_++) {                                                                          \
        size_t other_ = random_(k_ + 1);                                                                               \
        ((TYPE *)(at))[k_] = ((TYPE *)(at))[other_];                                                                   \
        ((TYPE *)(at))[other_] = (TYPE)k_;                                                                             \
    }
#define FILL_ROWS(TYPE, at, count, last)                                                                               \
    for (size_t k_ = 0; k_ < (count); k_++)                                                                            \
        ((TYPE *)(at))[k_] = (count) > 1 ? (TYPE)((double)k_ / ((count) - 1) * (last) + 0.5 * (k_ % 2)) : 0;           \
    if ((count) > 0)                                                                                                   \
        ((TYPE *)(at))[(count) - 1] = (last);
#define MAKE_ABSOLUTE(TYPE, at, count)                                                                                 \
    for (size_t k_ = 0; k_ < (count); k_++)                                                                            \
        ((TYPE *)(at))[k_] = (TYPE)fabs((double)((TYPE *)(at))[k_]);

static inline void *copy_(const void *from, size_t bytes)
{
    void *made = malloc(bytes);
    return memcpy(made, from, bytes);
}

static inline void differs_(const char *what, size_t element, double is, double should, const char *where)
{
    fprintf(stderr, "%s: %s[%zu] is %.17g, not %.17g\n", where, what, element, is, should);
    exit(1);
}

/* `bounds` are what the function makes of absolute values; the results may differ by `terms` roundings of them. */
#define COMPARE(TYPE, what, ported, original, bounds, terms, epsilon, count, where)                                    \
    for (size_t k_ = 0; k_ < (count); k_++) {                                                                          \
        double is_ = (double)(ported)[k_], should_ = (double)(original)[k_];                                           \
        double bound_ = (terms) ? (double)(terms) * (epsilon) * fabs((double)(bounds)[k_]) : 0;                        \
        if (memcmp(&(ported)[k_], &(original)[k_], sizeof(TYPE)) && !(fabs(is_ - should_) <= bound_))                  \
            differs_(what, k_, is_, should_, where);                                                                   \
    }
#define COMPARE_BYTES(what, ported, original, count, where)                                                            \
    for (size_t k_ = 0; k_ < (count); k_++)                                                                            \
        if (((char *)(ported))[k_] != ((char *)(original))[k_])                                                        \
            differs_(what " byte", k_, ((char *)(ported))[k_], ((char *)(original))[k_], where);
