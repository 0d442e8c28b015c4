from engram.language.compare.slots.slot_values import Words
from engram.language.compare.slots.slot_values import fits
from tests.cases import for_each

WORDS = Words(
    known=frozenset({"postgres", "main"}),
    function=frozenset({"in", "the", "with", "집"}),
    clause=frozenset({"if", "or"}),
    dating=frozenset({"in", "the"}),
    vague=frozenset({"not", "slow"}),
    generic=frozenset({"银行", "은행"}),
)


@for_each(
    ("shape", "value", "expected"),
    [
        ("name", "Acme GmbH", True),
        ("name", "acme", False),  # a proper name is written large
        ("name", "Riga in summer", False),  # says more than a name
        ("name", "腾讯", True),
        ("name", "집", False),
        ("term", "postgres", True),
        ("term", "postgres with replicas", False),
        ("term", "Ruby on Rails", True),
        ("phrase", "team lead", True),
        ("phrase", "not clear", False),
        ("phrase", "lead if Omar agrees", False),
        ("date", "5 March", True),
        ("date", "next Friday", True),
        ("date", "2026-03-01", True),
        ("date", "3월 5일", True),
        ("date", "a farm", False),
        ("amount", "$20k per month", True),
        ("amount", "two weeks", True),
        ("amount", "20 or 30", False),
        ("amount", "a lot", False),
        ("version", "v3.1.0-rc1", True),
        ("version", "Python 3.12", True),
        ("version", "control", False),
        ("email", "anna@example.com", True),
        ("email", "full", False),
        ("phone", "+49 30 1234567", True),
        ("phone", "an old one", False),
        ("port", "8080", True),
        ("port", "blocked", False),
        ("host", "db-2.internal", True),
        ("host", "unreachable", False),
        ("url", "https://example.com/x", True),
        ("path", "/srv/data", True),
        ("path", "clear", False),
        ("slug", "main", True),
        ("slug", "release/2.0", True),
        ("slug", "protected", False),
        ("name", "", False),
    ],
)
def test_a_value_looks_like_what_it_is(shape: str, value: str, expected: bool) -> None:
    assert fits(value, shape, WORDS) is expected
