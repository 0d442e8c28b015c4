"""What a newer fact tells to be over is not shown beside it; what only looks like it is."""

import datetime as dt
from typing import Any

import pytest

from engram.model.fact import Fact
from engram.services.recall.validity.outdated import find_outdated
from engram.services.recall.validity.outdated import find_outdated_now
from tests.making import DAY0
from tests.making import make_fact

LATER = DAY0 + dt.timedelta(days=7)
MAY = dt.datetime(2026, 5, 31, tzinfo=dt.UTC)


def outdated(old: str, new: str, *, home: str = "projects/parcels", **fields: Any) -> bool:
    """Tell whether the second statement makes the first one old, both of one project."""
    before = make_fact(1, old, category="status", **fields)
    since = make_fact(2, new, category="decision", valid_from=LATER)
    found = find_outdated([before, since], lambda fact: home if fact is since else "projects/parcels")
    return found == {before.id: since}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We keep shipments in PostgreSQL 16", "We switched parcels from PostgreSQL 16 to PostgreSQL 17."),
        ("Parcels is deployed with Nomad", "We moved parcels from Nomad to Kubernetes, which went well."),
        ("Parcels runs on Nomad, not on Kubernetes", "We moved parcels from Nomad to Kubernetes."),
        ("The dashboard is due by 20 March 2026", "The dashboard is due by 27 March instead of 20 March."),
        ("The sandbox allows 250 calls", "The sandbox allows 400 calls, no longer 250."),
        ("The alert threshold is 6.4 metres", "The alert threshold is now 6.1 metres above datum, not 6.4."),
        ("Die Schwelle liegt bei 640 Metern", "Die Schwelle liegt jetzt bei 610 Metern, nicht mehr bei 640."),
        ("Порог равен 640 метрам", "Порог теперь равен 610 метрам, а не 640."),
        ("The pilot goes live on 15 April 2026", "The pilot goes live on 6 May 2026, not on 15 April."),
        ("The pilot goes live on 15 April 2026", "The pilot goes live on 1 April 2026, and not on 15 April."),
        ("Parcels is deployed with Nomad", "On 3 May we moved parcels from Nomad to Kubernetes."),
        ("Parcels is deployed with Nomad", "We did not like it and moved from Nomad to Kubernetes."),
        ("Parcels is deployed with Nomad", "We did the move, and switched from Nomad to Kubernetes."),
        ("Parcels is deployed with Nomad", "In May we will move from Nomad to Kubernetes."),
        ("Wir speichern alles in MySQL", "Wir sind von MySQL auf PostgreSQL umgestiegen."),
        ("Мы храним всё в MySQL", "Мы перешли с MySQL на PostgreSQL."),
        ("我们的数据在 MySQL 里", "我们从 MySQL 迁移到 PostgreSQL。"),
        ("데이터는 MySQL 에 있다", "MySQL에서 PostgreSQL로 옮겼다"),
        ("The local API listens on port 8085", "The local API does not listen on 8085 any more, it is on 8090."),
        ("Traces of parcels go to Jaeger", "We no longer use Jaeger, traces go to Tempo now."),
        ("Traces of parcels go to Jaeger", "We don't send traces to Jaeger anymore."),
        ("Sessions are kept in Memcached", "We replaced Memcached with Redis."),
        ("Traces of parcels go to Jaeger", "Мы больше не используем Jaeger, теперь у нас Tempo."),
        ("Wir speichern Traces in Jaeger", "Wir nutzen Jaeger nicht mehr."),
        ("Guardamos las trazas en Jaeger", "Ya no usamos Jaeger."),
        ("我们的日志在 Jaeger 里", "我们不再使用 Jaeger。"),
        ("로그는 Jaeger 에 있다", "더 이상 Jaeger를 쓰지 않아요."),
        ("Jonas Weber signs off every change of parcels", "Jonas left the company, Mira Sand signs off changes now."),
        ("Jonas Weber signs off every change of parcels", "Jonas Weber has quit; Mira signs off the changes."),
        ("Jonas answers the support mails", "Mira took over the support mails from Jonas."),
        ("Иван проверяет отчёты", "Иван уволился, отчёты теперь проверяет Мира."),
        ("Jonas prüft die Berichte", "Jonas hat die Firma verlassen, Mira prüft jetzt die Berichte."),
        ("Jonas revisa los informes", "Jonas dejó la empresa, ahora Mira revisa los informes."),
    ],
)
def test_what_was_before_is_over(old: str, new: str) -> None:
    assert outdated(old, new)


@pytest.mark.parametrize(
    ("old", "is_over"),
    [
        ("Parcels is deployed with Nomad, not with Kubernetes", True),  # which is something reached, by its words
        ("I like Nomad more than Kubernetes", False),
        ("The team wants Nomad", False),
        ("Always deploy with Nomad", False),
    ],
)
def test_what_the_judge_takes_for_a_preference_is_over_where_its_words_say_no_wish(old: str, *, is_over: bool) -> None:
    before = make_fact(1, old, category="preference")
    since = make_fact(2, "We moved parcels from Nomad to Kubernetes.", category="decision", valid_from=LATER)

    assert find_outdated([before, since], lambda _: "projects/parcels") == ({before.id: since} if is_over else {})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We keep shipments in PostgreSQL 17", "We switched from PostgreSQL 16 to PostgreSQL 17."),
        ("The move from PostgreSQL 16 to PostgreSQL 17 took a day", "We switched from PostgreSQL 16 to PostgreSQL 17."),
        ("Boris is off on Friday", "We moved the review from Friday to Thursday."),
        ("The queue holds 250 messages", "The sandbox allows 400 calls, no longer 250."),
        ("The threshold has 64 levels", "The threshold now counts levels, not 640 of them."),
        ("The gate opens at 640", "The gate is at 610 now, it is not 640 who came."),
        ("The review is on 15 April", "We ship with care, not on 15 April."),
        ("Riga has a harbour", "The train runs from Riga to Tallinn."),
        ("Nomadic herders like parcels", "We moved parcels from Nomad to Kubernetes."),
        ("Jonas wrote the fares engine", "Jonas left the company, Mira signs off changes now."),
        ("Jonas signs off every change", "If Jonas left the company, Mira would sign off the changes."),
        ("Jonas signs off every change", "We wonder whether Jonas quit: who signs off the changes?"),
        ("Jonas signs off every change", "Jonas left on vacation, Mira signs off changes until Monday."),
        ("Jonas signs off every change", "Jonas quit smoking, and signs off the changes at noon."),
        ("Jonas signs off every change", "Jonas left Berlin this morning, the change comes on Tuesday."),
        ("Иван проверяет отчёты", "Если Иван уволился бы, отчёты проверяла бы Мира."),
        ("Jonas prüft die Berichte", "Falls Jonas gekündigt hat, prüft Mira die Berichte."),
        ("Jonas signs off every change", "Jonas left a comment on the change, and I signed it off."),
        ("Port 8085 is open in the firewall of the office", "The local API does not listen on 8085 any more."),
        ("Traces of parcels go to Jaeger", "We decided against replacing Jaeger with Tempo."),
        ("Traces of parcels go to Jaeger", "We considered replacing Jaeger with Tempo."),
        ("Traces of parcels go to Jaeger", "We will not replace Jaeger with Tempo."),
        ("Traces of parcels go to Jaeger", "If the budget shrinks, we no longer use Jaeger."),
        ("Parcels is deployed with Nomad", "We won't move parcels from Nomad to Kubernetes."),
        ("Jaeger is a bird", "We do not need more than one Jaeger, and not any more machines."),
    ],
)
def test_what_only_looks_like_it_still_holds(old: str, new: str) -> None:
    assert not outdated(old, new)


def withdrawn(old: str, new: str, **fields: Any) -> bool:
    """Tell whether the second statement takes back what the first one, a decision, was for."""
    before = make_fact(1, old, **{"category": "decision", **fields})
    since = make_fact(2, new, category="decision", entity="projects/parcels", valid_from=LATER)
    return find_outdated([before, since], lambda _: "projects/parcels") == {before.id: since}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("thought about it all weekend, lets go with PULSAR for the orders", "so no PULSAR after all, we poll a table"),
        ("lets go with Pulsar for the orders", "Their ops have enough to run, we're not doing Pulsar after all"),
        ("lets go with Pulsar for the orders", "ok scrapping Pulsar, one more thing to run"),
        ("we decided on Pulsar", "Pulsar is off, too much to run"),
        ("we decided on Pulsar for the orders", "lets drop Pulsar."),
        ("we decided on Pulsar for the orders", "we dropped Pulsar for the orders."),
        ("Wir nehmen Pulsar für die Bestellungen", "also doch kein Pulsar, wir fragen eine Tabelle ab"),
        ("Wir nehmen Pulsar für die Bestellungen", "wir nehmen Pulsar doch nicht"),
        ("on prend Pulsar pour les commandes", "finalement pas de Pulsar, on lit une table"),
        ("usamos Pulsar para los pedidos", "al final no usamos Pulsar, leemos una tabla"),
        ("берём Pulsar для заказов", "всё-таки без Pulsar, читаем таблицу"),
        ("订单用 Pulsar", "还是不用 Pulsar 了，读一张表"),
        ("주문에는 Pulsar 를 쓰기로 했어", "Pulsar 는 안 쓰기로 했어"),
    ],
)
def test_a_decision_is_over_that_somebody_takes_back(old: str, new: str) -> None:
    assert withdrawn(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lets go with Pulsar for the orders", "no Pulsar for the ingest, only for the orders"),
        ("lets go with Pulsar for the orders", "drop Pulsar for the ingest."),
        ("lets go with Pulsar for the orders", "if Pulsar is off, the orders wait"),
        ("lets go with Pulsar for the orders", "we won't drop Pulsar"),
        ("lets go with Pulsar for the orders", "we almost dropped Pulsar"),
        ("lets go with Pulsar for the orders", "no Kafka after all"),
        ("for the queue: a table, no Pulsar", "no Pulsar after all"),
        ("we decided that Marta Lind reads every change", "Marta is off."),
        ("we decided to take more time for tests", "no time after all"),
        ("Nehmen wir Pulsar für die Bestellungen", "das ist doch kein Pulsar"),
        ("on prend Pulsar pour les commandes", "finalement pas de Pulsar pour les logs"),
        ("usamos Pulsar para los pedidos", "al final no usamos Pulsar para los registros"),
        ("订单用 Pulsar", "日志还是不用 Pulsar 存"),
    ],
)
def test_a_decision_stands_that_nobody_takes_back(old: str, new: str) -> None:
    assert not withdrawn(old, new)


def test_what_is_told_of_a_thing_outlives_the_decision_for_it() -> None:
    assert not withdrawn("Pulsar of the ops team listens on 6650", "so no Pulsar after all", category="status")
    assert not withdrawn("Never restart Pulsar at night", "so no Pulsar after all", category="instruction")


def test_whom_somebody_is_ends_with_what_others_do_in_their_place() -> None:
    contact = make_fact(1, "Jonas Weber is our contact, he approves the texts.", category="relationship")
    born = make_fact(2, "Jonas Weber is a brother of Mira.", category="relationship")
    gone = make_fact(
        3, "Jonas Weber left Kanal last week, Mira approves the texts.", category="correction", valid_from=LATER
    )

    assert find_outdated([contact, born, gone], lambda _: None) == {contact.id: gone}


def test_an_order_holds_until_somebody_takes_it_back() -> None:
    order = make_fact(1, "Test everything on PostgreSQL 16", category="instruction")
    move = make_fact(2, "We switched from PostgreSQL 16 to PostgreSQL 17.", category="decision", valid_from=LATER)

    assert find_outdated([order, move], lambda _: None) == {}


@pytest.mark.parametrize(
    "fields",
    [{"scope": "session:demo"}, {"valid_from": LATER + dt.timedelta(days=1)}],
)
def test_nothing_of_another_scope_and_nothing_newer_is_over(fields: dict[str, Any]) -> None:
    assert not outdated("We keep shipments in MySQL", "We switched from MySQL to DuckDB.", **fields)


def test_what_is_trusted_less_makes_nothing_old() -> None:
    trusted = make_fact(1, "We keep shipments in MySQL", category="status")
    claim = make_fact(2, "We switched from MySQL to DuckDB.", category="status", trust="unverified", valid_from=LATER)

    assert find_outdated([trusted, claim], lambda _: None) == {}


def test_a_correction_that_was_read_first_tells_what_is_over_too() -> None:
    before = make_fact(1, "The sandbox allows 250 calls", category="status")
    fixed = make_fact(2, "The sandbox allows 400 calls, no longer 250.", category="correction", valid_from=LATER)

    assert find_outdated([before, fixed], lambda _: None) == {before.id: fixed}


def test_another_project_makes_nothing_old() -> None:
    assert not outdated("We keep shipments in MySQL", "We switched from MySQL to DuckDB.", home="projects/atlas")


def test_what_became_of_one_person_leaves_others_where_they_are() -> None:
    anna = make_fact(1, "Anna works at Acme", category="status")
    boris = make_fact(2, "Boris works at Acme", category="status", entity="people/boris")
    moved = make_fact(3, "Boris moved from Acme to Globex.", category="status", entity="people/boris", valid_from=LATER)

    assert find_outdated([anna, boris, moved], lambda _: None) == {boris.id: moved}


def test_a_correction_is_corrected_in_its_turn_but_not_when_it_is_an_order() -> None:
    fixed = make_fact(1, "The sandbox allows 400 calls, no longer 250.", category="correction")
    order = make_fact(2, "Stop after 400 calls in the sandbox", category="correction")
    again = make_fact(3, "The sandbox allows 600 calls, no longer 400.", category="correction", valid_from=LATER)

    assert find_outdated([fixed, order, again], lambda _: None) == {fixed.id: again}


def test_a_plan_makes_nothing_old_that_holds_now_and_other_plans_that_were_told_of_before() -> None:
    now = DAY0 + dt.timedelta(days=10)
    held = make_fact(1, "Parcels is deployed with Nomad", category="status")
    planned = make_fact(
        *(2, "The move to Kubernetes is on 15 April 2026"), category="status", valid_from=now + dt.timedelta(days=40)
    )
    sooner = make_fact(
        *(3, "From May on parcels uses Kubernetes instead of Nomad; the move is on 1 April 2026, not on 15 April."),
        category="decision",
        valid_from=now + dt.timedelta(days=30),
        recorded_at=LATER,
    )

    assert {planned.id: sooner} == find_outdated_now([held, planned, sooner], lambda _: "projects/parcels", now)


def told_done(*facts: Fact, home: str = "projects/server") -> dict[str, str]:
    """Return, by the number of each promise that is told to be kept, the number of the fact that says so."""
    found = find_outdated(facts, lambda fact: home if fact.id.endswith("9") else "projects/server")
    return {old[-1]: new.id[-1] for old, new in found.items()}


def promise(number: int = 1, **fields: Any) -> Fact:
    text = "I'll order the disk by the end of May"
    return make_fact(number, text, **{"category": "commitment", "entity": "projects/server", "valid_to": MAY, **fields})


def done(text: str = "Ordered the disk today", **fields: Any) -> Fact:
    told = {"category": "context", "entity": "projects/server", "valid_from": LATER, "recorded_at": LATER}
    return make_fact(9, text, **{**told, **fields})


def test_a_promise_is_kept_when_a_newer_fact_says_just_that() -> None:
    assert told_done(promise(), done()) == {"1": "9"}
    assert told_done(promise(source={"actor": "agent"}, trust="unverified"), done()) == {"1": "9"}


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "Ordered the cable today"},
        {"category": "instruction"},
        {"scope": "session:main/talk"},
        {"source": {"actor": "import"}},
        {"source": {"actor": "agent"}, "trust": "unverified"},
        {"valid_from": DAY0 - dt.timedelta(days=2)},
    ],
)
def test_a_promise_is_owed_still_whatever_else_is_said(fields: dict[str, Any]) -> None:
    assert told_done(promise(), done(**fields)) == {}


def test_a_promise_of_another_project_or_person_is_owed_still() -> None:
    assert told_done(promise(), done(), home="projects/atlas") == {}
    assert told_done(promise(entity="people/anna"), done(entity="people/boris")) == {}


def test_of_two_promises_of_the_same_for_two_days_nothing_tells_which_was_kept() -> None:
    june = MAY + dt.timedelta(days=28)

    assert told_done(promise(1), promise(2, valid_to=june), done()) == {}
    assert told_done(promise(1), promise(2), done()) == {"1": "9", "2": "9"}


def test_a_promise_that_was_kept_before_is_no_other_day() -> None:
    june = MAY + dt.timedelta(days=28)
    first = done(id="projects/server-008", valid_from=LATER - dt.timedelta(days=3))
    second = promise(2, valid_to=june, valid_from=LATER - dt.timedelta(days=1), recorded_at=LATER)

    assert told_done(promise(1), first, second, done()) == {"1": "8", "2": "9"}


def test_what_has_no_day_or_lasts_until_one_is_not_over_when_it_is_done_once() -> None:
    assert told_done(promise(valid_to=None), done()) == {}
    lasts = make_fact(1, "I'll water the plants until 31 May", category="commitment", valid_to=MAY)
    assert told_done(lasts, done("Watered the plants", entity="people/anna")) == {}
