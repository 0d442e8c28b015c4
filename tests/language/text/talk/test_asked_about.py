"""What a question quotes is not said by whoever asks."""

from engram.language.text.talk.asked_about import blank_asked_about
from tests.cases import for_each


@for_each(
    ("said", "left"),
    [
        ("Why do I get 'connection refused on port 5432'?", "Why do I get ?"),
        ("Why do I get this?\n'connection refused on port 5432'", "Why do I get this?"),
        ('Why does it say "It needs Redis 7. Upgrade."?', "Why does it say ?"),
        ("Why do I get 'Refused. It must run on 5432.' when I start it?", "Why do I get when I start it?"),
        ("What does this mean?\nError: it requires Postgres 16\n> use 16", "What does this mean?"),
        ("Was heißt das?\nFehler beim Start: Port 5432 fehlt", "Was heißt das?"),
        ("Pourquoi « la connexion est refusée » ?", "Pourquoi ?"),
        ("为什么出现「连接被拒绝。请用5432端口」？", "为什么出现 ？"),
        ("We call it 'Lantern'. Should we rename it?", None),
        ('Which one? "Lantern" is what we use.', None),
        ("Can you fix it? We use Redis 7.", None),
        ("Can you fix it?\nThe server runs on port 8080.", None),
        ("Don't ask, it's Jan's: we decided 'Ship on Friday.'", None),
    ],
)
def test_what_a_question_quotes_is_blank(said: str, left: str | None) -> None:
    blanked = blank_asked_about(said)

    assert len(blanked) == len(said)
    assert " ".join(blanked.split()) == " ".join((left if left is not None else said).split())
