"""Time stamps in the four languages."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.dates.clock import read_stamp


def shown(text: str) -> str | None:
    stamp = read_stamp(text)
    if stamp is None:
        return None
    zone = None if stamp.offset is None else dt.timezone(stamp.offset)
    return dt.datetime.combine(stamp.day, stamp.time, tzinfo=zone).isoformat()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024年04月01日 周一 08:30", "2024-04-01T08:30:00"),
        ("2024年4月1日星期一 下午8:30", "2024-04-01T20:30:00"),
        ("2024年4月1日 晚上8点30分", "2024-04-01T20:30:00"),
        ("2024年4月1日 8时5分9秒", "2024-04-01T08:05:09"),
        ("2024年4月1日 08：30", "2024-04-01T08:30:00"),
        ("2024年4月1日 08:30 (北京时间)", "2024-04-01T08:30:00+08:00"),
        ("1 апреля 2024 г., 08:30", "2024-04-01T08:30:00"),
        ("1 апреля 2024 года в 20:30:15", "2024-04-01T20:30:15"),
        ("понедельник, 1 апреля 2024 г. 08:30 МСК", "2024-04-01T08:30:00+03:00"),
        ("01.04.2024, 8:30", "2024-04-01T08:30:00"),
        ("2024년 4월 1일 (월) 오전 8:30", "2024-04-01T08:30:00"),
        ("2024년 4월 1일 월요일 오후 8시 30분", "2024-04-01T20:30:00"),
        ("2024년 4월 1일 오후 12:05", "2024-04-01T12:05:00"),
        ("2024. 4. 1. 오전 12:05", "2024-04-01T00:05:00"),
        ("April 1, 2024 at 8:30 AM", "2024-04-01T08:30:00"),
        ("Monday, April 1, 2024 at 8:30:59 p.m. UTC+2", "2024-04-01T20:30:59+02:00"),
        ("8:56 pm on 8 May, 2023", "2023-05-08T20:56:00"),
        ("8 pm on 8 May, 2023", "2023-05-08T20:00:00"),
        ("[2024-04-01 08:30 +0900]", "2024-04-01T08:30:00+09:00"),
        ("Tuesday 1 April 2024 08:30", "2024-04-01T08:30:00"),  # it was a Monday: the date counts
        ("2024年04月01日 周三 08:30", "2024-04-01T08:30:00"),
        ("2024年04月01日", "2024-04-01T00:00:00"),
    ],
)
def test_a_stamp_is_read_as_it_is_written(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "08:30",
        "1 апреля, 08:30",
        "周一 08:30",
        "April 2024, 08:30",
        "2024年13月01日 08:30",
        "2024年04月01日 25:30",
        "2024年04月01日 오전 13:30",
        "1 April 2024 to 2 April 2024",
        "1 April 2024 08:30 to 09:30",
        "1 April 2024 we met at 08:30",
        "03/04/2024 08:30",
        "x" * 300,
    ],
)
def test_what_is_no_stamp_or_more_than_one_is_left(text: str) -> None:
    assert read_stamp(text) is None


@given(
    st.text()
    | st.lists(st.sampled_from(["2024年4月1日", "8:30", "pm", "UTC", "+", "오후", "8点", " ", "99"])).map(" ".join)
)
def test_no_text_is_too_odd(text: str) -> None:
    stamp = read_stamp(text)

    assert stamp is None or stamp.day.year >= 1900
