/* <sys/socket.h>, <arpa/inet.h>: any bytes come from outside, and any call may fail. */
#include "primitives.h"

typedef unsigned socklen_t;

/* a descriptor or -1 */
int socket(int domain, int type, int protocol) {
    return __tiercel_descriptor();
}

/* two descriptors */
int socketpair(int domain, int type, int protocol, int *ends) {
    int result = __tiercel_status();
    if (result == 0) {
        int first = __VERIFIER_nondet_int(), second = __VERIFIER_nondet_int();
        __VERIFIER_assume(first >= 0 && second >= 0 && first != second);
        ends[0] = first;
        ends[1] = second;
    }
    return result;
}

/* -- addresses */

/* 0 or -1 */
int bind(int file, const void *address, socklen_t size) {
    __tiercel_readable(address, size);
    return __tiercel_status();
}

/* 0 or -1 */
int connect(int file, const void *address, socklen_t size) {
    __tiercel_readable(address, size);
    return __tiercel_status();
}

/* 0 or -1 */
int listen(int file, int backlog) {
    return __tiercel_status();
}

/* Of any address there is as much as fits; its whole size is told. */
static void __tiercel_peer(void *address, socklen_t *size) {
    if (address == NULL)
        return;
    socklen_t whole = __VERIFIER_nondet_uint(), room = *size;
    __VERIFIER_assume(whole <= 128);
    __tiercel_fill(address, whole < room ? whole : room, 128, 0);
    *size = whole;
}

/* a descriptor or -1 */
int accept(int file, void *address, socklen_t *size) {
    int made = __tiercel_descriptor();
    if (made >= 0)
        __tiercel_peer(address, size);
    return made;
}

/* 0 or -1 */
int getsockname(int file, void *address, socklen_t *size) {
    int result = __tiercel_status();
    if (result == 0)
        __tiercel_peer(address, size);
    return result;
}

/* 0 or -1 */
int getpeername(int file, void *address, socklen_t *size) {
    int result = __tiercel_status();
    if (result == 0)
        __tiercel_peer(address, size);
    return result;
}

/* -- data */

/* any number of bytes sent */
ssize_t send(int file, const void *from, size_t count, int flags) {
    __tiercel_readable(from, count);
    return __tiercel_amount(count);
}

/* any number of bytes sent */
ssize_t sendto(int file, const void *from, size_t count, int flags, const void *address, socklen_t size) {
    __tiercel_readable(from, count);
    if (address != NULL)
        __tiercel_readable(address, size);
    return __tiercel_amount(count);
}

/* any bytes, at most as many as asked for; with MSG_TRUNC the result may be larger */
ssize_t recv(int file, void *to, size_t count, int flags) {
    ssize_t got = __tiercel_amount(count);
    if (flags & 0x20)
        __tiercel_unknown();
    if (got > 0)
        __tiercel_fill(to, (size_t)got, count, 0);
    return got;
}

/* any bytes, at most as many as asked for; with MSG_TRUNC the result may be larger */
ssize_t recvfrom(int file, void *to, size_t count, int flags, void *address, socklen_t *size) {
    ssize_t got = __tiercel_amount(count);
    if (flags & 0x20)
        __tiercel_unknown();
    if (got > 0)
        __tiercel_fill(to, (size_t)got, count, 0);
    if (got >= 0)
        __tiercel_peer(address, size);
    return got;
}

/* 0 or -1 */
int shutdown(int file, int how) {
    return __tiercel_status();
}

/* 0 or -1 */
int setsockopt(int file, int level, int name, const void *value, socklen_t size) {
    __tiercel_readable(value, size);
    return __tiercel_status();
}

/* 0 or -1 */
int getsockopt(int file, int level, int name, void *value, socklen_t *size) {
    int result = __tiercel_status();
    if (result == 0) {
        socklen_t used = __VERIFIER_nondet_uint();
        __VERIFIER_assume(used <= *size);
        __tiercel_fill(value, used, *size, 0);
        *size = used;
    }
    return result;
}

/* -- numbers and addresses as text */

static int __tiercel_little_endian(void) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

unsigned short htons(unsigned short number) {
    return __tiercel_little_endian() ? __builtin_bswap16(number) : number;
}

unsigned short ntohs(unsigned short number) {
    return __tiercel_little_endian() ? __builtin_bswap16(number) : number;
}

unsigned htonl(unsigned number) {
    return __tiercel_little_endian() ? __builtin_bswap32(number) : number;
}

unsigned ntohl(unsigned number) {
    return __tiercel_little_endian() ? __builtin_bswap32(number) : number;
}

/* any address */
unsigned inet_addr(const char *text) {
    __tiercel_string(text);
    return __VERIFIER_nondet_uint();
}

/* 0, or 1 and any address */
int inet_aton(const char *text, void *address) {
    __tiercel_string(text);
    if (__VERIFIER_nondet_int())
        return 0;
    *(unsigned *)address = __VERIFIER_nondet_uint();
    return 1;
}

/* 1 and any address, 0 or -1 */
int inet_pton(int family, const char *text, void *address) {
    size_t size = family == 10 ? 16 : 4;
    int result = __VERIFIER_nondet_int();
    __VERIFIER_assume(result >= -1 && result <= 1 && (result >= 0 || (family != 10 && family != 2)));
    __tiercel_string(text);
    __tiercel_failed(result < 0);
    if (result == 1)
        __tiercel_fill(address, size, 16, 0);
    return result;
}

/* NULL or any text that fits */
const char *inet_ntop(int family, const void *address, char *to, socklen_t size) {
    int failed = __VERIFIER_nondet_int();
    __tiercel_readable(address, family == 10 ? 16 : 4);
    __tiercel_failed(failed);
    if (failed || size < 2)
        return NULL;
    size_t most = size < 46 ? size - 1 : 45;
    __tiercel_text(to, family == 2 && most > 15 ? 15 : most);
    return to;
}
