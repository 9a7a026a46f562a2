/* What every measuring program has: memory with random values, the C as the reference, the ports in turn, the check.
 *
 * It is included below the tables of what the nest reads and writes, warplens_arrays and warplens_leaves, and the sizes,
 * warplens_values. The C and each port are shared objects with a function `warplens_call`, which calls the user's
 * function with that memory and those sizes.
 * Arguments: file for the results, least runs, least seconds, shared object of the C, shared objects of ports.
 * The file gets a JSON object a line: the reference first, then each port. With "-" in place of the C nothing is
 * compared: that is for a profiler.
 * Where WARPLENS_GPU_TURN names a file, ports run while nobody else has it locked: several programs can be started at a
 * time, each makes its data and runs the C beside the others, and one has the GPU. A line says when that began, by
 * CLOCK_MONOTONIC. */

#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void) { return "detect_leaks=0"; } /* what lives as long as the program */
#endif

static unsigned long warplens_state = 88172645463325252ul;

static unsigned long warplens_random(void)
{
    warplens_state ^= warplens_state << 13;
    warplens_state ^= warplens_state >> 7;
    warplens_state ^= warplens_state << 17;
    return warplens_state;
}

static double warplens_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *warplens_allocate(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static void *warplens_symbol(void *library, const char *name)
{
    void *symbol = library ? dlsym(library, name) : NULL;
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return symbol;
}

static void warplens_store(char *at, const struct warplens_leaf *leaf, double real, long whole)
{
    if (leaf->kind == WARPLENS_FLOAT) {
        float narrow = (float)real;
        memcpy(at, leaf->bytes == 4 ? (void *)&narrow : (void *)&real, (size_t)leaf->bytes);
    } else {
        memcpy(at, &whole, (size_t)leaf->bytes); /* little-endian, as every machine with such a GPU */
    }
}

static double warplens_real(const char *at, int bytes)
{
    float narrow;
    double wide;
    if (bytes == 4)
        return memcpy(&narrow, at, 4), (double)narrow;
    return memcpy(&wide, at, 8), wide;
}

static long warplens_whole(const char *at, const struct warplens_leaf *leaf)
{
    unsigned long bits = 0;
    memcpy(&bits, at, (size_t)leaf->bytes);
    if (leaf->kind == WARPLENS_SIGNED && leaf->bytes < 8 && bits >> (8 * leaf->bytes - 1))
        bits |= ~0ul << (8 * leaf->bytes);
    return (long)bits;
}

/* Reals lie between 0.5 and 1.5, so that nothing is divided by next to nothing; whole numbers below `limit`. */
static void warplens_fill(char *memory, const struct warplens_leaf *leaf)
{
    for (size_t i = 0; i < leaf->count; i++) {
        long whole = (long)(warplens_random() % (unsigned long)leaf->limit);
        if (leaf->role == WARPLENS_PERMUTATION)
            whole = (long)i;
        if (leaf->role == WARPLENS_ROWS)
            whole = (long)((double)i * (double)leaf->limit / (double)(leaf->count > 1 ? leaf->count - 1 : 1));
        warplens_store(memory + leaf->offset + i * leaf->stride, leaf, 0.5 + (double)(warplens_random() >> 11) * 0x1p-53,
                       whole);
    }
    for (size_t i = leaf->count; leaf->role == WARPLENS_PERMUTATION && i > 1; i--) {
        char *one = memory + leaf->offset + (i - 1) * leaf->stride, swapped[8];
        char *other = memory + leaf->offset + warplens_random() % i * leaf->stride;
        memcpy(swapped, one, (size_t)leaf->bytes);
        memcpy(one, other, (size_t)leaf->bytes);
        memcpy(other, swapped, (size_t)leaf->bytes);
    }
}

#include "comparison.c"

/* The lock goes when the program ends. */
static void warplens_take_turn(FILE *out)
{
    const char *path = getenv("WARPLENS_GPU_TURN");
    if (path == NULL)
        return;
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0 || flock(file, LOCK_EX) != 0) {
        perror(path);
        exit(1);
    }
    fprintf(out, "{\"turn_began_s\": %.3f}\n", warplens_now());
    fflush(out);
}

/* One port: runs until both the least number and the least time are reached, each on fresh copies of what it writes. */
static void warplens_measure(FILE *out, const char *path, char **inputs, char **expected, char **memory, int least_runs,
                             double least_s, warplens_function reference)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    warplens_function call = (warplens_function)warplens_symbol(library, "warplens_call");
    const char *(*device)(void) = (const char *(*)(void))warplens_symbol(library, "warplens_device");
    void (*start)(void) = (void (*)(void))warplens_symbol(library, "warplens_start_run");
    void (*end)(double *) = (void (*)(double *))warplens_symbol(library, "warplens_end_run");
    fprintf(out, "{\"device\": %s, \"runs\": [", device());
    double began = warplens_now();
    for (int runs = 0; runs < least_runs || (warplens_now() - began < least_s && runs < 1000); runs++) {
        double times[4] = {0, 0, 0, 0};
        for (int i = 0; i < WARPLENS_ARRAYS; i++)
            if (warplens_arrays[i].is_written)
                memcpy(memory[i], inputs[i], warplens_arrays[i].bytes);
        start();
        call(memory, warplens_values);
        end(times);
        fprintf(out, "%s[%.9g, %.9g, %.9g, %.0f]", runs ? ", " : "", times[0], times[1], times[2], times[3]);
    }
    fprintf(out, "]");
    if (reference != NULL)
        warplens_check(out, reference, inputs, expected, memory);
    fprintf(out, "}\n");
    fflush(out);
}

int main(int count, char **arguments)
{
    FILE *out = count > 4 ? fopen(arguments[1], "w") : NULL;
    if (out == NULL) {
        fprintf(stderr, "the results can't be written\n");
        return 1;
    }
    char *inputs[WARPLENS_ARRAYS], *expected[WARPLENS_ARRAYS], *memory[WARPLENS_ARRAYS];
    for (int i = 0; i < WARPLENS_ARRAYS; i++)
        inputs[i] = warplens_allocate(warplens_arrays[i].bytes);
    for (int i = 0; i < WARPLENS_LEAVES; i++)
        warplens_fill(inputs[warplens_leaves[i].array], &warplens_leaves[i]);
    for (int i = 0; i < WARPLENS_ARRAYS; i++) {
        int is_written = warplens_arrays[i].is_written;
        expected[i] = is_written ? warplens_allocate(warplens_arrays[i].bytes) : inputs[i];
        memory[i] = is_written ? warplens_allocate(warplens_arrays[i].bytes) : inputs[i];
        if (is_written)
            memcpy(expected[i], inputs[i], warplens_arrays[i].bytes);
    }
    warplens_function reference = NULL;
    if (strcmp(arguments[4], "-") != 0) {
        reference = (warplens_function)warplens_symbol(dlopen(arguments[4], RTLD_NOW | RTLD_LOCAL), "warplens_call");
        double began = warplens_now();
        reference(expected, warplens_values);
        fprintf(out, "{\"reference_s\": %.9g}\n", warplens_now() - began);
        fflush(out);
    }
    warplens_take_turn(out);
    for (int i = 5; i < count; i++)
        warplens_measure(out, arguments[i], inputs, expected, memory, atoi(arguments[2]), atof(arguments[3]), reference);
    return fclose(out) != 0;
}
