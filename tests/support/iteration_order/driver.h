/* Runs each function of a rewritten C file in C's order, then with each of its loops reversed and shuffled, and prints
 * the loops whose memory then differs. Included before the file; main (run.py) follows it.
 * The functions are the file's own, or with DRIVER_APART those of an object file, made of this one with DRIVER_ITSELF. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DRIVER_APART
extern int selected, shuffled, ran_in_another_order;
extern unsigned char arena_[1 << 18];
void too_many_(void);
void order_(int *order, int count, int loop);
void object_(void *at, size_t bytes, char kind);
void save_(int loop, ...);
void put_back_(void);
void *allocate_(size_t bytes);
void free_(void *memory);
void end_call_(void);
void check_(void (*run)(long, long, long, long, double *), const int *loops, const char *is_rounded,
            const char *needs_distinct);
#else
#ifdef DRIVER_ITSELF
#define SHARED_
#else
#define SHARED_ static
#endif

enum { ROUNDS = 24 }; /* of memory with other contents */
SHARED_ int selected = -1, shuffled, ran_in_another_order;

SHARED_ void too_many_(void)
{
    abort();
}

SHARED_ void order_(int *order, int count, int loop)
{
    (void)loop;
    for (int k = 0; k < count; k++)
        order[k] = count - 1 - k;
    if (shuffled)
        for (int k = count - 1; k > 0; k--) {
            int other = rand() % (k + 1), kept = order[k];
            order[k] = order[other];
            order[other] = kept;
        }
    ran_in_another_order |= count > 1;
}

/* Objects that the file's functions reach; a scalar result is one. */
static struct object {
    unsigned char *at, *initial, *wanted, *saved;
    size_t bytes;
    char kind;
} objects_[256];
static int object_count;

SHARED_ void object_(void *at, size_t bytes, char kind)
{
    if (object_count == 256)
        abort();
    objects_[object_count++] = (struct object){at, malloc(bytes), malloc(bytes), malloc(bytes), bytes, kind};
}

/* Memory is filled by this (splitmix64), which takes a tenth of the time that rand() takes. */
static unsigned long long random_state_;
static unsigned random_(void)
{
    unsigned long long mixed = random_state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed >> 33;
}

/* Doubles of odd rounds are eighths: equal ones, and zeros, occur. */
static double number_(int round)
{
    return round % 2 ? random_() % 17 / 8.0 - 1 : random_() / 0x1p30 - 1;
}

#define FILL_(TYPE, VALUE)                                                                                             \
    for (size_t k = 0; k < o->bytes / sizeof(TYPE); k++)                                                               \
        ((TYPE *)o->initial)[k] = (VALUE);                                                                             \
    break

static void fill_(struct object *o, int round)
{
    switch (o->kind) {
    case 'd': FILL_(double, number_(round));
    case 'f': FILL_(float, number_(round));
    case 'i': FILL_(int, random_() % 11);
    case 'l': FILL_(long, random_() % 11);
    case 's': FILL_(short, random_() % 700);
    case 'r': FILL_(int, 3 * k);
    case 'p': memcpy(o->initial, o->at, o->bytes); break; /* pointers, set before */
    case 'z': memset(o->initial, 0, o->bytes); break;
    default: FILL_(unsigned char, random_() % 256);
    }
}

/* Every object as it is at the start of a round. */
static void fill_all_(int round)
{
    random_state_ = 7 + round;
    for (int k = 0; k < object_count; k++)
        fill_(&objects_[k], round);
}

static void forget_(void)
{
    for (int k = 0; k < object_count; k++)
        free(objects_[k].initial), free(objects_[k].wanted), free(objects_[k].saved);
    object_count = 0;
}

static void reset_(void)
{
    for (int k = 0; k < object_count; k++)
        memcpy(objects_[k].at, objects_[k].initial, objects_[k].bytes);
}

static void want_(void)
{
    for (int k = 0; k < object_count; k++)
        memcpy(objects_[k].wanted, objects_[k].at, objects_[k].bytes);
}

static int near_(double a, double b, double allowed)
{
    double distance = a < b ? b - a : a - b, size = (a < 0 ? -a : a) + 1;
    return a == b || (a != a && b != b) || distance <= allowed * size;
}

static int same_(int is_rounded)
{
    for (int k = 0; k < object_count; k++) {
        struct object *o = &objects_[k];
        if (!memcmp(o->at, o->wanted, o->bytes))
            continue;
        if (!is_rounded || (o->kind != 'd' && o->kind != 'f'))
            return 0;
        if (o->kind == 'd')
            for (size_t n = 0; n < o->bytes / sizeof(double); n++)
                if (!near_(((double *)o->at)[n], ((double *)o->wanted)[n], 1e-9))
                    return 0;
        if (o->kind == 'f')
            for (size_t n = 0; n < o->bytes / sizeof(float); n++)
                if (!near_(((float *)o->at)[n], ((float *)o->wanted)[n], 1e-4))
                    return 0;
    }
    return 1;
}

/* Memory as it is before a loop, to run the loop again; the varying arguments are the function's own objects. */
static struct { void *at, *saved; size_t bytes; } own_[64];
static int own_count;

SHARED_ void save_(int loop, ...)
{
    va_list list;
    (void)loop;
    for (int k = 0; k < object_count; k++)
        memcpy(objects_[k].saved, objects_[k].at, objects_[k].bytes);
    while (own_count)
        free(own_[--own_count].saved);
    va_start(list, loop);
    for (void *at; (at = va_arg(list, void *)); own_count++) {
        own_[own_count].at = at;
        own_[own_count].bytes = va_arg(list, size_t);
        own_[own_count].saved = malloc(own_[own_count].bytes);
        memcpy(own_[own_count].saved, at, own_[own_count].bytes);
    }
    va_end(list);
}

SHARED_ void put_back_(void)
{
    for (int k = 0; k < object_count; k++)
        memcpy(objects_[k].at, objects_[k].saved, objects_[k].bytes);
    for (int k = 0; k < own_count; k++)
        memcpy(own_[k].at, own_[k].saved, own_[k].bytes);
}

/* What the file's functions allocate is memory that can be put back. */
SHARED_ unsigned char arena_[1 << 18];
static size_t arena_used;

SHARED_ void *allocate_(size_t bytes)
{
    size_t *at = (size_t *)(arena_ + arena_used);
    *at = (bytes + 127) / 64 * 64;
    arena_used += *at;
    if (arena_used > sizeof arena_)
        abort();
    return at + 8;
}

/* Freed memory reads as zero, whichever iteration had it. */
SHARED_ void free_(void *memory)
{
    if (memory)
        memset((size_t *)memory - 8, 0, ((size_t *)memory)[-8]);
}

/* A call that ends itself by `assert`, `abort` or `exit` ends there, in every order alike. */
static jmp_buf ended_;
SHARED_ void end_call_(void)
{
    longjmp(ended_, 1);
}

void __assert_fail(const char *condition, const char *file, unsigned line, const char *function)
{
    (void)condition, (void)file, (void)line, (void)function;
    end_call_();
}

SHARED_ void check_(void (*run)(long, long, long, long, double *), const int *loops, const char *is_rounded,
                   const char *needs_distinct)
{
    static const long sizes[][4] = {{11, 11, 11, 11}, {9, 6, 5, 7}, {4, 4, 4, 4}};
    static double result;
    char differs[4096] = {0}, ran[4096] = {0};
    object_(&result, sizeof result, 'd');
    for (volatile int round = 0; round < ROUNDS; round++) {
        const long *volatile z = sizes[round / 2 % 3];
        fill_all_(round);
        for (volatile int at = -1; at < 0 || loops[at] >= 0; at++)
            for (shuffled = 0; shuffled <= (at >= 0); shuffled++) {
                selected = at < 0 ? -1 : loops[at];
                ran_in_another_order = 0;
                arena_used = 0;
                srand(7);
                reset_();
                if (!setjmp(ended_))
                    run(z[0], z[1], z[2], z[3], &result);
                if (at < 0)
                    want_();
                else {
                    differs[at] |= !same_(is_rounded[at]) && !(needs_distinct[at] && round % 2);
                    ran[at] |= ran_in_another_order;
                }
            }
    }
    for (int at = 0; loops[at] >= 0; at++) {
        if (differs[at])
            printf("differs %d\n", loops[at]);
        if (!ran[at])
            printf("idle %d\n", loops[at]);
    }
    forget_();
}

#endif

#define malloc(bytes) allocate_(bytes)
#define calloc(count, bytes) memset(allocate_((count) * (bytes)), 0, (count) * (bytes))
#define free(at) free_(at)
#define abort() end_call_()
#define exit(status) end_call_()
