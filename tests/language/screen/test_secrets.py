import base64
import binascii
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.screen.secrets import marked_kinds
from engram.language.screen.secrets import redact
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

FILES = [PATTERNS / "secrets.toml", PATTERNS / "secret_tokens.toml"]
RANDOM = "h8Kq2vZ7mT4xWb9LcR3n"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_pattern_has_a_positive_and_a_negative_example(file: Path) -> None:
    assert patterns_without_both(file) == []


@for_each("example", [example for file in FILES for example in read_examples(file)])
def test_shapes_find_their_examples_and_only_those(example: Example) -> None:
    result = redact(example.text)

    assert (example.entry["kind"] in result.kinds) == example.found, result
    assert (result.text != example.text) == bool(result.kinds)


@for_each(
    "text",
    [
        "commit 5c1e7fd2a90b64c83e15d7f0936ab2c84d70e91f fixes the build",
        "version=5c1e7fd2a90b64c83e15d7f0936ab2c84d70e91f",
        "id 29f63271-dc2f-4734-8221-5b31b5169bac",
        "token: 29f63271-dc2f-4734-8221-5b31b5169bac",
        "credentialsId: 29f63271-dc2f-4734-8221-5b31b5169bac",
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
        "The password policy requires 12+ characters",
        "password reset link expired",
        "token_count: 1824",
        "tokenizer: cl100k_base",
        "secretName: tls-cert-2024",
        "i18n key: settings.profile.title",
        "cache key: user:1234:profile:v2abcdef09",
        "session: 2024-11-22-planning",
        "密码长度至少8位",
        "비밀번호를 잊어버렸어요",
        "My phone number is +49 170 1234567, my mail anna.k@example.org",
        "order 1234-5678-9012-3456",
        "the number 5425 2334 3010 9904",
        "PIN 13 is the LED",
        "I prefer tea",
    ],
)
def test_what_only_looks_like_a_secret_is_untouched(text: str) -> None:
    assert redact(text) == (text, ())


@for_each(
    ("text", "expected", "kind"),
    [
        (f"password: {RANDOM}", "password: [secret:password]", "password"),
        (f"пароль: {RANDOM}", "пароль: [secret:password]", "password"),
        (f'{{"api_key": "{RANDOM}"}}', '{"api_key": "[secret:token]"}', "token"),
        (f"postgres://app:{RANDOM}@db:5432/x", "postgres://app:[secret:url-password]@db:5432/x", "url-password"),
        (f"export DB_PASS={RANDOM}; run", "export DB_PASS=[secret:password]; run", "password"),
        (f"my password for the router is {RANDOM}.", "my password for the router is [secret:password]", "password"),
        (f"Пароль от роутера — {RANDOM}, не забудь", "Пароль от роутера — [secret:password], не забудь", "password"),
        (f"数据库密码是{RANDOM}，别外传", "数据库密码是[secret:password]，别外传", "password"),
        (f"비밀번호는 {RANDOM}입니다", "비밀번호는 [secret:password]입니다", "password"),
        (f"<password>{RANDOM}</password>", "<password>[secret:password]</password>", "password"),
        (f"- **Password:** {RANDOM}", "- **Password:** [secret:password]", "password"),
        (f"| Password | {RANDOM} |", "| Password | [secret:password] |", "password"),
        (f"dbPasswordProd: '{RANDOM}'", "dbPasswordProd: '[secret:password]'", "password"),
        (f"?api_key={RANDOM}&page=2", "?api_key=[secret:token]&page=2", "token"),
        ("password: 481516", "password: [secret:password]", "password"),
        ("My PIN is 4815", "My PIN is [secret:pin]", "pin"),
        ("pay with 5425 2334 3010 9903 today", "pay with [secret:card] today", "card"),
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


def test_a_github_token_with_its_checksum_goes_even_when_it_is_not_varied() -> None:
    body = "0" * 30

    assert redact(f"ghp_{body}{checksum(body)}").kinds == ("github",)
    assert redact(f"ghp_{body}ABCDEF").kinds == ()


def checksum(body: str) -> str:
    """Return six digits of base 62 as GitHub puts them behind a token: zlib's CRC-32 of what stands between."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    number, found = binascii.crc32(body.encode()), ""
    while number:
        number, digit = divmod(number, 62)
        found = digits[digit] + found
    return found.zfill(6)


@for_each("hidden", [f"password={RANDOM}", "-----BEGIN RSA PRIVATE KEY-----\nabcd", f'"key": "{RANDOM}"'])
def test_base64_of_a_secret_goes(hidden: str) -> None:
    encoded = base64.b64encode(hidden.encode()).decode()

    assert redact(f"before {encoded} after").text == "before [secret:encoded] after"


def test_base64_of_plain_text_and_of_a_picture_stays() -> None:
    for plain in (b"Nothing is hidden in this sentence.", b"\x89PNG\r\n\x1a\n" + bytes(range(60))):
        text = f"see {base64.b64encode(plain).decode()} there"
        assert redact(text) == (text, ())


def test_base64_of_a_name_and_a_password_goes_after_basic() -> None:
    pair = base64.b64encode(b"anna:tea").decode()

    assert redact(f"Authorization: Basic {pair}").text == "Authorization: Basic [secret:basic-auth]"


def test_a_name_within_what_was_no_value_is_still_tried() -> None:
    assert redact(f"Token -> DemoToken: {RANDOM}").kinds == ("token",)


PIECES = st.sampled_from(
    ["password", ": ", "=", " ", "token", "key", '"', "'", RANDOM, "AKIA" + "ABCDEFGH2345QRST", "[secret:", "]", "\n",
     "Bearer ", "://u:", "@h", "ghp_" + RANDOM * 2, "is ", "-----BEGIN PRIVATE KEY-----", "abc", ".", "&", "пароль",
     "密码是", "비밀번호는 ", "pass", "secret", "LTAI", "SG.", "-u ", "curl ", "4815", "5425 2334 3010 9903", "_", "|",
     "cGFzc3dvcmQ9aDhLcTJ2Wjc=", "basic ", "pin", "[secret:token]", "0x35, ", "key{", "İ"]
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


def test_the_marks_in_a_text_name_what_was_taken_out() -> None:
    assert marked_kinds("[secret:token] and [secret:aws], [secret:token]; no [secret] and [secret:A B]") == (
        "aws",
        "token",
    )
    assert marked_kinds("nothing was taken out") == ()


@for_each(
    "instant",
    ["2026-11-22T07:07:08Z", "2026-11-22T07:07Z", "2026-11-22T07:07:08.123456+02:00", "20261122T070708Z"],
)
@for_each("before", ["the new API\n- ", "api_key: ", "token = ", "password:\n"])
def test_an_instant_is_no_secret_whatever_stands_before_it(before: str, instant: str) -> None:
    text = f"# Changelog\n{before}{instant} Moved the cart\n"

    assert redact(text).text == text


@for_each(
    "sentence",
    [
        "my new password, since Monday, is {}",
        "the db password got changed to {}",
        "log in with anna and {}",
        "credentials: anna / {}",
        "use {} as the password",
        "wifi: HomeNet, pass {}",
        "Das Passwort lautet {}",
        "neues Kennwort {}",
        "le mot de passe est {}",
        "a senha é {}",
        "la password è {}",
        "hasło to {}",
        "пароль от вайфая {}",
        "新密码是{}",
        "비밀번호 {}로 바꿨어",
        "パスワードは{}です",
    ],
)
def test_a_password_in_a_spoken_sentence_is_taken_out(sentence: str) -> None:
    value = "Zx9!" + "kq2Lm"
    assert redact(sentence.format(value)).text == sentence.format("[secret:password]")


@for_each(
    "text",
    [
        "credits go to COSMOS#8888 on Discord",
        "credentials were asked of anna2@example.com",
        "the password dialog was moved to login2.html",
        "wifi works since the update to v2.3.1-rc2",
        "login is at https://host.example/a?b=2c&d=4",
        "passwords are hashed with argon2id, m=19456",
        "the password bug was fixed in 3f2a9bc1",
        "chatcmpl-9xYz0AbCdEfGhIjKlMnOpQrStUvWx is the answer's id",
        "om_x100b53f81d4db4b4b258aa6e8c56f6d was sent",
    ],
)
def test_what_stands_near_a_word_for_a_password_or_like_a_token_and_is_none_stays(text: str) -> None:
    assert redact(text) == (text, ())
