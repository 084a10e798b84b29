// The rule shutdown: no call after it. Each function by itself only rests on the engine's state when it is called;
// .tiercel/drivers/engine.c says in which order they are.
int engine_start(void);
void engine_step(void);
void engine_shutdown(void);

static int started;

void user_begin_ok(void) {
    started = engine_start() == 0;
}

void user_work_ok(void) {
    if (started)
        engine_step();   // expect: proved rule
}

void user_end_ok(void) {
    if (started)
        engine_shutdown();
}

void late_bad(void) {
    engine_step();
    engine_shutdown();
    engine_step();   // expect: alarm rule // replay: not-tried (a rule is not executed)
}

int restarted_ok(void) {
    engine_shutdown();
    if (engine_start() == 0)
        engine_step();   // expect: proved rule
    return 0;
}
