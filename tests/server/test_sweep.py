"""A workspace is verified a few files at a time."""

from __future__ import annotations

from tiercel_server.sweep import Sweep


def test_what_is_done_makes_place_and_nothing_is_begun_after_cancelling() -> None:
    begun: list[str] = []
    done: set[str] = set()
    sweep = Sweep(begun.append, done.__contains__)
    assert sweep.add(f"{number}.c" for number in range(20)) == 20
    at_once = len(begun)
    assert 0 < at_once < 20 and sweep.done == 0 and sweep.running
    assert sweep.add(["0.c", "19.c"]) == 0
    done.add("0.c")
    sweep.go_on()
    assert len(begun) == at_once + 1 and sweep.done == 1
    assert sweep.cancel() == 20 - len(begun)
    done.update(begun)
    sweep.go_on()
    assert len(begun) == at_once + 1 and not sweep.running


def test_all_files_are_begun_once() -> None:
    begun: list[str] = []
    sweep = Sweep(begun.append, lambda _: True)
    files = [f"{number}.c" for number in range(50)]
    sweep.add(files)
    while sweep.running:
        sweep.go_on()
    assert begun == files and sweep.done == sweep.total == 50
