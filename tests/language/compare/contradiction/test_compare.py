import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.compare.contradiction.compare import compare
from engram.language.compare.contradiction.compare import similarity
from engram.language.compare.contradiction.compare import skeleton
from engram.language.compare.contradiction.compare import words
from engram.model.comparison import EXCLUDING
from tests.cases import for_each


@for_each(
    ("new", "old", "kind"),
    [
        ("does not like working in the evening", "likes working in the evening", "polarity"),
        ("Sergey doesn\u2019t like working in the evening", "likes working in the evening", "polarity"),
        ("не любит работать вечером", "любит работать вечером", "polarity"),
        ("Никогда не работает вечером", "Работает вечером", "polarity"),
        ("The office is not open on Sunday", "On Sunday the office is open", "polarity"),
        ("Does not use Redis", "Billing uses Redis for caching", "polarity"),
        ("uses Redis", "no longer uses Redis", "polarity"),
        ("Logging is disabled", "Logging is enabled", "polarity"),
        ("Research timeout is 900 seconds", "Research timeout is 600 seconds", "number"),
        ("Research timeout is 5 minutes", "Research timeout is 600 seconds", "number"),
        ("The team has four people", "The team has 3 people", "number"),
        ("Budget is $40k", "Budget is $50k", "number"),
        ("Uses version 31", "Uses version 3.1", "version"),
        ("Runs on v2.3.1", "Runs on v2.3.2", "version"),
        ("The review is on 2026-03-01", "The review is on 2026-02-01", "date"),
        ("The review is on March 5", "The review is on March 8th", "date"),
        ("Встреча в пятницу", "Встреча в среду", "date"),
        ("Prefers light theme", "Prefers dark theme", "preference"),
        ("Предпочитает светлую тему", "Предпочитает тёмную тему", "preference"),
        ("Hates long meetings", "Likes long meetings", "preference"),
        ("Prefers spaces over tabs", "Prefers tabs over spaces", "preference"),
        ("Prefers Vim over Emacs", "Prefers Emacs over Vim", "preference"),
        ("no longer uses Redis", "uses Redis", "cessation"),
        ("Billing no longer uses Redis", "Billing uses Redis for caching", "cessation"),
        ("Stopped using Redis", "Uses Redis", "cessation"),
        ("switched from Redis to Valkey", "uses Redis", "cessation"),
        ("больше не использует Redis", "использует Redis", "cessation"),
        ("перешли с Redis на Valkey", "использует Redis", "cessation"),
        ("Lives in Lisbon", "Lives in Berlin", "attribute"),
        ("Works at Globex", "Anna works for Acme", "attribute"),
        ("The deadline moved to Friday", "The deadline is Monday", "date"),
        ("Written in C#", "Written in C++", "value"),
        ("The API is deployed to Frankfurt", "The API is deployed to Dublin", "value"),
        ("  likes TEA. ", "Likes tea", "same"),
    ],
)
def test_statements_are_compared(new: str, old: str, kind: str) -> None:
    assert compare(new, old).kind == kind


@for_each(
    ("new", "old"),
    [
        ("3 dogs and 4 cats", "2 dogs and 3 cats"),
        ("Anna lives in Lisbon", "Bob lives in Berlin"),
        ("Issue 13 is closed", "Issue 12 is closed"),
        ("Research timeout is 10 minutes", "Research timeout is 600 seconds"),
        ("Does not dislike tea", "Likes tea"),
        ("Uses the Redis cache", "Uses Redis cache"),
        ("The API is not public", "The API documentation is public"),
        ("Likes tea", "The meeting is on Monday"),
        ("switched from Redis to Valkey", "Redis costs 40 dollars a month in Frankfurt"),
        ("1,000 users are active", "1000 users are active"),
        ("a", "b"),
    ],
)
def test_statements_that_can_both_hold_do_not_exclude_each_other(new: str, old: str) -> None:
    assert compare(new, old).kind == "none"


@for_each(
    ("new", "old", "why"),
    [
        ("Research timeout is 900 seconds", "Research timeout is 600 seconds", "600 became 900"),
        ("Prefers light theme", "Prefers dark theme", "dark became light"),
        ("Written in C#", "Written in C++", "c++ became c#"),
        ("switched from Redis to Valkey", "uses Redis", "redis became valkey"),
        ("Lives in Lisbon", "Lives in Berlin", "city: Berlin became Lisbon"),
        ("does not like tea", "likes tea", "the newer statement denies what the older one says"),
        ("likes tea", "does not like tea", "the older statement denies what the newer one says"),
    ],
)
def test_the_reason_has_a_direction(new: str, old: str, why: str) -> None:
    assert compare(new, old).why == why


@for_each(
    ("a", "b"),
    [
        ("Uses version 3.1", "Uses version 31"),
        ("Research timeout is 600 seconds", "Research timeout is 900 seconds"),
        ("likes working", "does not like working"),
        ("Prefers the dark theme", "prefers light theme."),
        ("Due on 2026-02-24", "Due on Friday"),
        ("любит чай", "не любит чай"),
    ],
)
def test_skeletons_leave_out_numbers_dates_versions_and_polarity(a: str, b: str) -> None:
    assert skeleton(a) == skeleton(b)


def test_skeletons_keep_what_carries_meaning() -> None:
    assert skeleton("Written in C++") != skeleton("Written in C#")
    assert skeleton("Uses node.js") != skeleton("Uses node")


def test_similarity_is_the_share_of_common_content_words() -> None:
    assert similarity("likes working at night", "liked to work nights") == 1.0
    assert similarity("likes tea", "rain tomorrow") == 0.0
    assert similarity("", "") == 0.0
    assert words("The cats are working") == words("a cat works")


LANGUAGES = [
    # Russian
    ("Сервис использует Postgres 16", "Сервис использует Postgres 15", "number"),
    ("Таймаут 5 минут", "Таймаут 30 секунд", "number"),
    ("Релиз 5 мая", "Релиз 1 апреля", "date"),
    ("Созвон перенесли на 11:00", "Созвон в 10:00", "date"),
    ("Версия 2.4 в работе", "Версия 2.3 в работе", "version"),
    ("У команды нет офиса в Берлине", "У команды есть офис в Берлине", "polarity"),
    ("Никто не проверяет изменения", "Марта проверяет изменения", "polarity"),
    ("Порт закрыт", "Порт открыт", "polarity"),
    ("Квартира маленькая", "Квартира большая", "polarity"),
    ("Дверь красная", "Дверь синяя", "attribute"),
    ("Предпочитает кофе, а не чай", "Предпочитает чай, а не кофе", "preference"),
    ("Ненавидит бег", "Обожает бег", "preference"),
    ("Бросил курить", "Курит", "cessation"),
    ("Уволилась из Яндекса", "Работает в Яндексе", "cessation"),
    # Chinese
    ("服务使用Postgres 16", "服务使用Postgres 15", "number"),
    ("团队有五个人", "团队有三个人", "number"),
    ("房租是3000元", "房租是2500元", "number"),
    ("例会改到周三", "例会在周五", "date"),
    ("发布日期是2026年5月1日", "发布日期是2026年4月1日", "date"),
    ("小王不吃肉", "小王吃肉", "polarity"),
    ("他没有车", "他有车", "polarity"),
    ("没有人检查日志", "小李检查日志", "polarity"),
    ("功能开关已禁用", "功能开关已启用", "polarity"),
    ("办公室很大", "办公室很小", "polarity"),
    ("他是上海人", "他是北京人", "attribute"),
    ("门是红色的", "门是蓝色的", "attribute"),
    ("小王讨厌香菜", "小王喜欢香菜", "preference"),
    ("喜欢咖啡而不是茶", "喜欢茶而不是咖啡", "preference"),
    ("不再抽烟", "抽烟", "cessation"),
    ("团队从Jira切换到Linear", "团队使用Jira", "cessation"),
    ("我在杭州，你呢？", "我在苏州，很冷", "attribute"),
    # Korean
    ("서비스는 Postgres 16을 사용한다", "서비스는 Postgres 15를 사용한다", "number"),
    ("시간 제한은 15분이다", "시간 제한은 10분이다", "number"),
    ("출시일은 2026년 5월 1일이다", "출시일은 2026년 4월 1일이다", "date"),
    ("회의가 화요일로 변경되었다", "회의가 월요일이다", "date"),
    ("고기를 먹지 않는다", "민수는 고기를 먹는다", "polarity"),
    ("고기를 안 먹어요", "고기를 먹습니다", "polarity"),
    ("베를린에 사무실이 없다", "베를린에 사무실이 있다", "polarity"),
    ("아무도 로그를 확인하지 않는다", "지영은 로그를 확인한다", "polarity"),
    ("주문은 수동으로 처리된다", "주문은 자동으로 처리된다", "polarity"),
    ("이 방은 작다", "이 방은 크다", "polarity"),
    ("로고는 초록색이다", "로고는 파란색이다", "attribute"),
    ("고수를 싫어한다", "고수를 좋아한다", "preference"),
    ("차보다 커피를 더 좋아한다", "커피보다 차를 더 좋아한다", "preference"),
    ("팀은 더 이상 Jira를 사용하지 않는다", "팀은 Jira를 사용한다", "cessation"),
    ("담배를 끊었다", "담배를 피운다", "cessation"),
    # English, what goes beyond one word
    ("The standup was moved to 9:15", "The standup is at 9:45", "date"),
    ("The rate limit was raised from 100 to 250", "The rate limit is 100", "number"),
    ("We replaced Stripe with Adyen", "The payment provider is Stripe", "cessation"),
    ("Quit his job at Initech", "Works at Initech", "cessation"),
    ("Does not drink alcohol", "Drinks beer", "polarity"),
    ("Does not smoke and does not drink", "Smokes and drinks", "polarity"),
    ("There are no open incidents", "There are three open incidents in billing", "polarity"),
    ("The logo is green", "The logo is blue", "attribute"),
    ("The office is in New Zealand", "The office is in South Africa", "attribute"),
]


@for_each(("new", "old", "kind"), LANGUAGES)
def test_every_kind_is_found_in_every_language(new: str, old: str, kind: str) -> None:
    assert compare(new, old).kind == kind


BOTH_HOLD = [
    # somebody or something else
    ("Anna's brother lives in Riga", "Anna lives in Oslo"),
    ("Lives in Oslo", "Anna's brother lives in Riga"),
    ("Does not eat meat", "Anna's sister eats meat"),
    ("Не ест мясо", "Сестра Анны ест мясо"),
    ("不吃肉", "小王的姐姐吃肉"),
    ("고기를 먹지 않는다", "민수의 누나는 고기를 먹는다"),
    ("API는 공개가 아니다", "API 문서는 공개이다"),
    ("API не публичный", "Документация API публичная"),
    ("She is a bad listener", "He is a good listener"),
    ("她是医生", "他是律师"),
    # there may be several
    ("Likes tea", "Likes coffee"),
    ("There is a printer in the office", "There is a printer in the library"),
    ("A copy is in Berlin", "A copy is in Paris"),
    ("One of the servers is in Germany", "One of the servers is in France"),
    # at different times
    ("Anna was in Spain", "Anna was in Italy"),
    ("Has been to Spain", "Has been to Italy"),
    ("Анна была врачом", "Анна была юристом"),
    ("Visited Italy", "Visited Japan"),
    ("Is allergic to wheat", "Is allergic to milk"),
    ("Is learning Italian", "Is learning Spanish"),
    ("Has a private repo", "Has a public repo"),
    ("Owns a blue car", "Owns a red car"),
    ("Любит зиму", "Любит лето"),
    ("去过韩国", "去过日本"),
    ("겨울을 좋아한다", "여름을 좋아한다"),
    # other words beside the negation
    ("Never deploys on Fridays", "Deploys on Mondays"),
    ("Does not use Redis for sessions", "Uses Redis for caching"),
    ("Не деплоит без ревью", "Деплоит с одобрения"),
    ("他不错", "他错过了会议"),
    ("不但会英语", "会英语"),
    ("집 안에 있다", "집에 있다"),
    ("Does not hate tea", "Does not love tea"),
    # what ended is a part of something else
    ("Switched from Redis to Valkey", "Knows Redis well"),
    ("Anna moved from Riga to Oslo", "Anna's parents live in Riga"),
    # nothing is stated
    ("Is the repo private?", "The repo is public"),
    ("门是红色的吗", "门是蓝色的"),
    ("문이 닫혀 있나요?", "문이 열려 있다"),
    # entries of a log, members of a list
    ("10:30 deployed billing", "09:15 deployed billing"),
    ("The second office is in Rome", "The first office is in Rome"),
    ("一年，两年，三年", "两年"),
]


@for_each(("new", "old"), BOTH_HOLD)
def test_statements_that_can_both_hold_are_left_alone_in_either_order(new: str, old: str) -> None:
    assert compare(new, old).kind not in EXCLUDING
    assert compare(old, new).kind not in EXCLUDING


@for_each(
    ("new", "old"), [(new, old) for new, old, kind in LANGUAGES if kind in {"polarity", "preference", "attribute"}]
)
def test_denials_and_contraries_exclude_in_either_order(new: str, old: str) -> None:
    assert compare(old, new).kind == compare(new, old).kind


@for_each(("new", "old"), [(new, old) for new, old, kind in LANGUAGES if kind == "cessation"])
def test_an_ending_does_not_exclude_what_comes_after_it(new: str, old: str) -> None:
    assert compare(old, new).kind != "cessation"


@for_each("statement", sorted({text for new, old, _ in LANGUAGES for text in (new, old)}))
def test_case_spacing_and_a_full_stop_never_exclude(statement: str) -> None:
    for other in (statement.upper(), f"  {statement} ", f"{statement}.", statement.replace("е", "ё")):
        assert compare(other, statement).kind not in EXCLUDING
        assert compare(statement, other).kind not in EXCLUDING


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_are_compared_within_bounds(a: str, b: str) -> None:
    result = compare(a, b)

    assert 0 <= result.confidence <= 1
    assert 0 <= result.similarity <= 1
    assert similarity(a, b) == similarity(b, a)


@given(st.text(max_size=80))
def test_a_statement_is_the_same_as_itself_and_never_excludes_itself(text: str) -> None:
    assert compare(text, text).kind == "same"
    assert compare(text + " ", text).kind not in EXCLUDING


@given(st.integers(2, 10**6), st.integers(2, 10**6))
def test_two_numbers_exclude_each_other_exactly_when_they_differ(a: int, b: int) -> None:
    kind = compare(f"The queue holds {a} jobs", f"The queue holds {b} jobs").kind

    assert kind == ("same" if a == b else "number")


PIECES = [
    *"不没有在是的, 。?",
    "not",
    "no",
    "Anna",
    "is",
    "red",
    "blue",
    "3",
    "v2.1",
    "2026-02-24",
    "uses",
    "Redis",
    "from",
    "to",
]
PIECES += [
    "не",
    "нет",
    "больше",
    "дверь",
    "красная",
    "кофе",
    "любит",
    "喜欢",
    "北京",
    "上海",
    "五个",
    "周三",
    "换成了",
    "没有",
]
PIECES += [
    "없다",
    "있다",
    "않는다",
    "좋아한다",
    "커피를",
    "서울에",
    "더 이상",
    "대신",
    "10분",
    "더",
    "nobody",
    "prefers",
    "over",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=9),
    st.lists(st.sampled_from(PIECES), max_size=9),
    st.sampled_from(["", " "]),
)
def test_any_mixture_of_languages_is_compared_without_an_error(new: list[str], old: list[str], space: str) -> None:
    a, b = space.join(new), space.join(old)
    result = compare(a, b)

    assert result.why
    assert 0 <= result.confidence <= 1
    assert result.kind == "same" or result.similarity == similarity(b, a)
    assert compare(a, a).kind == "same"


@for_each(
    ("short", "full"),
    [
        ("The gateway doesn't take batches", "The gateway does not take batches"),
        ("The gateway doesn’t take batches", "The gateway does not take batches"),
        ("the gateway doesnt take batches", "The gateway does not take batches"),
        ("Anna can't eat nuts", "Anna cannot eat nuts"),
        ("We needn't deploy on Friday", "We need not deploy on Friday"),
        ("There's a staging server", "There is a staging server"),
        ("It'll run at night", "It will run at night"),
        ("Let's use Kafka", "Let us use Kafka"),
        ("이건 안됩니다", "이것은 안 된다"),
        ("周五别部署", "周五不要部署"),
    ],
)
def test_a_contraction_says_what_its_words_say(short: str, full: str) -> None:
    assert compare(short, full).kind in {"none", "same"}
    assert compare(full, short).kind in {"none", "same"}
    assert skeleton(short) == skeleton(full)


@for_each(
    ("new", "old"),
    [
        ("The gateway can't take batches", "The gateway can take batches"),
        ("서버는 안된다", "서버는 된다"),
        ("It'll not run at night", "It'll run at night"),
    ],
)
def test_a_negation_in_a_contraction_denies(new: str, old: str) -> None:
    assert compare(new, old).kind == "polarity"


@for_each(
    ("new", "old"),
    [
        ("The harbour gateway is still blocked", "The harbour gateway: OPERATIONAL"),
        ("✅ **Sync** is operational", "Sync is down since Monday"),
        ("The feed isn't working", "The feed is working on the new server"),
        ("Сборка сломана", "Сборка снова работает"),
        ("同步服务已恢复", "同步服务卡住"),
    ],
)
def test_what_works_and_what_does_not_exclude_each_other(new: str, old: str) -> None:
    assert compare(new, old).kind == "polarity"


@for_each(
    ("new", "old"),
    [
        ("Sync is working on phones", "Sync is broken on desktops"),
        ("The harbour gateway is blocked", "The town gateway is operational"),
        ("Anna is working on the parser", "Anna is down with a flu"),
        ("The sync is live and it is working", "The sync is live"),
    ],
)
def test_what_works_here_may_not_work_there(new: str, old: str) -> None:
    assert compare(new, old).kind not in EXCLUDING


@for_each(
    ("new", "old"),
    [
        (
            "Yearly check: Reviewed all 11 entries up to 20 April",
            "Yearly check: Reviewed all 11 entries up to 21 April",
        ),
        ("活跃用户: 5,040", "全部代理: 40,677+"),
        ("11 new gates", "6 new gates"),
        ("Clear the flag instead of setting it", "The mode is used when the flag is set"),
        ("[message_id: 1641]", "[message_id: 1642]"),
        ("[message: 1467970148668276817]", "[message: 1467970323570888724]"),
    ],
)
def test_parts_of_a_number_names_and_occasions_exclude_nothing(new: str, old: str) -> None:
    assert compare(new, old).kind not in EXCLUDING


def test_statements_without_a_common_word_are_judged_as_if_all_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    short = [text for case in (*LANGUAGES, *BOTH_HOLD) for text in case[:2]]
    texts = [f"{one}, {other}" for one, other in zip(short, short[7:], strict=False)]
    pairs = [(new, old) for new in texts[::3] for old in texts[::5]]
    found = [compare(new, old) for new, old in pairs]
    monkeypatch.setattr("engram.language.compare.contradiction.compare._FEW_WORDS", 10**6)

    assert sum(one.similarity == 0 for one in found) > len(found) / 2
    assert found == [compare(new, old) for new, old in pairs]
