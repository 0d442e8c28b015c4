"""What the value of a secret looks like: random, like a password, or with a checksum that holds."""

import binascii
import itertools
import math
from collections import Counter

from engram.language.matching.prefilter import compiled

_SHORTEST_PASSWORD = 5  # characters of a value that a name calls a password
_SHORTEST_PIN = 4  # digits of one that is a number
_SHORTEST_TOKEN = 8  # characters of a value that a name calls a token
_SHORTEST_KEY = 14  # characters of a value that a name calls a key
_FEWEST_CHARS = 6  # different characters, at most, of a long value that is a drawing and no key
_ENTROPY = 3.1  # bits a character, for the value of a weak name
_HEX_ENTROPY = 2.7  # the same in hexadecimal, of which there are four bits a character at most
_LONG_RANDOM = 26  # characters from which letters alone can be random
_WORD_CHARS = 3  # characters of a run of letters on average, from which a value is made of words
_MANY_NUMBERS = 4  # numbers among the letters of one piece, as no name has them
_SEQUENCE = 7  # characters in the order of the alphabet or of the digits, as nobody's random key has them
_SPREAD_DIGITS = 4  # places between the first digit and the last, in what is no name with a number behind it
_VARIED_BYTES = 6  # different numbers in the bytes of a key
_LARGE_BYTE = 32  # one at least is as large
_RUN = r"(.)\1{4}"
_CAMEL = r"[A-Z]?[a-z]+(?:[A-Z_-][a-z]+)*"
_UNSPEAKABLE = "(?i)[bcdfghjklmnpqrstvwxz]{5}"
_DIGEST = "x?[0-9a-f]+|[0-9A-F]+"
_HEX = "[0-9a-f]+|[0-9A-F]+"
_WORD = r"[A-Z]?[a-z]+|[A-Z]+"
_NUMBER = r"\d{4}-\d\d-\d\d|\d+"
_PLACEHOLDER = (
    r"(?i)^(?:[<\[{]|\$(?:[{(]|[a-z_]\w*(?:$|[\[.:>-]))|%(?:\w?$|\w+%|[({])|@[a-z.-]+@?$|[{<]\w)|.*[$%]\{|.*\{\{|.*\$\(|\*{3,}|.*x{5,}|"
    r".*\.{3,}|.*example|.*your[_-]|.*(?:your|my|the)[_-]?(?:key|token|secret|password|api|pass|own)|.*here$|"
    r".*(?:redacted|changeme|placeholder|dummy|insert|replace)|\[secret:|"
    r"(?:null|none|nil|true|false|undefined|required|optional|string|password|passwd|pass|pwd|pw|secret|token|"
    r"test|default|empty|unknown|hidden|secure|user|foo|bar|baz|abc|xyz|123)\W*$|"
    r"(?:process\.env|os\.environ|getenv|env[.(\[]|config[.(\[]|settings\.|self\.|this\.|secrets\.|vars?\.|ENV\[)"
)
_NOT_RANDOM = (
    r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|^[a-z]{2,8}://|^(?:~|\.{0,2})/?(?:[\w.-]+/)+[\w.-]*\.\w{1,5}$|"
    r"^~?(?:/[\w.-]{1,24})+/?$|^[\w-]+(?:\.[a-z_]\w*){2,}\(?$|^[a-z_]+\.[a-z_]+\w*\(?$|^\d[\d.,:-]*$|"
    r"^\d{4}-?\d\d-?\d\dt\d\d(?::?\d\d){1,2}(?:[.,]\d{1,9})?(?:z|[+-]\d\d:?\d\d)?$|^[\w.+-]+@[\w-]+\.[\w.-]+$|"
    r"^[a-z_][\w.]*\[[\w.\[\]|]*$|.*(?:\\[sdwb][*+?{]|\(\?)"
)
_BYTE = r"0x[0-9a-f]{1,2}|\d{1,3}"
_CARD_STARTS = r"(?:4|5[1-5]|2[2-7]|3[47]|6(?:011|5)|220)"


def is_no_placeholder(value: str) -> bool:
    """Tell whether a value is not one that stands for another: <key>, $TOKEN, xxxxx, your-key-here."""
    return compiled(_PLACEHOLDER).match(value) is None


def is_random(value: str) -> bool:
    """Tell whether a value is varied, without runs of one character and without sequences."""
    varied = len(set(value)) >= min(10, len(value) // 2)
    return varied and is_no_placeholder(value) and compiled(_RUN).search(value) is None and not _has_sequence(value)


def _has_sequence(value: str) -> bool:
    """Tell whether letters or digits follow each other as in the alphabet, as in abcdefgh and 12345678."""
    length = 1
    for before, after in itertools.pairwise(value):
        length = length + 1 if ord(after) - ord(before) == 1 and after.isalnum() else 1
        if length >= _SEQUENCE:
            return True
    return False


def is_assigned(value: str) -> bool:
    """Tell whether a value looks like a password: letters with digits or signs, or letters in no word's case."""
    if len(value) < _SHORTEST_PASSWORD or not is_no_placeholder(value) or compiled(_NOT_RANDOM).match(value):
        return False
    if value.endswith(("(", "{", "[")) or len(set(value)) <= min(len(value) // 8, _FEWEST_CHARS):
        return False
    value = value.rstrip(".!?:…")
    lower, upper, digit = (any(map(test, value)) for test in (str.islower, str.isupper, str.isdigit))
    signs = any(not ch.isalnum() and ch not in "_-./" for ch in value)
    mixed = lower and upper and not compiled(_CAMEL).fullmatch(value)
    return (lower or upper) and (digit or signs or mixed)


def is_password(value: str) -> bool:
    """Tell whether a value looks like a password or is a number of four digits and more."""
    return is_assigned(value) or (len(value) >= _SHORTEST_PIN and value.isascii() and value.isdigit())


def is_strong(value: str) -> bool:
    """Tell whether a value mixes letters and digits with signs as only passwords do."""
    return is_assigned(value) and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_token(value: str) -> bool:
    """Tell whether a value looks like a password, is longer than most, and is not made of words."""
    long = len(value) >= _SHORTEST_TOKEN
    return long and is_assigned(value) and not _is_made_of_words(value) and compiled(_RUN).search(value) is None


def is_dense(value: str) -> bool:
    """Tell whether a value is long and has the entropy of a random one (Shannon's, of its characters)."""
    if len(value) < _SHORTEST_KEY or not is_token(value) or _has_sequence(value):
        return False
    if not any(map(str.isdigit, value)) and len(value) < _LONG_RANDOM:
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return entropy >= (_HEX_ENTROPY if compiled(_HEX).fullmatch(value) else _ENTROPY)


def is_mixed(value: str) -> bool:
    """Tell whether a value is long and has the entropy of a random one, and is no number in hexadecimal."""
    return compiled(_DIGEST).fullmatch(value) is None and is_dense(value)


def is_signed(value: str) -> bool:
    """Tell whether letters, digits and a sign make a value what only passwords are: no address, no placeholder."""
    return is_strong(value) and len(set(value)) >= _FEWEST_CHARS


def _is_made_of_words(value: str) -> bool:
    """Tell whether the value falls into few chunks, as names do and random text does not."""
    if compiled(_UNSPEAKABLE).search(value):
        return False
    words, numbers = compiled(_WORD).findall(value), compiled(_NUMBER).findall(value)
    if len(numbers) >= _MANY_NUMBERS and value.isalnum():
        return False
    few = sum(map(len, words + numbers)) >= _WORD_CHARS * len(words + numbers)
    return few and sum(map(len, words)) >= _WORD_CHARS * len(words) and len(numbers) <= len(words)


def is_github_token(value: str) -> bool:
    """Tell a GitHub token: random, or its last six characters are the CRC-32 of the others in base 62."""
    return is_random(value) or _base62(binascii.crc32(value[4:-6].encode())).zfill(6) == value[-6:]


def _base62(number: int) -> str:
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return (_base62(number // 62) if number >= 62 else "") + digits[number % 62]


def is_card_number(value: str) -> bool:
    """Tell the number of a payment card (ISO/IEC 7812): an issuer's first digits, and Luhn's sum holds."""
    digits = [int(ch) for ch in value if ch.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    issued = compiled(_CARD_STARTS).match("".join(map(str, digits))) is not None
    return issued and len(set(digits)) > 4 and (sum(doubled) + sum(digits[::-2])) % 10 == 0


def is_key_bytes(value: str) -> bool:
    """Tell the bytes of a key, as numbers between commas: varied, and not only small ones."""
    numbers = {
        int(number, 0) if number.startswith("0x") else int(number) for number in compiled(_BYTE).findall(value.lower())
    }
    return len(numbers) >= _VARIED_BYTES and max(numbers) >= _LARGE_BYTE


def is_one_time_seed(value: str) -> bool:
    """Tell a one-time password's seed: digits stand among the letters, not only behind a word."""
    digits = [place for place, ch in enumerate(value) if ch.isdigit()]
    return len(digits) > 1 and digits[-1] - digits[0] >= _SPREAD_DIGITS and is_random(value)


def is_numbered(value: str) -> bool:
    """Tell base64 of a number and a colon, with which the tokens of Jira and Confluence begin."""
    return compiled(r"\d{8,16}:").match(decoded(value)[:17].decode("latin-1")) is not None


def is_name_and_password(value: str) -> bool:
    """Tell base64 of a name, a colon and a password (RFC 7617)."""
    return compiled(r"[\w.@+-]{1,64}:[!-~]{3,}$").match(decoded(value).decode("latin-1")) is not None


def decoded(value: str) -> bytes:
    """Return the bytes of base64 in either alphabet, padded or not; none when it is no base64."""
    whole = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return binascii.a2b_base64(whole + "=" * (-len(whole) % 4))
    except binascii.Error:
        return b""


def reads(data: bytes) -> bool:
    """Tell whether bytes are a text in ASCII."""
    return data.isascii() and all(byte >= 32 or byte in b"\t\n\r" for byte in data) and bool(data)
