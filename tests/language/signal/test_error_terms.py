"""Whether an error is one that a lesson tells of: on pairs of a lesson and a later prompt, and on unrelated prompts.

A third was held out while words and bounds were chosen, and looked at once.
"""

from engram.language.signal.error_terms import error_terms
from engram.language.signal.error_terms import likeness
from engram.language.signal.error_terms import meets_error

PAIRS = [
    (
        "deployment failed due to timeout; raising the health-check limit to 120 s fixed it",
        "the deploy timed out again on staging, what now?",
    ),
    (
        "The import crashed because the CSV was not UTF-8; converting with iconv fixed it",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in import.py while reading the csv",
    ),
    (
        "Root cause of the flaky login test was a race in SessionStore.refresh",
        "login test fails randomly: AssertionError in SessionStore.refresh",
    ),
    (
        "npm install failed with ERESOLVE because react 19 peers were missing; --legacy-peer-deps fixed it",
        "npm ERR! code ERESOLVE unable to resolve dependency tree",
    ),
    (
        "Postgres refused connections because max_connections was 20; raised to 200",
        "psycopg2.OperationalError: FATAL: sorry, too many clients already, max_connections reached",
    ),
    (
        "The nightly backup failed because the disk was full; rotating old archives fixed it",
        "backup job error: No space left on device",
    ),
    (
        "Docker build broke because the base image dropped libssl1.1; pinning bookworm fixed it",
        "docker build fails: E: Unable to locate package libssl1.1",
    ),
    (
        "The worker was OOM killed since batch_size was 512; 128 fixed it",
        "worker pod OOMKilled again during training",
    ),
    (
        "Деплой упал из-за таймаута; помогло увеличение лимита health-check до 120 с",
        "деплой опять упал по таймауту",
    ),
    (
        "部署因为超时失败，把健康检查上限提高到120秒就解决了",
        "部署又超时了，报错",
    ),
    (
        "배포가 타임아웃 때문에 실패했고, 헬스 체크 제한을 120초로 올리니까 해결됐어요",
        "배포 타임아웃 오류가 또 났어요",
    ),
    (
        "CI failed because the runner's clock was two hours behind, so the certificate was not yet valid; ntp fixed it",
        "CI error: certificate is not yet valid on the runner",
    ),
    (
        "The Stripe webhook returned 400 because the raw body was parsed before verify; express.raw fixed it",
        "stripe webhook fails with 400 signature verification error",
    ),
    (
        "Migration 0042 failed because the enum type already existed; IF NOT EXISTS fixed it",
        'migration 0042 error: type "status_enum" already exists',
    ),
    (
        "The mobile build failed with error 65 because of a stale DerivedData; deleting it fixed it",
        "xcodebuild: error 65, mobile build failed",
    ),
    (
        "Search stopped working because the Qdrant collection had the wrong vector size",
        "qdrant error: wrong vector dimension in collection",
    ),
]
HELD_OUT = [
    (
        "The email job hung because SMTP port 25 is blocked by the host; port 587 fixed it",
        "email job hangs while connecting to smtp",
    ),
    (
        "pytest failed with ImportError because of a circular import between models and forms",
        "ImportError: cannot import name 'Form' (most likely due to a circular import) models.py forms.py",
    ),
    (
        "The cache leaked memory because listeners were never removed from EventBus",
        "memory leak warning: EventBus listeners 2000",
    ),
    (
        "Terraform apply failed because the state lock was held by a dead CI job; force-unlock fixed it",
        "terraform apply: Error acquiring the state lock",
    ),
    (
        "Загрузка файлов не работала, потому что nginx ограничивал размер тела 1 МБ; client_max_body_size 20m помогло",
        "nginx ошибка 413 при загрузке файлов",
    ),
    (
        "数据库迁移失败是因为外键约束，先删除孤立的行就解决了",
        "迁移报错: 外键约束冲突",
    ),
    (
        "The scraper crashed because the site moved to a Cloudflare challenge; using the official API fixed it",
        "scraper failed: Cloudflare challenge page returned",
    ),
    (
        "The report PDF was broken because the font DejaVuSans was missing in the container",
        "OSError: cannot open font DejaVuSans in report pdf",
    ),
]
UNRELATED = [
    "ImportError: No module named requests",
    "AssertionError: expected 3 got 4 in test_cart",
    "the build of package.json dependencies fails with a syntax error",
    "FATAL: could not read from remote repository",
    "please add a timeout parameter to the deploy script",
    "write tests for the csv importer",
    "the button color is wrong on the settings page, error state should be red",
    "TypeError: Cannot read properties of undefined (reading 'map') in UserList.tsx",
    "git push failed: non-fast-forward",
    "the page renders but the footer is broken on mobile",
    "rename max_connections to pool_size in the docs",
    "KeyError: 'username' in views.py line 33",
    "how do I back up the database?",
    "explain how the webhook works",
    "the linter complains about unused imports, error F401",
    "the test for parse_date fails in March",
    "fix the failing type check in orders.py",
    "Build a login form with email and password",
    "kubectl get pods says error: the server doesn't have a resource type",
    "why is my docker image so large",
    "деплой прошёл, теперь обнови документацию",
    "тест формы падает с ошибкой валидации email",
    "登录页面报错：按钮不能点击",
    "이 함수의 오류 메시지를 한국어로 바꿔 줘",
    "segfault in the image decoder when opening a tiff",
    "error: failed to push some refs to origin",
    "the report totals are wrong, a bug in the sum",
    "Add retries with exponential backoff to the http client",
]
UNRELATED_HELD_OUT = [
    "ValueError: invalid literal for int() with base 10 in cart.py",
    "update the terraform module to version 5",
    "nginx config: add a redirect from www",
    "the scraper should also save images",
    "memory usage dashboard needs a new panel",
    "email template looks broken in Outlook",
    "please write a migration that adds a column",
    "the job finished, but the status shows failed in the ui",
    "ошибка в тексте письма: опечатка в заголовке",
    "导出失败：文件名不能为空",
    "RuntimeError: dictionary changed size during iteration",
    "the import statement order fails the isort check",
]
LESSONS = [lesson for lesson, _ in (*PAIRS, *HELD_OUT)]


def lessons_for(prompt: str) -> list[str]:
    if not meets_error(prompt):
        return []
    return [lesson for lesson in LESSONS if likeness(error_terms(prompt), error_terms(lesson)) > 0]


def test_a_lesson_is_brought_when_its_error_comes_again() -> None:
    assert [prompt for lesson, prompt in PAIRS if lessons_for(prompt) != [lesson]] == []
    assert [prompt for lesson, prompt in HELD_OUT if lesson not in lessons_for(prompt)] == []


def test_no_lesson_is_brought_for_another_error_or_for_none() -> None:
    assert {prompt: found for prompt in UNRELATED if (found := lessons_for(prompt))} == {}
    assert {prompt: found for prompt in UNRELATED_HELD_OUT if (found := lessons_for(prompt))} == {}


def test_words_that_many_lessons_share_tell_none_from_another() -> None:
    met, lesson = (
        error_terms("deploy failed: rollout stuck"),
        error_terms("The deploy broke because a rollout was stuck"),
    )

    assert likeness(met, lesson) > 0
    assert likeness(met, lesson, common={"deploy", "rollout", "stuck"}) == 0


def test_of_a_long_traceback_the_end_is_read_too() -> None:
    trace = "line\n" * 10_000 + "OperationalError: max_connections reached"

    assert meets_error(trace)
    assert "max_connections" in error_terms(trace).names
