// The rule mutex: lock() and unlock() alternate.
void lock(void);
void unlock(void);
int work(int amount);

int twice_bad(int amount) {
    lock();
    if (amount > 10)
        lock();   // expect: alarm rule // replay: not-tried (a rule is not executed)
    int done = work(amount);
    unlock();
    return done;
}

int unlocked_twice_bad(int amount) {
    lock();
    int done = work(amount);
    if (done < 50)
        unlock();
    unlock();   // expect: alarm rule // replay: not-tried (a rule is not executed)
    return done;
}

int in_a_loop_bad(int amount) {
    int done = 0;
    for (int i = 0; i < amount; i++) {
        lock();   // expect: alarm rule // replay: not-tried (a rule is not executed)
        done = work(i);
        if (done == 100)
            unlock();
    }
    return done;
}

static int locked_work_ok(int amount) {
    lock();     // expect: proved rule
    int done = work(amount);
    unlock();   // expect: proved rule
    return done;
}

int through_a_callee_bad(int amount) {
    lock();
    int done = locked_work_ok(amount);   // expect: alarm rule // replay: not-tried (a rule is not executed)
    unlock();
    return done;
}

int through_a_pointer_bad(int take) {
    void (*operation)(void) = take ? lock : unlock;
    operation();
    operation();   // expect: alarm rule // replay: not-tried (a rule is not executed)
    return 0;
}

int alternating_ok(int amount) {
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        lock();     // expect: proved rule
        sum += work(amount);
        unlock();   // expect: proved rule
    }
    return sum;
}

int any_number_ok(int amount) {
    for (int i = 0; i < amount; i++) {
        lock();     // expect: proved rule
        work(i);
        unlock();   // expect: proved rule
    }
    return 0;
}

int by_condition_ok(int shared, int amount) {
    if (shared)
        lock();     // expect: proved rule
    int done = work(amount);
    if (shared)
        unlock();   // expect: proved rule
    return done;
}

int returns_locked_ok(int amount) {
    unlock();   // expect: proved rule
    int done = work(amount);
    lock();     // expect: proved rule
    return done;
}

int through_a_callee_ok(int amount) {
    return locked_work_ok(amount) + locked_work_ok(amount);   // expect: proved rule
}
