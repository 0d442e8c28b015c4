"""The instances of DuckDB of a process are its own."""

import os
from pathlib import Path

import pytest

from engram.store.database.engine import duck_engine
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


def test_an_instance_is_set_anew_for_each_who_wants_it_otherwise(tmp_path: Path) -> None:
    def settings(folder: str, *, is_sparing: bool) -> tuple[str, str]:
        instance = duck_instances.take(str(tmp_path / folder), is_sparing=is_sparing)
        found = instance.execute("SELECT current_setting('temp_directory'), current_setting('memory_limit')").fetchone()
        duck_instances.put_back(instance)
        assert found is not None
        return Path(found[0]).name, found[1]

    sparing, again, other, all_of_it = (
        settings("one", is_sparing=True),
        settings("one", is_sparing=True),
        settings("two", is_sparing=True),
        settings("two", is_sparing=False),
    )

    assert sparing == again == ("one", other[1])
    assert other[0] == all_of_it[0] == "two"
    assert other[1] == "384.0 MiB" != all_of_it[1]


def test_an_instance_that_was_given_all_memory_is_sparing_again_for_the_next(tmp_path: Path) -> None:
    asked = "SELECT current_setting('memory_limit')"
    instance = duck_instances.take(str(tmp_path), is_sparing=True)
    duck_engine.use_all_memory(instance)
    assert instance.execute(asked).fetchall() != [("384.0 MiB",)]
    duck_instances.put_back(instance)

    again = duck_instances.take(str(tmp_path), is_sparing=True)

    assert again is instance
    assert again.execute(asked).fetchall() == [("384.0 MiB",)]
    duck_instances.put_back(again)
