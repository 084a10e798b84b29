/* Nothing is asked of the engine after its shutdown, until it is started again. */
static enum { RUNNING, DOWN } engine;

void after_engine_start(int result) {
    if (result == 0)
        engine = RUNNING;
}

void before_engine_step(void) {
    assert(engine == RUNNING);
}

void after_engine_shutdown(void) {
    engine = DOWN;
}
