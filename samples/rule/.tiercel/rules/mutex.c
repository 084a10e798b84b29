/* lock() and unlock() alternate. */
static int held;

void before_lock(void) {
    rule("the lock is taken twice", !held);
    held = 1;
}

void before_unlock(void) {
    rule("the lock is not held", held);
    held = 0;
}
