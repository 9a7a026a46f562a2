"""What the functions of the C library do besides giving a value: which arguments' memory they read and write.

So do functions by which other libraries give and take back memory, as `malloc` and `free` do.

Source: ISO C17 clause 7, POSIX.1-2017; OpenMP 5.2 clause 18 and OpenACC 3.3 clause 3 for threads and devices; for
memory Writing R Extensions 6.1.2, GLib's Memory Allocation, FFTW 3.3's manual 4.1.2, the Python/C API's Memory
Management.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from warplens.analysis.c.vector_builtins import FENCES, only_computes
from warplens.analysis.ir.types import DOUBLE, FLOAT, INT, LONG, SIZE_T, CType, PointerTo, Scalar, UnknownType

ADDRESS = PointerTo(UnknownType("void"))
NOTHING = UnknownType("void")
VALUE = Scalar("float", "float", 16, lanes=4)
"""What builtins on vectors give where their own type is not known: the intrinsics convert it to theirs."""
_TEXT = PointerTo(Scalar("char", "int", 1))
_COMPLEX = Scalar("double _Complex", "complex", 16)


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """`reads` and `writes` are numbers of pointer arguments; `writes_from` is the first of arguments that all are.

    `unknown` says why a loop that calls it can't be decided, `ends` marks one that never comes back, `jumps` one that
    goes on elsewhere in the program instead, `locks` one that only keeps threads apart: in the order of one thread it
    does nothing, so that what it guards decides. `frees` marks one that only gives back memory of an allocation.
    """

    result: CType = INT
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    writes_from: int = -1
    unknown: str = ""
    allocates: bool = False
    ends: bool = False
    locks: bool = False
    jumps: bool = False
    frees: bool = False

    def may_write(self, argument: int) -> bool:
        """Whether what an argument leads to may be other after the call.

        >>> library_call("fwrite").may_write(0), library_call("fread").may_write(0), library_call("memcpy").may_write(1)
        (False, True, False)
        """
        is_written = argument in self.writes or 0 <= self.writes_from <= argument
        return is_written or self.unknown not in {"", _PRINTS}


_PRINTS = "prints or writes a file: its output would come in another order"
_INPUT = "reads a file: each call goes on where the last one ended"
_STATE = "keeps hidden state: each call depends on the one before"
_CLOCK = "reads the clock or the process's state"
_MEMORY = "frees or moves memory"
_CALLBACK = "calls a function that it is given"
_THREAD = "depends on the thread that runs it"
_SYNCHRONISES = "synchronises threads"
_JUMPS = "leaves the loop for where `setjmp` was called"
_SETS_JUMPS = "marks where to go on after a jump"
_ATOMIC = "is an atomic operation, whose order among the iterations matters"

_REASONS = {
    _PRINTS: "printf fprintf vprintf vfprintf dprintf puts putchar fputs fputc putc fwrite perror fflush fclose fopen "
    "freopen fseek fseeko rewind write remove rename system syslog putw setvbuf setbuf unlink mkdir close open "
    "__printf_chk __fprintf_chk __vfprintf_chk _IO_putc warn warnx",
    _INPUT: "fread fgets fgetc getc getchar gets scanf fscanf getline read ftell ftello feof _IO_getc ungetc "
    "__isoc99_scanf __isoc99_fscanf __isoc23_scanf __isoc23_fscanf",
    _STATE: "rand srand random srandom drand48 lrand48 mrand48 srand48 rand_r erand48 nrand48 strtok strtok_r strerror "
    "setlocale initstate setstate lgamma_r va_arg __builtin_va_arg",
    _CLOCK: "time clock gettimeofday clock_gettime getenv getpid localtime gmtime ctime asctime mktime strftime "
    "getrusage times omp_get_wtime MPI_Wtime sleep usleep nanosleep __errno_location",
    _MEMORY: "realloc reallocarray posix_memalign munmap mmap R_chk_realloc g_realloc PyMem_Realloc PyMem_RawRealloc",
    _CALLBACK: "qsort qsort_r bsearch atexit signal",
    _THREAD: "omp_get_thread_num omp_in_parallel pthread_self omp_get_level sched_getcpu",
    _SYNCHRONISES: "pthread_create pthread_join pthread_barrier_wait pthread_cond_wait sem_wait sem_post raise",
    _SETS_JUMPS: "setjmp _setjmp sigsetjmp __sigsetjmp __builtin_setjmp",
}
_ALLOCATES = (
    "malloc calloc alloca __builtin_alloca aligned_alloc memalign valloc pvalloc R_chk_calloc R_alloc g_malloc "
    "g_malloc0 g_malloc_n g_malloc0_n fftw_malloc fftwf_malloc mkl_malloc mkl_calloc _mm_malloc PyMem_Malloc "
    "PyMem_Calloc PyMem_RawMalloc PyMem_RawCalloc"
)
_FREES = "free cfree R_chk_free g_free fftw_free fftwf_free mkl_free _mm_free PyMem_Free PyMem_RawFree"
_NO_MEMORY = (
    "isalpha isdigit isspace isalnum isupper islower isxdigit ispunct isprint iscntrl isgraph isblank tolower toupper "
    "__builtin_bswap16 __builtin_bswap32 __builtin_bswap64 __builtin_parity __builtin_parityl __builtin_clrsb "
    "__builtin_constant_p __builtin_prefetch fpclassify __fpclassify __fpclassifyf __finite __isnan __isinf "
    "__builtin_fpclassify htonl htons ntohl ntohs "
    "omp_get_num_threads omp_get_max_threads omp_get_num_procs omp_get_num_teams omp_get_max_teams "
    "omp_get_thread_limit omp_get_num_devices omp_get_default_device omp_get_initial_device omp_is_initial_device "
    "acc_get_num_devices acc_get_device_type acc_on_device"
)
_LOCKS = (  # source: OpenMP 5.2 clause 18.9, POSIX.1-2017
    "pthread_mutex_lock pthread_mutex_unlock pthread_spin_lock pthread_spin_unlock omp_set_lock omp_unset_lock "
    "omp_set_nest_lock omp_unset_nest_lock __sync_synchronize __atomic_thread_fence"
)

_FLOATING_PURE = "cabs carg creal cimag drem significand gamma __builtin_creal __builtin_cimag __builtin_cabs"
_COMPLEX_PURE = "cexp clog csqrt cpow conj cproj csin ccos ctan csinh ccosh ctanh cacos casin catan"
_ENDS = (
    "exit abort _exit _Exit quick_exit __assert_fail __assert_perror_fail __assert_rtn __assert err errx "
    "__builtin_trap __builtin_abort __builtin_unreachable"
)

_LEAVES = "longjmp _longjmp siglongjmp __longjmp_chk __builtin_longjmp"


def _table() -> dict[str, LibraryCall]:
    table = {name: LibraryCall(unknown=why) for why, names in _REASONS.items() for name in names.split()}
    table |= {name: LibraryCall(ADDRESS, allocates=True) for name in _ALLOCATES.split()}
    table |= {name: LibraryCall(NOTHING, unknown=_MEMORY, frees=True) for name in _FREES.split()}
    table |= {name: LibraryCall() for name in _NO_MEMORY.split()}
    table |= {name: LibraryCall(NOTHING, unknown=_SYNCHRONISES, locks=True) for name in _LOCKS.split()}
    table |= {name + s: LibraryCall(t) for name in _FLOATING_PURE.split() for s, t in (("", DOUBLE), ("f", FLOAT))}
    table |= {name + s: LibraryCall(_COMPLEX) for name in _COMPLEX_PURE.split() for s in ("", "f")}
    table |= {name: LibraryCall(NOTHING, ends=True) for name in _ENDS.split()}
    table |= {name: LibraryCall(NOTHING, unknown=_JUMPS, jumps=True) for name in _LEAVES.split()}
    table |= {name: LibraryCall(DOUBLE, unknown=_STATE) for name in ("drand48", "erand48")}
    table |= {
        "realloc": LibraryCall(ADDRESS, unknown=_MEMORY),
        "memcpy": LibraryCall(ADDRESS, (1,), (0,)),
        "memmove": LibraryCall(ADDRESS, (1,), (0,)),
        "memset": LibraryCall(ADDRESS, (), (0,)),
        "bzero": LibraryCall(NOTHING, (), (0,)),
        "bcopy": LibraryCall(NOTHING, (0,), (1,)),
        "strcpy": LibraryCall(_TEXT, (1,), (0,)),
        "strncpy": LibraryCall(_TEXT, (1,), (0,)),
        "strcat": LibraryCall(_TEXT, (0, 1), (0,)),
        "strncat": LibraryCall(_TEXT, (0, 1), (0,)),
        "va_start": LibraryCall(NOTHING, (), (0,)),
        "va_copy": LibraryCall(NOTHING, (1,), (0,)),
        "va_end": LibraryCall(NOTHING, (), (0,)),
        "vsprintf": LibraryCall(INT, (1, 2), (0, 2)),
        "vsnprintf": LibraryCall(INT, (2, 3), (0, 3)),
        "sprintf": LibraryCall(INT, (), (0,)),
        "snprintf": LibraryCall(INT, (), (0,)),
        "sscanf": LibraryCall(INT, (0,), (), writes_from=2),
        "__isoc99_sscanf": LibraryCall(INT, (0,), (), writes_from=2),
        "strlen": LibraryCall(SIZE_T, (0,)),
        "strnlen": LibraryCall(SIZE_T, (0,)),
        "strcmp": LibraryCall(INT, (0, 1)),
        "strncmp": LibraryCall(INT, (0, 1)),
        "strcasecmp": LibraryCall(INT, (0, 1)),
        "strncasecmp": LibraryCall(INT, (0, 1)),
        "memcmp": LibraryCall(INT, (0, 1)),
        "atoi": LibraryCall(INT, (0,)),
        "atol": LibraryCall(LONG, (0,)),
        "atof": LibraryCall(DOUBLE, (0,)),
        "frexp": LibraryCall(DOUBLE, (), (1,)),
        "frexpf": LibraryCall(FLOAT, (), (1,)),
        "modf": LibraryCall(DOUBLE, (), (1,)),
        "modff": LibraryCall(FLOAT, (), (1,)),
        "sincos": LibraryCall(NOTHING, (), (1, 2)),
        "sincosf": LibraryCall(NOTHING, (), (1, 2)),
        "remquo": LibraryCall(DOUBLE, (), (2,)),
    }
    return table


_LIBRARY = MappingProxyType(_table())


def library_call(name: str) -> LibraryCall | None:
    """What is known of a function by its name, None for one that is not the library's.

    >>> library_call("__builtin___memcpy_chk") == library_call("memcpy")
    True
    >>> library_call("_mm256_add_pd").unknown
    'is an x86 vector intrinsic, which is not understood'
    """
    plain = name.removeprefix("__builtin___").removesuffix("_chk") if name.startswith("__builtin___") else name
    found = _LIBRARY.get(plain) or _LIBRARY.get(plain.removeprefix("__builtin_"))
    if found is not None:
        return found
    if name.startswith(("__sync_", "__atomic_")):
        return LibraryCall(unknown=_ATOMIC)
    if only_computes(name) or name in FENCES:
        return LibraryCall(VALUE)
    if name.startswith(("_mm_", "_mm256_", "_mm512_", "__builtin_ia32_")):
        return LibraryCall(ADDRESS, unknown="is an x86 vector intrinsic, which is not understood")
    return None
