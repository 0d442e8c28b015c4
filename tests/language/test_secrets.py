from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.secrets import redact
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

FILE = PATTERNS / "secrets.toml"
RANDOM = "h8Kq2vZ7mT4xWb9LcR3n"


def test_every_pattern_has_a_positive_and_a_negative_example() -> None:
    assert patterns_without_both(Path(FILE)) == []


@pytest.mark.parametrize("example", read_examples(FILE), ids=str)
def test_shapes_find_their_examples_and_only_those(example: Example) -> None:
    result = redact(example.text)

    assert (example.entry["kind"] in result.kinds) == example.found, result
    assert (result.text != example.text) == bool(result.kinds)


@pytest.mark.parametrize(
    "text",
    [
        "commit 9a038989604e8da62ecddbe2094b16ce1b778be1 fixes the build",
        "version=9a038989604e8da62ecddbe2094b16ce1b778be1",
        "id 29f63271-dc2f-4734-8221-5b31b5169bac",
        "token: 29f63271-dc2f-4734-8221-5b31b5169bac",
        "api_key = <your-api-key>",
        "password: xxxxxxxx",
        "password=${DB_PASSWORD}",
        "password: $DB_PASSWORD",
        "token = os.environ['TOKEN']",
        "key_file: /etc/ssl/private/server.key",
        "secret: ~/.config/app/secret.txt",
        "token: none",
        "The password is required",
        "primary key: customer_id",
        "AKIAXXXXXXXXXXXXXXXX",
        "The token limit is 4096",
        "max_tokens: 4096",
        "https://example.org/a:b@c",
        "See https://user@example.org/path",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "Пароль хранится в сейфе",
        "I prefer tea",
    ],
)
def test_what_only_looks_like_a_secret_is_untouched(text: str) -> None:
    assert redact(text) == (text, ())


@pytest.mark.parametrize(
    ("text", "expected", "kind"),
    [
        (f"password: {RANDOM}", "password: [secret:password]", "password"),
        (f"пароль: {RANDOM}", "пароль: [secret:password]", "password"),
        (f'{{"api_key": "{RANDOM}"}}', '{"api_key": "[secret:token]"}', "token"),
        (f"postgres://app:{RANDOM}@db:5432/x", "postgres://app:[secret:url-password]@db:5432/x", "url-password"),
        (f"export DB_PASS={RANDOM}; run", "export DB_PASS=[secret:password]; run", "password"),
    ],
)
def test_only_the_value_is_taken_out(text: str, expected: str, kind: str) -> None:
    assert redact(text) == (expected, (kind,))


def test_a_value_that_stands_again_without_its_name_is_taken_out_too() -> None:
    result = redact(f"password: {RANDOM}\nlogged in with {RANDOM}")

    assert RANDOM not in result.text


def test_a_whole_private_key_goes() -> None:
    body = "\n".join([RANDOM * 3] * 5)

    result = redact(f"before\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\nafter")

    assert result == ("before\n[secret:private-key]\nafter", ("private-key",))


PIECES = st.sampled_from(
    ["password", ": ", "=", " ", "token", "key", '"', "'", RANDOM, "AKIA" + "ABCDEFGH2345QRST", "[secret:", "]", "\n",
     "Bearer ", "://u:", "@h", "ghp_" + RANDOM * 2, "is ", "-----BEGIN PRIVATE KEY-----", "abc", ".", "&"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14).map("".join))
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text)

    assert redact(once.text) == (once.text, ())


@given(st.text(max_size=200))
def test_any_text_can_be_redacted(text: str) -> None:
    once = redact(text)

    assert redact(once.text).text == once.text
    assert bool(once.kinds) == (once.text != text)
