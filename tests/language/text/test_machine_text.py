"""What a program has written and what an agent reports of its own work, told from what people say."""

from engram.language.text.machine_text import MachineText
from engram.language.text.machine_text import is_machine_made
from engram.language.text.machine_text import is_status_line
from tests.cases import for_each

MACHINE = [
    "2026-02-24 10:15:02 INFO billing: decided to use cached plan",
    "- 2026-02-24 10:15 ERROR we moved to the replica",
    "[10:15:02] worker switched to replica 2",
    "10:15:02.123 DEBUG the client always prefers IPv6",
    "Feb 24 10:15:02 host billing[123]: moved to new leader node-2",
    'level=info msg="billing switched to PostgreSQL 16" ts=1708770000',
    'time="2026-02-24T10:00:00Z" level=info msg="We decided to use v2"',
    "I0224 10:15:02.000 1 main.go:12] now uses PostgreSQL 16",
    "W/Settings: I prefer dark mode",
    "billing[12]: WARNING we decided to drop the connection",
    "[INFO] decided to retry",
    "[ИНФО] сервис перешёл на PostgreSQL 16",
    "ОШИБКА: решили использовать запасной план",
    "Ошибка в строке 12: решил завершиться",
    "[信息] 已切换到 PostgreSQL 16",
    "错误：决定重试",
    "오류: 재시도하기로 결정했습니다",
    "[정보] PostgreSQL 16으로 전환했습니다",
    "ValueError: we decided to stop",
    "Caused by: java.io.IOException: moved to another host",
    "panic: switched to nil pointer",
    "thread 'main' panicked at 'prefers to fail', src/main.rs:2:5",
    "Step 3/10 : RUN moved to alpine",
    "##[group]Run actions/checkout@v4",
    "::notice::moved to v2",
    "FAIL tests/test_billing.py::test_x - we decided to use it",
    "Run tests: 12 passed, switched to Node 20",
    "✓ prefers short names (12 ms)",
    "remote: moved to another place",
    "tool_result: We decided to move to PostgreSQL 16",
    "> Tool: Anna prefers tea over coffee",
    "[tool: search] Anna prefers tea over coffee",
    'Result: {"decision": "We decided to use it"}',
    '[{"name": "Anna", "preference": "Anna prefers tea"}]',
    '127.0.0.1 - - [24/Feb/2026:10:15:02 +0000] "GET /billing HTTP/1.1" 200',
    "[2026-02-24T10:15:02.123+01:00] moved to the replica",
    "[10:15:02] INFO: moved to the replica",
    "10:15:02 - ERROR: we decided to stop",
    "INFO:     moved to the replica",
    "WARNING:root:moved to the replica",
    "CRITICAL  billing moved to the replica",
    "app: ERROR moved to the replica",
    "src/main.c:12:3: warning: moved to another register",
    "error: we decided to stop",
    "java.lang.IllegalStateException: moved to another state",
    "Uncaught Error: we decided to stop",
    "Uncaught TypeError [ERR_MOVED]: we decided to stop",
    "ok 3 - moved to another place",
    "not ok 4 - we decided to stop",
    "ok billing::moved_to_another_place",
    "ok  \tgithub.com/acme/billing\t0.012s",
    "ok  \tgithub.com/acme/billing\t(cached)",
    "==> /var/log/billing.log <==",
    "---> Running in 3f2a1b4c5d6e",
    "To github.com:acme/billing.git",
    "SELECT ship_id, max(ts) FROM arrivals GROUP BY 1, 2",
    "INSERT INTO plans (name, price) VALUES ('pro', 39)",
]
FRAMES = [
    "Traceback (most recent call last):",
    "goroutine 1 [running]:",
    'File "/srv/billing/app.py", line 10, in main',
    "at com.acme.Billing.run(Billing.java:42)",
    "at java.base/java.lang.Thread.run(Thread.java:829)",
    "at jdk.internal.Reflection.invoke0(Native Method)",
    "at com.sun.proxy.$Proxy12.save(Unknown Source)",
    "at Function._resolve (node:internal/modules/loader:933:15)",
    "at async Promise.all (index.js:4:1)",
    "at new Billing (/srv/billing/index.js:10:3)",
    "at Array.forEach (<anonymous>)",
    "at async file:///srv/billing/index.mjs:10:3",
    "at /srv/billing/index.js:10:3",
    r"at Acme.Billing.Run(String name) in C:\src\Billing.cs:line 42",
    "goroutine 17 [chan receive]:",
]
PEOPLE = [
    "We decided to move billing to PostgreSQL 16.",
    "- 10:15 We decided to move billing to PostgreSQL 16",
    "2026-02-24: we decided to stay in Riga",
    "Warning to myself: never deploy on Fridays",
    "Error budget for billing: we decided on 0.1 percent",
    "Result: we stay with PostgreSQL",
    "SELECT statements on the replica only, never on the primary",
    "**Decision:** we stay with PostgreSQL",
    "[[people/anna]] prefers tea",
    "[x] Anna prefers tea",
    "(in Riga) Anna prefers tea",
    "At work Anna prefers tea (green)",
    "- at standup we decided to use PostgreSQL 16 for billing",
    "at work Anna uses a Mac",
    "at HQ (room 3, 10:30) because Anna comes in late",
    "at noon (10:30) we met",
    "at lunch (12:30:15) we met",
    "at Harbour Street (no. 12:3) we met",
    "at Acme (native speakers only) Anna teaches Latvian",
    "at 10:30:15 we met",
    "at 2026-02-24T10:30:15 we met",
    "at https://acme.example:8080 billing answers",
    "at billing/invoices we decided to use UTC",
    "at home I use Linux, at work a Mac",
    "[10:15:30] Anna: I moved to Berlin",
    "[2026-02-24 10:15:30] Anna Petrova: I moved to Berlin",
    "10:15:30 Anna: I moved to Berlin",
    "10:15:30 <anna> I moved to Berlin",
    "10:15:30 I moved to Berlin",
    "[10:15:30] - We decided to stay in Riga",
    "[10:15:30] Анна: я переехала в Берлин",
    "[10:15:30] 安娜：我搬到柏林了",
    "[10:15:30] 안나: 베를린으로 이사했어요",
    "2026-02-24 10:15:30 Мы решили остаться",
    "2026/02/24 10:15:30 我搬到柏林了",
    "ok 2 things: I moved to Berlin",
    "ok e.g. Anna prefers tea",
    "ok and/or: we decided to use both",
    "Error: billing is owned by Anna",
    "Exception: on Fridays nobody deploys",
    "WARNING: never deploy on Fridays",
    "**CRITICAL: ask Anna before you deploy**",
    "NOTICE: Anna is away until 5 May",
    "- warning: never deploy on fridays",
    "- info: billing is owned by anna",
    "hint: anna prefers mail",
    "Priority: CRITICAL, Anna decides",
    "Предупреждение: по пятницам не выкатываем",
    "日志：今天我决定搬到柏林",
    "Caused by: the move to Friday",
    "Step 2/3: we move billing to PostgreSQL 16",
    "==> we decided to move to Riga",
    "---> Anna owns billing",
    "I/O: we decided to use io_uring",
    "10.0.0.5 - billing, owned by Anna",
    "**To Anna:**",
    "I prefer dark mode",
    "12 people decided to stay, 3 failed to answer",
    "Решили перейти на PostgreSQL 16.",
    "Ошибка была в том, что мы не сделали копию",
    "我们决定迁移到 PostgreSQL 16。",
    "우리는 PostgreSQL 16으로 옮기기로 결정했습니다.",
]


@for_each("line", MACHINE)
def test_a_line_of_a_program_is_known_and_what_stands_below_it_is_not(line: str) -> None:
    text = f"Good morning.\n{line}\nAnna prefers tea."
    machine = MachineText(text)

    assert machine.holds(text.index(line) + len(line) - 1)
    assert not machine.holds(0)
    assert not machine.holds(text.index("Anna prefers tea."))


@for_each("line", PEOPLE)
def test_what_people_write_is_theirs(line: str) -> None:
    assert not any(map(MachineText(line).holds, range(len(line))))


@for_each("frame", FRAMES)
def test_one_frame_makes_its_paragraph_a_trace(frame: str) -> None:
    text = f"Look at this:\n\nIt cannot be found. We decided to use yarn\n    {frame}\nwe moved on\n\nAnna prefers tea."
    machine = MachineText(text)

    assert machine.holds(text.index("We decided"))
    assert machine.holds(text.index("we moved"))
    assert not machine.holds(text.index("Look"))
    assert not machine.holds(text.index("Anna"))


@for_each(
    "line",
    [
        "Done.", "Success!", "I'm going to run the whole test suite", "I have updated billing to use PostgreSQL 16.",
        "I've now fixed the parser and pushed it", "I have completed the task: billing migrated.",
        "Task complete: switched to PostgreSQL",
        "Successfully moved billing to PostgreSQL.", "✅ Updated billing: now uses PostgreSQL 16",
        "Let me look at billing first.", "I'll now check whether it uses PostgreSQL.", "Running: the migration",
        "Готово. Перенёс billing.", "Я обновил billing до версии 2.", "Сейчас проверю, использует ли он PostgreSQL.",
        "Перенёс billing на PostgreSQL 16, тесты проходят.", "已完成：billing 已切换到 PostgreSQL 16。",
        "我已经更新了 billing，很快。", "让我先看看 billing。", "迁移好了，测试全部通过。", "완료했습니다. 옮겼습니다.",
        "billing을 확인해 보겠습니다.", "작업 완료: 업데이트됨", "테스트가 모두 통과했습니다.",
    ],
)  # fmt: skip
def test_a_report_of_the_agents_own_work_is_a_status_line(line: str) -> None:
    assert is_status_line(line)


@for_each(
    "line",
    [
        "We decided to update billing.", "I have moved to Riga.", "I finished the marathon.", "I've decided to stay.",
        "Done deals are kept in the archive.", "Complete backups run on Sundays.", "I will never check in on Fridays.",
        "Anna has updated her address.", "Готовность сервера проверяет Анна.", "Я добавила сахар.", "Анна любит тесты.",
        "Success: we won Acme as a customer", "I'm going to run a marathon in Berlin.",
        "I am going to check out Lisbon.",
        "Reading: Anna prefers science fiction", "Building: 12 Harbour Street", "Выкатываем, только если тесты прошли.",
        "我们决定测试通过后才发布。", "테스트를 통과해야 배포합니다.",
        "我们决定完成迁移。", "我喜欢喝茶。", "완료 기준은 안나가 정합니다.", "안나는 차를 좋아합니다.",
    ],
)  # fmt: skip
def test_what_lasts_is_no_status_line(line: str) -> None:
    assert not is_status_line(line)


def test_a_line_that_begins_with_at_takes_no_paragraph_with_it() -> None:
    text = "We decided to move the weekly meeting to Friday\nat HQ (room 3, 10:30) because Anna comes in late."

    assert not any(map(MachineText(text).holds, range(len(text))))


@for_each(
    ("text", "is_made"),
    [
        ("2026-02-24 10:15:30 ERROR no route to host", True),
        ("2026-02-24 10:15:30 INFO up\n\n2026-02-24 10:15:31 INFO down\n", True),
        ("2026-02-24 10:15:30 INFO up\nWe decided to keep it up.", False),
        ("We decided to keep it up.", False),
        ("", False),
        (" \n ", False),
    ],
)
def test_a_text_is_machine_made_when_all_its_lines_are(text: str, is_made: bool) -> None:
    assert is_machine_made(text) is is_made
