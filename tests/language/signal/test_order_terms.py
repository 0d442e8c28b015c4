"""On what an order depends, and how somebody says that its event has happened."""

import datetime as dt
import re

from engram.language.signal.order_terms import OrderTerms
from engram.language.signal.order_terms import is_met
from engram.language.signal.order_terms import read_order
from engram.language.signal.order_terms import says_it_happened
from engram.language.terms.terms import terms
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import read_examples

THURSDAY, FRIDAY = dt.date(2026, 2, 26), dt.date(2026, 2, 27)
EXAMPLES = [example for path in sorted((PATTERNS / "orders").glob("*.toml")) for example in read_examples(path)]


@for_each("example", EXAMPLES)
def test_an_expression_finds_its_examples_and_only_those(example: Example) -> None:
    before, mark, behind = example.text.partition(">")
    text = example.text if not mark else before if example.table == "before" else behind

    assert (re.search(example.entry["pattern"], text) is not None) == example.found


@for_each(
    ("text", "expected"),
    [
        (
            "When you touch the billing service, run the ledger tests",
            OrderTerms(when="when you touch the billing service"),
        ),
        ("Cada vez que subas un modelo, avisame", OrderTerms(when="cada vez que subas un modelo")),
        ("No despliegues nunca los viernes", OrderTerms(when="los viernes")),
        ("No toques el esquema hasta que salga la versión 2.0", OrderTerms(until="salga la versión 2.0")),
        ("Nunca subas nada hasta que pasen las pruebas", OrderTerms()),
        ("Before a release, run the audit", OrderTerms(when="before a release")),
        ("If tests fail, tell me before you fix anything", OrderTerms(when="if tests fail")),
        ("Never deploy on Fridays", OrderTerms(when="on fridays")),
        ("Run the linter before every commit.", OrderTerms(when="before every commit")),
        ("Until the release, no schema changes", OrderTerms(until="the release")),
        ("No schema changes until the 2.0 release", OrderTerms(until="the 2.0 release")),
        ("Перед релизом запускай аудит", OrderTerms(when="перед релизом")),
        ("Когда меняешь биллинг, запускай тесты", OrderTerms(when="когда меняешь биллинг")),
        ("До релиза никаких изменений схемы", OrderTerms(until="релиза")),
        ("修改计费服务时，先跑账本测试", OrderTerms(when="修改计费服务时")),
        ("发布之前不要改数据库结构", OrderTerms(until="发布")),
        ("테스트가 실패하면 먼저 알려 주세요", OrderTerms(when="테스트가 실패하면")),
        ("릴리스 전까지 스키마를 변경하지 마세요", OrderTerms(until="릴리스")),
        # a case ends where another order begins
        (
            "always run golangci-lint before you commit, and never touch anything in migrations/ without asking.",
            OrderTerms(when="before you commit", is_of_part=True),
        ),
        ("Run the linter before you commit. Don't push", OrderTerms(when="before you commit", is_of_part=True)),
        ("Run the linter before you commit, and keep the log", OrderTerms(when="before you commit", is_of_part=True)),
        ("Ask me before you add, change or update files", OrderTerms(when="before you add, change or update files")),
        (
            "Lass den Linter vor jedem Commit laufen und fass die Migrationen nie an",
            OrderTerms(when="vor jedem commit laufen", is_of_part=True),
        ),
        (
            "Lance le linter avant chaque commit, et ne touche jamais aux migrations",
            OrderTerms(when="avant chaque commit", is_of_part=True),
        ),
        (
            "Ejecuta el linter antes de cada commit, y nunca toques las migraciones",
            OrderTerms(when="antes de cada commit", is_of_part=True),
        ),
        (
            "Запускай линтер перед каждым коммитом, и никогда не трогай миграции",
            OrderTerms(when="перед каждым коммитом", is_of_part=True),
        ),
        ("提交之前必须跑测试，不要动迁移文件", OrderTerms(when="提交之前")),
        ("커밋하기 전에 린터를 실행하고 마이그레이션은 절대 건드리지 마", OrderTerms(when="커밋하기 전에")),
        # it holds always: no case that could be known again, or an end that comes again each time
        ("Always use absolute paths", OrderTerms()),
        ("When you answer, be brief", OrderTerms()),
        ("Never merge until the tests pass", OrderTerms()),
    ],
)
def test_an_order_is_read_with_its_case_or_its_event(text: str, expected: OrderTerms) -> None:
    assert read_order(text) == expected


@for_each(
    ("when", "prompt", "met"),
    [
        ("when you touch the billing service", "Refactor the invoices of billing", True),
        ("when you touch the billing service", "Refactor the login service", False),
        ("before a release", "let's release 2.0 today", True),
        ("before a release", "let's write a test", False),
        ("if tests fail", "two tests are failing on CI", True),
        ("if tests fail", "write tests for the parser", False),
        ("перед релизом", "готовим релиз", True),
        ("修改计费服务时", "帮我改一下计费模块", True),
        ("修改计费服务时", "帮我改一下登录页面", False),
        ("테스트가 실패하면", "테스트가 또 실패했어요", True),
    ],
)
def test_a_case_is_met_by_the_words_of_a_prompt(when: str, prompt: str, met: bool) -> None:
    assert is_met(when, terms(prompt), THURSDAY) == met


def test_a_day_of_the_week_is_met_by_the_day_too() -> None:
    assert is_met("on fridays", terms("push it"), FRIDAY)
    assert not is_met("on fridays", terms("push it"), THURSDAY)
    assert is_met("on fridays", terms("may I deploy on Friday?"), THURSDAY)


@for_each(
    ("event", "text", "happened"),
    [
        ("the release", "The release is out", True),
        ("the release", "Release 2.0 went live yesterday", True),
        ("the release", "We released 2.0", True),
        ("the release", "We finished the release", True),
        ("we ship 2.0", "We shipped 2.0", True),
        ("релиза", "Релиз вышел", True),
        ("выйдет релиз", "Мы выпустили релиз", True),
        ("发布", "发布已经完成了", True),
        ("릴리스", "릴리스가 끝났어요", True),
        ("la migración", "La migración está terminada", True),
        ("la migración", "por fin terminamos la migración", True),
        ("salga la versión 2.0", "Ya salió la versión 2.0", True),
        ("la livraison", "La livraison est faite", True),
        ("la migración", "La migración no está terminada", False),
        ("la migración", "La migración está casi lista", False),
        ("la migración", "Creo que la migración está terminada", False),
        ("la livraison", "La livraison n'est pas faite", False),
        ("the release", "The release notes are done", False),
        ("the release", "The release is not out", False),
        ("the release", "Will the release be done?", False),
        ("the release", "The release will be out on Friday", False),
        ("the release", "The audit is done", False),
        # nobody says so: it is asked, denied, doubted, or told of a part
        ("the release", "Anna asked whether the release is out", False),
        ("the release", "Nobody believes the release is out", False),
        ("the release", "It's false that the release is out", False),
        ("the release", "Maybe the release is out", False),
        ("the release", "The release was completed only in part", False),
        ("релиза", "Анна спросила, вышел ли релиз", False),
        ("релиза", "Кажется, релиз вышел", False),
        ("发布", "听说发布完成了", False),
        ("릴리스", "릴리스가 끝났는지 물어봤어요", False),
        # the same word is said of something else
        ("the release", "The press release is out", False),
        ("the release", "The release candidate was released", False),
        ("the release", "We shipped the release notes", False),
        ("the release", "The release is over budget", False),
        ("the release", "The release is out of date", False),
        ("the release", "The release passed QA", False),
        ("the migration", "The migration passed review", False),
        ("the audit", "The audit is done wrong", False),
        ("we decide", "We decided to use PostgreSQL 16", False),
        ("i return", "I returned the book", False),
        ("the release", "We have released Bob from the project", False),
        ("выпустим", "Мы выпустили подкаст", False),
        ("we decide", "We decided yesterday", True),
        ("the release", "We released version 2.0", True),
        ("выпустим 2.0", "Мы выпустили 2.0", True),
        ("the shop release", "The shop release is out", True),
        ("the release", "Our 2.0 release is out, finally", True),
        ("the release", "Today's release is out", True),
        ("the release", "We finished the release yesterday", True),
        ("the launch of the shop", "The launch of the shop is over", True),
        ("релиза", "Релиз перенесли", False),
        ("发布", "还没发布", False),
    ],
)
def test_an_event_has_happened_when_somebody_says_so(event: str, text: str, happened: bool) -> None:
    assert says_it_happened(text, event) == happened
