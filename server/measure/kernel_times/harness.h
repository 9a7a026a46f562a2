/* What a nest's own part of a measuring program is made of. */
#pragma once

struct warplens_array {
    const char *name;
    size_t bytes;
    int is_written;
};

/* Numbers of one type inside an array: `count` of them, `stride` bytes apart, the first at `offset`. */
struct warplens_leaf {
    int array;
    const char *label;
    size_t offset, stride, count;
    enum { WARPLENS_SIGNED, WARPLENS_UNSIGNED, WARPLENS_FLOAT } kind;
    int bytes;
    enum { WARPLENS_VALUES, WARPLENS_SUBSCRIPTS, WARPLENS_PERMUTATION, WARPLENS_ROWS } role;
    long limit;
    double tolerance, roundings; /* comparison.c */
};
