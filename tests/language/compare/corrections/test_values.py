"""The values that a correction may change are found in the days and months of each language."""

from engram.language.compare.corrections.values import DAY
from engram.language.compare.corrections.values import find_changeable
from tests.cases import for_each


@for_each(
    ("text", "days"),
    [
        ("We move in February, not in March", ["February", "March"]),
        ("You may march on", []),
        ("The demo is on 31 January", ["31 January"]),
        ("Переезжаем в феврале, а не в марте", ["феврале", "марте"]),
        ("二月搬家，12月份开学，要3个月", ["二月", "12月"]),
        ("5월에 이사하고 3개월 쉰다", ["5월"]),
        ("Wir ziehen im März um, nicht im Mai", ["März", "Mai"]),
        ("Das mag sein", []),
        ("On déménage en mars, pas en juin", ["mars", "juin"]),
        ("Le bail se termine le 31 juillet", ["31 juillet"]),
        ("Nein, am 31.", ["31."]),
        ("Zum 3. Mal auf den 3. Platz", []),
        ("3号楼和2号线，5号开业", ["5号"]),
        ("I am 31.", []),
        ("Le 1er juin", ["1er juin"]),
        ("Nos mudamos en marzo, no en abril", ["marzo", "abril"]),
    ],
)
def test_a_day_or_a_bare_month_is_a_value(text: str, days: list[str]) -> None:
    assert [text[one.start : one.end] for one in find_changeable(text) if one.kind == DAY] == days
