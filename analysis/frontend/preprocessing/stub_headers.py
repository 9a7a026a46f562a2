"""Minimal standard headers for preprocessing without a compiler: the types, limits and functions loops use."""

from __future__ import annotations

from warplens.analysis.c.math_calls import FLOATING_FUNCTIONS

_TWO_ARGUMENTS = frozenset(
    {"atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot", "nextafter", "pow", "remainder"}
)
_DECLARED = sorted(FLOATING_FUNCTIONS - {"inf", "huge_val", "nan", "j0", "j1", "jn", "y0", "y1", "yn"})


def _math() -> str:
    lines = ["#define M_PI 3.14159265358979323846", "#define M_E 2.7182818284590452354"]
    lines += ["#define INFINITY __builtin_inff()", '#define NAN __builtin_nanf("")', "#define HUGE_VAL __builtin_inf()"]
    for name in _DECLARED:
        for suffix, ctype in (("", "double"), ("f", "float"), ("l", "long double")):
            arguments = ", ".join([ctype] * (3 if name == "fma" else 2 if name in _TWO_ARGUMENTS else 1))
            lines.append(f"{ctype} {name}{suffix}({arguments});")
    return "\n".join(lines) + "\n"


_STDDEF = """#define NULL ((void*)0)
#define offsetof(type, member) __builtin_offsetof(type, member)
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;
"""
_STDINT = """typedef signed char int8_t; typedef unsigned char uint8_t;
typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned int uint32_t;
typedef long int64_t; typedef unsigned long uint64_t;
typedef long intptr_t; typedef unsigned long uintptr_t;
typedef long intmax_t; typedef unsigned long uintmax_t;
typedef long int_fast32_t; typedef unsigned long uint_fast32_t;
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807L
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615UL
#define SIZE_MAX 18446744073709551615UL
"""
_LIMITS = """#define CHAR_BIT 8
#define CHAR_MAX 127
#define SHRT_MAX 32767
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-9223372036854775807L - 1L)
#define ULONG_MAX 18446744073709551615UL
"""
_FLOAT = """#define FLT_MAX 3.40282347e+38F
#define FLT_MIN 1.17549435e-38F
#define FLT_EPSILON 1.19209290e-7F
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
"""
_STDLIB = """#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *aligned_alloc(size_t, size_t); int posix_memalign(void **, size_t, size_t);
int abs(int); long labs(long); int rand(void); void srand(unsigned); double drand48(void);
int atoi(const char *); long atol(const char *); double atof(const char *);
double strtod(const char *, char **); long strtol(const char *, char **, int);
void exit(int); void abort(void); char *getenv(const char *);
"""
_STDIO = """typedef struct _warplens_file FILE;
extern FILE *stdin; extern FILE *stdout; extern FILE *stderr;
int printf(const char *, ...); int fprintf(FILE *, const char *, ...); int sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...); int scanf(const char *, ...); int fscanf(FILE *, const char *, ...);
FILE *fopen(const char *, const char *); int fclose(FILE *); int puts(const char *); int putchar(int);
int fflush(FILE *);
size_t fread(void *, size_t, size_t, FILE *); size_t fwrite(const void *, size_t, size_t, FILE *);
"""
_STRING = """void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t);
size_t strlen(const char *); int strcmp(const char *, const char *); char *strcpy(char *, const char *);
"""
_TIME = """typedef long time_t; typedef long clock_t;
struct timespec { time_t tv_sec; long tv_nsec; };
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_MONOTONIC 1
time_t time(time_t *); clock_t clock(void); int clock_gettime(int, struct timespec *);
"""
_SYS_TIME = """struct timeval { long tv_sec; long tv_usec; };
int gettimeofday(struct timeval *, void *);
"""
_OMP = """typedef struct { int held; } omp_lock_t;
int omp_get_thread_num(void); int omp_get_num_threads(void); int omp_get_max_threads(void);
void omp_set_num_threads(int); double omp_get_wtime(void);
"""
_SIZED = "#include <stddef.h>\n"

STUB_HEADERS = {
    "assert.h": "#define assert(condition) ((void)0)\n",
    "complex.h": "#define complex _Complex\n#define I 1.0iF\n",
    "ctype.h": "int isdigit(int); int isalpha(int); int isspace(int); int tolower(int); int toupper(int);\n",
    "errno.h": "extern int errno;\n",
    "float.h": _FLOAT,
    "inttypes.h": "#include <stdint.h>\n",
    "limits.h": _LIMITS,
    "malloc.h": "#include <stdlib.h>\n",
    "math.h": _math(),
    "omp.h": _OMP,
    "setjmp.h": "typedef long jmp_buf[25]; int setjmp(jmp_buf); void longjmp(jmp_buf, int);\n",
    "stdarg.h": "typedef void *va_list;\n#define va_start(list, last) ((void)0)\n#define va_end(list) ((void)0)\n"
    "#define va_arg(list, type) __builtin_va_arg(list, type)\n#define va_copy(to, from) ((to) = (from))\n",
    "stdbool.h": "#define bool _Bool\n#define true 1\n#define false 0\n",
    "stddef.h": _STDDEF,
    "stdint.h": _STDINT,
    "stdio.h": _SIZED + _STDIO,
    "stdlib.h": _SIZED + _STDLIB,
    "string.h": _SIZED + _STRING,
    "sys/time.h": _SYS_TIME,
    "sys/types.h": _SIZED + "typedef long ssize_t; typedef long off_t;\n",
    "time.h": _SIZED + _TIME,
    "unistd.h": _SIZED + "unsigned sleep(unsigned); int usleep(unsigned);\n",
}
"""Text by name in `#include <name>`; own declarations of well-known interfaces, sizes of System V x86-64."""
STUB_HEADERS = {name: f"#pragma once\n{text}" for name, text in STUB_HEADERS.items()}
