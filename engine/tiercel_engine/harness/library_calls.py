"""Which functions of the C library a replay calls as they are, which the runtime has in its own form,
and what those look at that are replayed.

A function that is in neither list is never called: what it gave in the counterexample is replayed. So
nothing that a program under replay does reaches the world, whatever it is called.
"""

from __future__ import annotations

_OWN = """
    malloc calloc realloc aligned_alloc free strdup strndup memcpy memmove memset memcmp memchr strlen strnlen
    strcpy strncpy strcat strncat strcmp strncmp strchr strrchr qsort exit abort abs labs llabs
"""
RUNTIME = {
    **{name: f"replay_{name}" for name in _OWN.split()},
    "_exit": "replay_exit",
    "_Exit": "replay_exit",
    "quick_exit": "replay_exit",
    "__assert_fail": "replay_assert_fail",
}
"""The program's name → the runtime's."""

INTRINSICS = {
    "memcpy": ("memcpy",), "memmove": ("memmove",), "memset": ("memset",), "abs": ("abs", "labs", "llabs"),
}  # fmt: skip
"""What an intrinsic (`llvm.memcpy.…`) may have been in the source."""

ALLOCATING = ("malloc", "calloc", "realloc", "aligned_alloc", "strdup", "strndup")
"""Functions that take part in the count of allocations (see `replay_allocation_fails`)."""

REAL = frozenset(
    """
    isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
    isascii tolower toupper toascii __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
    __errno_location strcasecmp strncasecmp strcoll strspn strcspn strpbrk strstr strcasestr strtok
    strtok_r strsep strxfrm memccpy mempcpy memrchr memmem rawmemchr stpcpy stpncpy strchrnul bcmp
    bcopy bzero index rindex ffs ffsl ffsll div ldiv lldiv atoi atol atoll atof strtol strtoul
    strtoll strtoull strtod strtof strtoimax strtoumax imaxabs bsearch mblen sprintf snprintf
    vsprintf vsnprintf sscanf vsscanf sin cos tan asin acos atan atan2
    sinh cosh tanh exp exp2 log log2 log10 log1p expm1 pow sqrt cbrt hypot ceil floor round trunc
    lround llround lrint llrint rint nearbyint fmod remainder fabs fmin fmax fma copysign frexp
    ldexp modf scalbn logb ilogb nextafter sinf cosf tanf asinf acosf atanf atan2f expf exp2f logf
    log2f log10f powf sqrtf cbrtf hypotf ceilf floorf roundf truncf fmodf fabsf fminf fmaxf fmaf
    copysignf frexpf ldexpf modff isnan isinf finite __isnan __isinf __isnanf __isinff __finite
    __fpclassify __fpclassifyf __signbit __signbitf htonl htons ntohl ntohs inet_addr gmtime_r
    mktime timegm difftime __isoc99_sscanf __isoc23_sscanf __isoc23_strtol __isoc23_strtoul
    __isoc23_strtoll __isoc23_strtoull
    """.split()  # noqa: SIM905
)
"""Run as they are: results that depend on the arguments alone, output to the captured standard output."""

VARIABLES = frozenset(
    ("stdin", "stdout", "stderr", "environ", "__environ", "optarg", "optind", "opterr", "optopt", "tzname")
)
"""Variables of the C library itself."""

STREAM_MAKERS = frozenset(
    ("fopen", "fopen64", "fdopen", "tmpfile", "tmpfile64", "popen", "opendir", "fdopendir", "fmemopen")
)
STREAM_ENDERS = frozenset(("fclose", "pclose", "closedir", "freeaddrinfo"))

TOUCHED: dict[str, tuple[str, ...]] = {
    "read": ("writable(a1, a2)",),
    "pread": ("writable(a1, a2)",),
    "recv": ("writable(a1, a2)",),
    "recvfrom": ("writable(a1, a2)",),
    "write": ("readable(a1, a2)",),
    "pwrite": ("readable(a1, a2)",),
    "send": ("readable(a1, a2)",),
    "sendto": ("readable(a1, a2)", "readable(a4, a4 == NULL ? 0 : a5)"),
    "fgets": ("writable(a0, a1 > 0 ? (replay_size)a1 : 0)",),
    "fread": ("writable(a0, a1 * a2)",),
    "fwrite": ("readable(a0, a1 * a2)",),
    "getcwd": ("writable(a0, a0 == NULL ? 0 : a1)",),
    "readlink": ("writable(a1, a2)",),
    "gethostname": ("writable(a0, a1)",),
    "strftime": ("writable(a0, a1)",),
    "strerror_r": ("writable(a1, a2)",),
    "bind": ("readable(a1, a2)",),
    "connect": ("readable(a1, a2)",),
    "setsockopt": ("readable(a3, a4)",),
    "getsockopt": ("writable(a4, sizeof *a4)", "writable(a3, *a4)"),
    "pipe": ("writable(a0, 2 * sizeof *a0)",),
    "pthread_mutex_lock": ("locking(a0)",),
    "pthread_mutex_unlock": ("unlocking(a0)",),
    "pthread_mutex_destroy": ("not_held(a0)",),
    "pthread_cond_wait": ("held(a1)",),
    "inet_ntop": ("writable(a2, a3)",),
    "getline": ("writable(a0, sizeof *a0)", "writable(a1, sizeof *a1)"),
}
"""The accesses of a replayed function before it gives what it gave, in terms of its parameters a0, a1, …"""

OUTPUT = frozenset(
    ("printf", "vprintf", "puts", "putchar", "fprintf", "vfprintf", "fputs", "fputc", "putc", "fflush")
)
"""Functions that only print: nothing is printed, and more calls than in the trace do no harm."""

CHARACTERS = frozenset(
    ("isalnum", "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct")
) | frozenset(("isspace", "isupper", "isxdigit", "tolower", "toupper"))
"""Functions whose argument must be EOF or the value of an unsigned char; the real ones do not look."""
