"""How the parts of a lexicon are declared and read."""

from typing import Any
from typing import get_type_hints

from engram.language.compare.reading.lexicon import From
from engram.language.compare.reading.lexicon import Lexicon
from engram.language.compare.reading.lexicon import load_lexicon
from tests.cases import for_each


@for_each(("name", "part"), get_type_hints(Lexicon, include_extras=True).items())
def test_each_part_is_read_as_what_it_is_declared_to_be(name: str, part: Any) -> None:
    (how,) = [one for one in part.__metadata__ if isinstance(one, From)]

    assert get_type_hints(how.read)["return"] == part.__origin__, name


def test_no_part_is_empty() -> None:
    lexicon = load_lexicon()._asdict()

    assert [name for name, part in lexicon.items() if not part] == []
