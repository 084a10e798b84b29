/* <sys/socket.h>, <arpa/inet.h> */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A peer may close the connection: nothing was received. */
char received_bad(int file) {
    char packet[8];
    recv(file, packet, sizeof packet, 0);
    return packet[0] == 'x';  // expect: alarm uninit-read
}

char received_ok(int file) {
    char packet[8];
    ssize_t got = recv(file, packet, sizeof packet, 0);  // expect: proved out-of-bounds
    return got > 0 && packet[0] == 'x';  // expect: proved uninit-read
}

/* A length that comes from outside is not to be trusted. */
int length_bad(int file) {
    unsigned char packet[64];
    char name[16];
    if (recv(file, packet, sizeof packet, 0) != sizeof packet)
        return 0;
    memcpy(name, packet + 1, packet[0]);  // expect: alarm out-of-bounds
    return 1;
}

int length_ok(int file) {
    unsigned char packet[64];
    char name[16];
    if (recv(file, packet, sizeof packet, 0) != sizeof packet || packet[0] > sizeof name)
        return 0;
    memcpy(name, packet + 1, packet[0]);  // expect: proved out-of-bounds
    return 1;
}

ssize_t sent_bad(int file) {
    char packet[8] = "packet";
    return send(file, packet, 80, 0);  // expect: alarm out-of-bounds
}

int bound_ok(unsigned short port) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    int file = socket(AF_INET, SOCK_STREAM, 0);
    if (file < 0)
        return -1;
    if (bind(file, (struct sockaddr *)&address, sizeof address) != 0) {  // expect: proved out-of-bounds
        close(file);
        return -1;
    }
    return file;
}

int bound_bad(int file) {
    struct sockaddr_in address = {0};
    return bind(file, (struct sockaddr *)&address, sizeof(struct sockaddr_in6));  // expect: alarm out-of-bounds
}

/* accept reads the size of the address before it writes it. */
int accepted_bad(int file) {
    struct sockaddr_in peer;
    socklen_t size;
    return accept(file, (struct sockaddr *)&peer, &size);  // expect: alarm uninit-read  // replay: confirmed-under-assumptions (seen by interpreting the code)
}

int accepted_ok(int file) {
    struct sockaddr_in peer;
    socklen_t size = sizeof peer;
    return accept(file, (struct sockaddr *)&peer, &size);  // expect: proved out-of-bounds
}

void order_ok(void) {
    volatile unsigned short port = 0;
    unsigned short number = port;
    assert(ntohs(htons(number)) == number);  // expect: proved assertion
}

size_t text_ok(const struct in_addr *address) {
    char text[INET_ADDRSTRLEN];
    if (address == NULL || inet_ntop(AF_INET, address, text, sizeof text) == NULL)
        return 0;
    return strlen(text);  // expect: proved out-of-bounds
}

size_t text_bad(const struct in_addr *address) {
    char text[8];
    if (address == NULL || inet_ntop(AF_INET, address, text, INET_ADDRSTRLEN) == NULL)  // expect: alarm out-of-bounds
        return 0;
    return strlen(text);
}
