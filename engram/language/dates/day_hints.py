"""Whether a text may name a day at all: a quick look before the rules of dates are loaded. Light: hooks pass here."""

from typing import Final

from engram.language.matching.prefilter import compiled

# A number is a day beside another number (2026-03-02, 12.03, 3/4), as a year, an ordinal or a quarter, or beside a word
# that stands here anyway: the minutes of a meeting and the version of a library name none.
_IN_ASCII: Final = (
    r"(?:19|20)\d\d|\d\s?[-/.]\s?\d|\d(?:st|nd|rd|th)\b|q[1-4]"
    r"|day|night|week|month|year|quarter|spring|summer|autumn|winter|christmas|xmas|tomorrow"
    r"|this (?:morning|afternoon|evening)"
    r"|\b(?:jan|feb|mar|apr|may|ju[nl]|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|eo[dwmqy])"
)
_IN_OTHERS: Final = (
    r"\d-?(?:го|му|е)\b|числ"
    r"|вчера|сегодня|завтра|день|дня|дней|недел|месяц|год|\bлет\b|понедельник|вторник|сред[аеуыо]|четверг|пятниц|суббот"
    r"|воскресень|выходн|квартал|полгода|весн|лет|осен|зим|нов|январ|феврал|март|апрел|\bма[йяею]|июн|июл|август|сентябр|октябр|ноябр|декабр"
    r"|\b(?:пн|вт|ср|чт|пт|сб|вс)\b"
    r"|[天日月年周週昨今明晚旦号號]|季|圣诞|聖誕|春|夏|秋|冬|星期|礼拜|禮拜"
    r"|[일월년주달해말]|분기|봄|여름|가을|겨울|크리스마스|성탄절|오늘|어제|모레|그저께|그제|글피|간밤|하루|이틀|사흘|나흘|닷새|이레|여드레|열흘|어젯밤"
)


def may_name_days(text: str) -> bool:
    """Tell whether a text holds a number or a word that dates are made of; many that do name no day all the same."""
    low = text.lower()
    return bool(compiled(_IN_ASCII).search(low) or (not low.isascii() and compiled(_IN_OTHERS).search(low)))
