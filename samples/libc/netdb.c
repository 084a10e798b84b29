/* <netdb.h>, <pwd.h> */
#include <netdb.h>
#include <pwd.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

/* There is no list if the name cannot be resolved. */
int resolved_bad(void) {
    struct addrinfo *list;
    getaddrinfo("localhost", "80", NULL, &list);
    int family = list->ai_family;  // expect: alarm uninit-read
    freeaddrinfo(list);
    return family;
}

int resolved_ok(void) {
    struct addrinfo *list;
    if (getaddrinfo("localhost", "80", NULL, &list) != 0)
        return -1;
    int family = list->ai_family;  // expect: proved null-deref
    freeaddrinfo(list);
    return family;
}

int after_free_bad(void) {
    struct addrinfo *list;
    if (getaddrinfo("localhost", "80", NULL, &list) != 0)
        return -1;
    freeaddrinfo(list);
    return list->ai_family;  // expect: alarm use-after-free
}

size_t message_ok(int code) {
    return strlen(gai_strerror(code));  // expect: proved null-deref
}

uid_t user_bad(const char *name) {
    if (name == NULL)
        return 0;
    return getpwnam(name)->pw_uid;  // expect: alarm null-deref
}

uid_t user_ok(const char *name) {
    struct passwd *entry = name != NULL ? getpwnam(name) : NULL;
    return entry != NULL ? entry->pw_uid : 0;  // expect: proved null-deref
}
