/* <netdb.h>; getaddrinfo is built in. */
#include "primitives.h"

/* the list must not be used again */
void freeaddrinfo(void *list) {
    __tiercel_readable(list, 1);
    free(list);
}

/* 0 and any texts that fit, or the number of an error */
int getnameinfo(const void *address, unsigned size, char *host, unsigned host_size, char *service,
                unsigned service_size, int flags) {
    int result = __VERIFIER_nondet_int();
    __tiercel_readable(address, size);
    if (result == 0 && host != NULL && host_size > 0)
        __tiercel_text(host, host_size - 1);
    if (result == 0 && service != NULL && service_size > 0)
        __tiercel_text(service, service_size - 1);
    return result;
}
