from engram.language.compare.contradiction.negation import find_denial
from engram.language.compare.reading.tokens import tokenize
from tests.cases import for_each


@for_each(
    ("denied", "said"),
    [
        ("The office is not open on Sunday", "On Sunday the office is open"),
        ("Does not use Redis", "Billing uses Redis for caching"),
        ("The parser does not accept XML", "The parser accepts XML in the beta release of May"),
        ("Omar is not painting the fence", "Omar is painting the garden fence"),
        ("Nobody reviews the changes", "Marta reviews the changes"),
        ("There are no open incidents", "There are three open incidents in the billing service"),
        ("No tests cover the parser", "Two slow tests cover the old parser"),
        ("Does not drink alcohol", "Drinks beer"),
        ("There is no animal in the flat", "There is a black cat in the flat"),
        ("Не ест мясо", "Ест курицу"),
        ("Никто не проверяет изменения", "Марта проверяет изменения"),
        ("不吃肉", "小王吃牛肉"),
        ("没有人检查日志", "小李检查日志"),
        ("고기를 먹지 않는다", "민수는 닭고기를 먹는다"),
        ("강릉에 공항이 없다", "강릉에서 가까운 공항을 이용하는 사람이 많다"),
    ],
)
def test_what_is_denied_whole_or_in_a_part_excludes_in_either_order(denied: str, said: str) -> None:
    newest, before = find_denial(tokenize(denied), tokenize(said)), find_denial(tokenize(said), tokenize(denied))

    assert newest is not None
    assert before is not None
    assert (newest[0], before[0]) == ("polarity", "polarity")
    assert newest[2] == "the newer statement denies what the older one says"
    assert before[2] == "the older statement denies what the newer one says"


@for_each(
    ("denied", "said"),
    [
        ("The API is not public", "The API documentation is public"),
        ("API не публичный", "Документация API публичная"),
        ("API는 공개가 아니다", "API 문서는 공개이다"),
        ("Does not eat meat", "Anna's brother eats meat"),
        ("Не ест мясо", "Брат Анны ест мясо"),
        ("고기를 먹지 않는다", "민수의 누나는 고기를 먹는다"),
        ("Does not use Redis for sessions", "Uses Redis for caching"),
        ("Does not like cats", "Likes big cats"),
        ("Does not drink beer", "Drinks alcohol"),
        ("Does not eat", "Eats"),
        ("No longer uses Redis", "Uses Redis"),
        ("Does not smoke", "Does not drink"),
        ("Smokes", "Drinks"),
    ],
)
def test_denials_of_something_else_are_not_taken_for_denials_of_this(denied: str, said: str) -> None:
    assert find_denial(tokenize(denied), tokenize(said)) is None
    assert find_denial(tokenize(said), tokenize(denied)) is None
