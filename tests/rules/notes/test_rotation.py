"""Where a working file is divided, and which file an archive comes from."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.rules.notes.rotation import divide
from engram.rules.notes.rotation import rejoin
from engram.rules.notes.rotation import rotated_from

HEAD = b"# Hand-off\n\nWho reads this: the next session.\n\n"


def sections(*names: str) -> list[bytes]:
    return [f"## {name}\n\n- what {name} was about\n\n".encode() for name in names]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("memory/main/main/archives/handoff-0001.md", "memory/main/main/handoff.md"),
        ("memory/main/main/archives/2026-02-24-0001.md", "memory/main/main/2026-02-24.md"),
        ("memory/domains/web/archives/changelog-0012.md", "memory/domains/web/changelog.md"),
        ("archives/decisions-10000.md", "decisions.md"),
        ("memory/main/main/handoff-0001.md", None),
        ("memory/main/main/archives/handoff.md", None),
        ("memory/main/main/archives/handoff-1.md", None),
        ("memory/main/main/archives/deeper/handoff-0001.md", None),
        ("memory/main/main/archives/handoff-0001.txt", None),
    ],
)
def test_an_archive_names_the_file_that_it_was_rotated_from(path: str, expected: str | None) -> None:
    assert rotated_from(path) == expected


def test_the_newest_sections_that_fit_stay_below_the_title() -> None:
    old, middle, new = sections("one", "two", "three")

    found = divide(HEAD + old + middle + new, len(HEAD) + len(middle) + len(new))

    assert found is not None
    assert (found.kept, found.moved) == (HEAD + middle + new, 1)


def test_a_newest_section_that_is_too_long_stays_whole() -> None:
    old, new = sections("one", "two" * 100)

    found = divide(HEAD + old + new, 10)

    assert found is not None
    assert (found.kept, found.moved) == (HEAD + new, 1)


def test_dated_headings_tell_that_the_newest_stands_on_top() -> None:
    newest, older, oldest = sections("2026-03-03", "2026-03-02", "2026-03-01")

    found = divide(HEAD + newest + older + oldest, len(HEAD) + len(newest) + len(older))

    assert found is not None
    assert found.kept == HEAD + newest + older


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "nothing to divide"),
        (HEAD, "only a title"),
        (HEAD + b"## one\n\n" + b"- a line\n" * 90, "one section is whole"),
        (b"- a line\n" * 90, "no sections"),
        (HEAD + b"```\n## not a heading\n## nor this\n```\n", "headings in code are text"),
        (HEAD + b"### deep\n\n- a\n\n### deeper\n\n- b\n", "deeper headings begin no section"),
    ],
)
def test_what_has_no_two_sections_stays_as_it_is(data: bytes, why: str) -> None:
    assert divide(data, 10) is None, why


def test_code_is_never_cut_in_two() -> None:
    code = b"## one\n\n```sh\n## a comment\necho\n```\n\n"
    (new,) = sections("two")

    found = divide(HEAD + code + new, 10)

    assert found is not None
    assert (found.kept, found.moved) == (HEAD + new, 1)


def test_a_longer_fence_is_not_closed_by_a_shorter_one() -> None:
    code = b"## one\n\n````\n```\n## text\n````\n\n"
    (new,) = sections("two")

    found = divide(code + new, 10)

    assert found is not None
    assert found.kept == new


def test_second_first_level_heading_begins_a_section() -> None:
    found = divide(b"# one\n\n- a\n\n# two\n\n- b\n\n# three\n\n- c\n", 5)

    assert found is not None
    assert found.kept == b"# one\n\n- a\n\n# three\n\n- c\n"


@given(st.lists(st.sampled_from(["# a\n", "## b\n", "- c\n", "```\n", "\n", "text"]), max_size=30), st.integers(0, 60))
def test_what_stays_is_made_of_the_file_in_order(lines: list[str], keep: int) -> None:
    data = "".join(lines).encode()

    found = divide(data, keep)

    if found is not None:
        head = next(size for size in range(len(data), -1, -1) if found.kept.startswith(data[:size]))
        assert data.endswith(found.kept[head:])
        assert len(found.kept) < len(data)
        assert found.moved > 0


# --- and back again ------------------------------------------------------------------------------------------------

ONE, TWO, THREE = sections("one", "two", "three")
DATED = sections("2026-03-03", "2026-03-02", "2026-03-01")


@pytest.mark.parametrize(
    ("old", "added", "whole"),
    [
        (HEAD + ONE + TWO + THREE, lambda kept: kept, HEAD + ONE + TWO + THREE),
        (HEAD + ONE + TWO + THREE, lambda kept: kept + b"- new\n", HEAD + ONE + TWO + THREE + b"- new\n"),
        (HEAD + b"".join(DATED), lambda kept: kept, HEAD + b"".join(DATED)),
        (
            HEAD + b"".join(DATED),
            lambda kept: HEAD + b"## 2026-03-04\n\n" + kept[len(HEAD) :],
            HEAD + b"## 2026-03-04\n\n" + b"".join(DATED),
        ),
    ],
)
@pytest.mark.parametrize("keep", [0, 90, 125])
def test_what_was_divided_and_added_to_is_put_together_again(
    old: bytes, added: Callable[[bytes], bytes], whole: bytes, keep: int
) -> None:
    division = divide(old, keep)

    assert division is not None
    assert rejoin(old, added(division.kept)) == whole


def test_what_had_stayed_and_was_changed_is_not_guessed_at() -> None:
    assert rejoin(HEAD + ONE + TWO, HEAD + TWO.replace(b"what", b"why")) is None
