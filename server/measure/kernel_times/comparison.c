/* A port's result held against that of the C, for harness.c.
 *
 * Whole numbers are equal. Reals may differ by what rounding explains, as the GPU fuses a product and a sum into one
 * operation and adds in another order: by so many units of the larger of both (`tolerance`). Where large numbers cancel,
 * a small result has the rounding errors of the large ones. How large those were is not in the result, so the C says it:
 * it runs again with every operation rounded up, down and to zero. One direction adds up all errors of a sum of m terms, so
 * an m-th part of what it moves is one error, and as many of those are allowed as of units (`roundings` is that number
 * over m). */

typedef void (*warplens_function)(char **memory, const long *values);

enum { WARPLENS_NEIGHBOURS = 64 };

/* By leaf, for WARPLENS_NEIGHBOURS elements each: how far a direction of rounding moved any of them. Errors of one
 * element may cancel by chance, those of all its neighbours do not. Null until it is asked for. */
static double *warplens_moved[WARPLENS_LEAVES];

/* `by_rounding` differ by more than the tolerance, and no more than the roundings of the C explain. */
struct warplens_comparison {
    size_t compared, differing, by_rounding;
    double largest;
    int first_leaf;
    size_t first_element;
};

static const char *warplens_element(char **memory, const struct warplens_leaf *leaf, size_t i)
{
    return memory[leaf->array] + leaf->offset + i * leaf->stride;
}

static void warplens_add_moved(char **expected, char **found, const struct warplens_leaf *leaf, double *moved)
{
    for (size_t i = 0; i < leaf->count; i++) {
        double by = fabs(warplens_real(warplens_element(expected, leaf, i), leaf->bytes) -
                         warplens_real(warplens_element(found, leaf, i), leaf->bytes));
        if (isfinite(by))
            moved[i / WARPLENS_NEIGHBOURS] = fmax(moved[i / WARPLENS_NEIGHBOURS], by);
    }
}

static int warplens_is_real_result(const struct warplens_leaf *leaf)
{
    return leaf->kind == WARPLENS_FLOAT && warplens_arrays[leaf->array].is_written;
}

static void warplens_round_in_directions(warplens_function reference, char **inputs, char **expected)
{
    static const int directions[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    char *memory[WARPLENS_ARRAYS];
    for (int i = 0; i < WARPLENS_ARRAYS; i++)
        memory[i] = warplens_arrays[i].is_written ? warplens_allocate(warplens_arrays[i].bytes) : inputs[i];
    for (int i = 0; i < WARPLENS_LEAVES; i++) {
        size_t bytes = (warplens_leaves[i].count / WARPLENS_NEIGHBOURS + 1) * sizeof(double);
        if (warplens_is_real_result(&warplens_leaves[i]))
            warplens_moved[i] = memset(warplens_allocate(bytes), 0, bytes);
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < WARPLENS_ARRAYS; i++)
            if (warplens_arrays[i].is_written)
                memcpy(memory[i], inputs[i], warplens_arrays[i].bytes);
        fesetround(directions[k]);
        reference(memory, warplens_values);
        fesetround(FE_TONEAREST);
        for (int i = 0; i < WARPLENS_LEAVES; i++)
            if (warplens_is_real_result(&warplens_leaves[i]))
                warplens_add_moved(expected, memory, &warplens_leaves[i], warplens_moved[i]);
    }
    for (int i = 0; i < WARPLENS_ARRAYS; i++)
        if (warplens_arrays[i].is_written)
            free(memory[i]);
}

/* Whether a real number is right. */
static int warplens_is_close(double wanted, double got, const struct warplens_leaf *leaf, double moved,
                             struct warplens_comparison *said)
{
    if (wanted == got || (wanted != wanted && got != got))
        return 1;
    double error = fabs(wanted - got), relative = error / fmax(fabs(wanted), fabs(got));
    if (relative <= leaf->tolerance) {
        said->largest = fmax(said->largest, relative);
        return 1;
    }
    if (error <= leaf->roundings * moved) {
        said->by_rounding++;
        return 1;
    }
    return 0;
}

static struct warplens_comparison warplens_compare(char **expected, char **found)
{
    struct warplens_comparison said = {0};
    for (int k = 0; k < WARPLENS_LEAVES; k++) {
        const struct warplens_leaf *leaf = &warplens_leaves[k];
        if (!warplens_arrays[leaf->array].is_written)
            continue;
        said.compared += leaf->count;
        for (size_t i = 0; i < leaf->count; i++) {
            const char *left = warplens_element(expected, leaf, i), *right = warplens_element(found, leaf, i);
            if (memcmp(left, right, (size_t)leaf->bytes) == 0)
                continue;
            double moved = warplens_moved[k] ? warplens_moved[k][i / WARPLENS_NEIGHBOURS] : 0;
            if (leaf->kind == WARPLENS_FLOAT && warplens_is_close(warplens_real(left, leaf->bytes),
                                                                  warplens_real(right, leaf->bytes), leaf, moved, &said))
                continue;
            if (said.differing++ == 0) {
                said.first_leaf = k;
                said.first_element = i;
            }
        }
    }
    return said;
}

static void warplens_describe(FILE *out, char **expected, char **found, const struct warplens_comparison *said)
{
    const struct warplens_leaf *leaf = &warplens_leaves[said->first_leaf];
    const char *left = warplens_element(expected, leaf, said->first_element);
    const char *right = warplens_element(found, leaf, said->first_element);
    fprintf(out, ", \"array\": \"%s\", \"element\": %zu", leaf->label, said->first_element);
    if (leaf->kind == WARPLENS_FLOAT)
        fprintf(out, ", \"expected\": \"%.17g\", \"found\": \"%.17g\"", warplens_real(left, leaf->bytes),
                warplens_real(right, leaf->bytes));
    else
        fprintf(out, ", \"expected\": \"%ld\", \"found\": \"%ld\"", warplens_whole(left, leaf),
                warplens_whole(right, leaf));
}

static double warplens_tolerance(void)
{
    double largest = 0;
    for (int i = 0; i < WARPLENS_LEAVES; i++)
        largest = fmax(largest, warplens_leaves[i].tolerance);
    return largest;
}

/* What rounding moves is asked once, where something differs: it takes three runs of the C. */
static void warplens_check(FILE *out, warplens_function reference, char **inputs, char **expected, char **found)
{
    static int is_moved_known;
    struct warplens_comparison said = warplens_compare(expected, found);
    if (said.differing && !is_moved_known) {
        warplens_round_in_directions(reference, inputs, expected);
        is_moved_known = 1;
        said = warplens_compare(expected, found);
    }
    fprintf(out, ", \"check\": {\"largest_allowed\": %g", warplens_tolerance());
    if (said.differing)
        warplens_describe(out, expected, found, &said);
    fprintf(out, ", \"compared\": %zu, \"differing\": %zu, \"by_rounding\": %zu, \"largest_relative_error\": %.3g}",
            said.compared, said.differing, said.by_rounding, said.largest);
}
