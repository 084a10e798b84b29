/* A descriptor that was closed is neither used nor closed again. One that was closed is watched, whichever: what
   can go wrong with any of them goes wrong with the watched one. */
extern int __VERIFIER_nondet_int(void);

static int watching, watched;

static int is_closed(int descriptor) {
    return watching && descriptor == watched;
}

void after_open(int descriptor) {
    if (is_closed(descriptor))
        watching = 0;
}

void before_read(int descriptor) {
    rule("the descriptor is closed", !is_closed(descriptor));
}

void before_write(int descriptor) {
    rule("the descriptor is closed", !is_closed(descriptor));
}

void before_close(int descriptor) {
    rule("the descriptor is closed twice", !is_closed(descriptor));
    if (__VERIFIER_nondet_int()) {
        watching = 1;
        watched = descriptor;
    }
}
