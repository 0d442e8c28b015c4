"""Chinese signals in simplified and traditional characters: particles, guards, quotations, small talk."""

from engram.language.signal.detector import HIGH
from engram.language.signal.detector import NONE
from engram.language.signal.detector import detect
from engram.language.signal.rules import load_rules
from engram.language.signal.user_statements import normalize
from tests.cases import for_each

HIGHS = {
    "preference": [
        ("我更喜欢深色主题", "我更喜歡深色主題"),
        ("我讨厌弹窗广告", "我討厭彈窗廣告"),
        ("我对花生过敏", "我對花生過敏"),
        ("我习惯早上写代码", "我習慣早上寫程式"),
        ("李娜偏好用邮件沟通", "李娜偏好用郵件溝通"),
        ("我最喜欢的语言是 Rust", "我最喜歡的語言是 Rust"),
        ("我从来不喝咖啡", "我從來不喝咖啡"),
    ],
    "decision": [
        ("我们决定用 Postgres 做主库", "我們決定用 Postgres 做主庫"),
        ("讨论之后，我们选择了 Kafka", "討論之後，我們選擇了 Kafka"),
        ("数据库改用 SQLite 了", "資料庫改用 SQLite 了"),
        ("决定：每周二发版", "決定：每週二發版"),
        ("我们不再使用 Jenkins", "我們不再使用 Jenkins"),
        ("前端从 Vue 换成 React", "前端從 Vue 換成 React"),
    ],
    "correction": [
        ("不对，端口是 9090，不是 8080", "不對，埠號是 9090，不是 8080"),
        ("我说错了，服务器在东京", "我說錯了，伺服器在東京"),
        ("应该是周三而不是周二", "應該是週三而不是週二"),
        ("更正一下，截止日期是五月三号", "更正一下，截止日期是五月三號"),
    ],
    "milestone": [
        ("1.0 版本终于发布了", "1.0 版本終於發佈了"),
        ("数据迁移已完成", "資料遷移已完成"),
        ("我通过了驾照考试", "我通過了駕照考試"),
        ("我硕士毕业了", "我碩士畢業了"),
    ],
    "instruction": [
        ("以后请用中文回答", "以後請用中文回答"),
        ("记住，不要直接推到主分支", "記住，不要直接推到主分支"),
        ("请务必先写测试再写代码", "請務必先寫測試再寫程式"),
        ("代码注释一律用英文", "程式碼註解一律用英文"),
        ("部署前一定要先备份数据库", "部署前一定要先備份資料庫"),
        ("不要在提交信息里用表情符号", "不要在提交訊息裡用表情符號"),
    ],
    "identity": [
        ("我叫王小明", "我叫王小明"),
        ("我是一名后端工程师", "我是一名後端工程師"),
        ("我住在杭州", "我住在杭州"),
        ("我在华为做数据工程师", "我在華為做資料工程師"),
        ("我今年三十二岁", "我今年三十二歲"),
        ("我老家在湖南", "我老家在湖南"),
    ],
    "relationship": [
        ("我老婆是小学老师", "我老婆是小學老師"),
        ("小李是我的同事", "小李是我的同事"),
        ("我有两个孩子", "我有兩個孩子"),
    ],
    "commitment": [
        ("我会在周五之前把初稿发给你", "我會在週五之前把初稿發給你"),
        ("我答应月底前完成文档", "我答應月底前完成文件"),
    ],
}
CASES = [(category, text) for category, pairs in HIGHS.items() for pair in pairs for text in dict.fromkeys(pair)]


@for_each(("category", "text"), CASES)
def test_statements_get_their_category_in_both_scripts(category: str, text: str) -> None:
    result = detect(text)

    assert (result.signal, result.language) == (HIGH, "zh"), result
    assert category in result.categories


@for_each("mark", ["。", "！", "！！", ".", "~", "…"])
@for_each("text", [pairs[0][0] for pairs in HIGHS.values()])
def test_closing_marks_do_not_matter(text: str, mark: str) -> None:
    assert detect(text + mark).categories == detect(text).categories


@for_each(
    "degree",
    ["", "真的", "很", "非常", "特别", "一直", "从小就", "不", "不太", "不是很", "越来越", "也", "还是"],
)
def test_degree_and_negation_stand_between_subject_and_verb(degree: str) -> None:
    assert detect(f"我{degree}喜欢加班文化").categories == ["preference"]


@for_each("subject", ["我们", "我們", "团队", "客户", "张总", "李娜", "Priya", "Tom Becker", "经过讨论，我们", ""])
def test_whoever_decides_it_is_a_decision(subject: str) -> None:
    assert detect(f"{subject}决定采用方案二").categories == ["decision"]


@for_each(
    ("text", "why"),
    [
        ("我更喜欢空格吗", "question"),
        ("我更喜欢空格？", "question"),
        ("我们为什么决定用 Redis", "question"),
        ("支付服务上线了没有", "question"),
        ("如果我更喜欢茶，我会说的", "hypothetical"),
        ("要是我住在海边就好了", "hypothetical"),
        ("我可能更喜欢茶", "hypothetical"),
        ("安娜说她更喜欢茶", "reports"),
        ("据说他们决定加息", "reports"),
        ("听说小张升职了", "reports"),
    ],
)
def test_what_is_not_stated_by_the_user_is_never_high(text: str, why: str) -> None:
    result = detect(text)

    assert result.signal != HIGH
    assert why in result.reason or result.signal == NONE


@for_each(
    "text",
    [
        "书上写着「永远先写测试」",
        "牌子上是“我讨厌下雨”",
        "助手：以后我会用中文回答",
        "> 我更喜欢深色主题",
        "2026-02-24 10:00:01 INFO 数据迁移已完成",
        "```\n我更喜欢深色主题\n```",
        "我们还没决定",
        "還沒有決定用哪個",
    ],
)
def test_words_of_others_of_machines_and_open_questions_are_not_high(text: str) -> None:
    assert detect(text).signal != HIGH


@for_each(
    "text",
    [
        "我喜欢你",
        "我喜欢",
        "别担心",
        "别哭了",
        "一定要幸福",
        "永远爱你",
        "以后再说",
        "以后会好的",
        "我错了",
        "我是认真的",
        "我是一个机器人",
        "我在努力工作",
        "你是我的朋友",
        "我妈妈很好",
        "我明天去北京",
        "性格决定命运",
        "把窗户关一下",
        "明天七点叫我起床",
        "今天天气真好",
        "升职了请你吃饭",
    ],
)
def test_chat_and_errands_are_none(text: str) -> None:
    assert detect(text).signal == NONE


@for_each(
    "text", ["你好！", "好的，谢谢", "哈哈哈哈", "辛苦了", "早上好，大家好", "嗯嗯好的知道了", "謝謝你", "ok，没问题"]
)
def test_small_talk_is_recognized_without_spaces(text: str) -> None:
    assert detect(text).reason == "the whole message is small talk"


def test_a_condition_does_not_weaken_an_order() -> None:
    assert detect("如果测试失败，千万不要合并代码").categories == ["instruction"]


def test_a_polite_request_may_hold_an_instruction_or_a_name() -> None:
    assert detect("你能不能以后用中文回答？").categories == ["instruction"]
    assert detect("可以叫我阿杰吗？").categories == ["identity"]


def test_one_statement_in_a_page_of_chat_is_found_with_its_span() -> None:
    text = "今天天气真好。我吃过午饭了。对了，我更喜欢深色主题。明天见！"

    assert [(span.category, span.text) for span in detect(text).spans] == [("preference", "对了，我更喜欢深色主题。")]


@for_each("text", ["我正在写解析器", "项目进度有点紧", "今天有三个会要开"])
def test_what_is_being_done_is_context(text: str) -> None:
    assert detect(text).categories == ["context"]


def test_confidences_are_probabilities_that_leave_doubt() -> None:
    rules = load_rules("zh")
    assert rules is not None

    assert all(0.5 <= rule.confidence <= 0.92 for rule in rules.rules)


@for_each("text", [text for _, text in CASES])
def test_no_rule_finds_a_statement_in_which_none_of_its_near_words_stands(text: str) -> None:
    rules = load_rules("zh")
    assert rules is not None
    words = normalize(text)

    assert [
        rule.name for rule in rules.rules if rule.found_in(words) and not any(word in words for word in rule.near)
    ] == []
