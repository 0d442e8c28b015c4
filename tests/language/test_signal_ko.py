"""Korean signals: endings of all styles, particles, guards that stand at the end of a statement, small talk."""

import unicodedata

from engram.language.signal.detector import HIGH
from engram.language.signal.detector import NONE
from engram.language.signal.detector import detect
from engram.language.signal.rules import load_rules
from engram.language.signal.user_statements import normalize
from tests.cases import for_each

HIGHS = {
    "preference": [
        "저는 탭보다 스페이스를 선호해요",
        "우리 팀장은 표보다 그래프를 좋아함",
        "매운 음식은 못 먹어요",
        "저는 땅콩 알레르기가 있어요",
        "제가 제일 좋아하는 언어는 러스트예요",
        "Anna는 주간 보고를 목록으로 받고 싶어 합니다",
        "선호: 모든 문서는 마크다운",
    ],
    "decision": [
        "최종적으로 A안을 채택했다",
        "결정: 배포는 매주 화요일",
        "더 이상 jQuery는 사용하지 않습니다",
        "npm 말고 pnpm으로 통일하자",
        "고객이 두 번째 시안을 골랐다",
        "인증은 OAuth로 간다",
    ],
    "correction": [
        "회의는 화요일이 아니라 수요일이다",
        "제가 잘못 말했어요, 서버는 도쿄에 있습니다",
        "정정: 버전은 2.4",
        "그게 아니라 스테이징 DB를 말한 거야",
    ],
    "milestone": [
        "드디어 1.0 버전을 출시했어요",
        "데이터 마이그레이션 완료",
        "운전면허 시험에 합격했어",
        "인증 모듈 구현을 마쳤습니다",
        "누적 다운로드 50만 돌파",
    ],
    "instruction": [
        "앞으로는 한국어로 답해 주세요",
        "절대 main 브랜치에 직접 푸시하지 마",
        "비밀번호는 로그에 남기지 말 것",
        "배포 전에 반드시 백업을 확인해야 합니다",
        "제 딸이 우유를 못 마신다는 걸 기억해 줘",
        "운영 서버 직접 접속 금지",
    ],
    "identity": [
        "제 이름은 박지훈입니다",
        "저는 백엔드 개발자예요",
        "부산에 살고 있어요",
        "나를 준이라고 불러줘",
        "저는 서른두 살이에요",
        "네이버에서 데이터 엔지니어로 일하고 있습니다",
    ],
    "relationship": [
        "우리 아내는 초등학교 선생님이에요",
        "남편이 병원에서 일해요",
        "민지는 제 직장 동료예요",
        "저는 아이가 둘 있어요",
    ],
    "commitment": [
        "금요일까지 초안을 보내드리겠습니다",
        "다음 주 월요일에 결과 공유할게",
        "이번 달 말까지 문서를 끝내겠다고 약속했다",
    ],
}


@for_each(("category", "text"), [(category, text) for category in HIGHS for text in HIGHS[category]])
def test_statements_get_their_category(category: str, text: str) -> None:
    result = detect(text)

    assert (result.signal, result.language) == (HIGH, "ko"), result
    assert category in result.categories


@for_each(
    "ending",
    [
        "했다",
        "했어",
        "했어요",
        "했습니다",
        "함",
        "했음",
        "하셨습니다",
        "했고",
        "결정했다",
        "결정됐습니다",
        "정했어요",
        "합의",
        "",
    ],
)
def test_a_decision_is_found_in_every_style(ending: str) -> None:
    assert detect(f"캐시는 Redis를 쓰기로 {ending}".strip()).categories == ["decision"]


@for_each(
    "ending",
    ["선호한다", "선호합니다", "선호해요", "선호해", "선호함", "선호하는 편이에요", "좋아합니다", "싫어해", "싫어함"],
)
@for_each("subject", ["저는 ", "나는 ", "난 ", "전 ", "우리는 ", ""])
def test_a_preference_is_found_in_every_style_and_without_a_subject(subject: str, ending: str) -> None:
    assert detect(f"{subject}긴 회의를 {ending}").categories == ["preference"]


@for_each("ending", ["줘", "주세요", "줘요", "주십시오"])
def test_a_standing_request_is_an_instruction(ending: str) -> None:
    assert detect(f"항상 테스트를 먼저 작성해 {ending}").categories == ["instruction"]


@for_each("ending", ["마", "마세요", "마라", "말 것", "말아 주세요", "마십시오"])
def test_a_prohibition_is_an_instruction(ending: str) -> None:
    assert detect(f"커밋 메시지에 이모지를 쓰지 {ending}").categories == ["instruction"]


@for_each(
    "text",
    [
        "저는 왜 차를 선호할까",
        "캐시는 Redis를 쓰기로 했나요",
        "캐시는 Redis를 쓰기로 했니",
        "캐시는 Redis를 쓰기로 했습니까",
        "출시를 미루기로 했는지 확인해 줘",
        "만약 내가 부산에 살고 있다면 매일 바다에 갔을 거야",
        "Rust를 쓰기로 했더라면 더 빨랐을 텐데",
        "지수가 커피를 좋아한다고 했어요",
        "팀장님이 서버를 바꾸기로 했대요",
        "소문에 따르면 출시를 미루기로 했다",
        '표지판에 "나는 긴 회의를 싫어합니다"라고 적혀 있다',
        "아직 이름을 정하지 못했어요",
        "어시스턴트: 앞으로는 존댓말을 써 주세요",
        "> 저는 탭을 선호해요",
        "2026-02-24 10:00:01 INFO 데이터 마이그레이션 완료",
        "```\n저는 탭을 선호해요\n```",
    ],
)
def test_what_the_user_does_not_state_is_not_high(text: str) -> None:
    assert detect(text).signal != HIGH


@for_each(
    "text",
    [
        "너를 좋아해",
        "저도 좋아해요",
        "걱정하지 마세요",
        "신경 쓰지 마",
        "항상 행복하세요",
        "앞으로 좋은 일만 있길 바라요",
        "친구를 만나기로 했어요",
        "점심 식사를 마쳤어요",
        "아니요, 괜찮습니다",
        "나중에 전화할게",
        "어머니가 보고 싶어",
        "사랑이 아니라 우정이다",
        "착하게 살아요",
        "여자친구가 없어요",
        "창문 좀 닫아 줘",
        "서버가 죽었어",
        "오늘 날씨가 정말 좋네요",
    ],
)
def test_chat_and_errands_are_none(text: str) -> None:
    assert detect(text).signal == NONE


@for_each(
    "text",
    [
        "안녕하세요!",
        "네, 감사합니다",
        "좋은아침이에요~",
        "ㅋㅋㅋ",
        "수고하셨습니다",
        "아하 그렇군요",
        "오케이 고마워요",
        "잘자요",
    ],
)
def test_small_talk_is_recognized_with_and_without_spaces(text: str) -> None:
    assert detect(text).reason == "the whole message is small talk" or detect(text).language == "und"


def test_a_polite_request_may_hold_an_instruction() -> None:
    assert detect("앞으로 저를 준이라고 불러 줄 수 있나요?").signal == HIGH
    assert detect("앞으로는 한국어로 답해 주실 수 있나요?").categories == ["instruction"]


@for_each("text", [texts[0] for texts in HIGHS.values()])
@for_each("mark", [".", "!", "~", " ㅎㅎ"])
def test_composition_and_closing_marks_do_not_matter(text: str, mark: str) -> None:
    assert detect(text + mark).categories == detect(text).categories
    assert detect(unicodedata.normalize("NFD", text)).categories == detect(text).categories


def test_one_statement_in_a_page_of_chat_is_found_with_its_span() -> None:
    text = "오늘 날씨가 좋네요. 점심은 먹었어요. 그리고 저는 긴 회의를 싫어합니다. 내일 봐요!"

    assert [(span.category, span.text) for span in detect(text).spans] == [
        ("preference", "그리고 저는 긴 회의를 싫어합니다.")
    ]


@for_each("text", ["지금 파서를 작업하고 있어요", "오늘 회의가 세 개나 있어요", "은행 서류를 준비해야 합니다"])
def test_what_is_being_done_is_context(text: str) -> None:
    assert detect(text).categories == ["context"]


def test_confidences_are_probabilities_that_leave_doubt() -> None:
    rules = load_rules("ko")
    assert rules is not None

    assert all(0.5 <= rule.confidence <= 0.92 for rule in rules.rules)


@for_each("text", [text for texts in HIGHS.values() for text in texts])
def test_no_rule_finds_a_statement_in_which_none_of_its_near_words_stands(text: str) -> None:
    rules = load_rules("ko")
    assert rules is not None
    words = normalize(text)

    assert [
        rule.name for rule in rules.rules if rule.found_in(words) and not any(word in words for word in rule.near)
    ] == []
