"""The instances of DuckDB of a process are its own."""

import os

import pytest

from engram.store.database.engine import duck_instances

ASK = "SELECT count(*) FROM (SELECT hash(range) FROM range(100000))"


def answer_and_close() -> bool:
    connection = duck_instances.take("")
    answered = connection.execute(ASK).fetchall() == [(100000,)]
    connection.close()  # as after damage; what waits for threads that are not there kills the process
    return answered


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no process")
def test_a_forked_process_takes_no_instance_of_its_parent() -> None:
    duck_instances.put_back(duck_instances.take(""))

    if (child := os.fork()) == 0:
        os._exit(0 if answer_and_close() else 1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert answer_and_close()  # and leaves those of its parent to it
