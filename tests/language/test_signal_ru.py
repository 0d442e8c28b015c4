"""What the Russian signal rules find, by category and form of the word, and what they leave alone."""

from engram.language.signal.detector import HIGH
from engram.language.signal.detector import NONE
from engram.language.signal.detector import detect
from tests.cases import for_each


def high_categories(text: str) -> list[str]:
    result = detect(text)
    return result.categories if result.signal == HIGH else []


@for_each(
    ("text", "category"),
    [
        ("Предпочла бы удалёнку", "preference"),
        ("Меня бесят длинные письма", "preference"),
        ("Толпа меня утомляет", "preference"),
        ("Моему мужу нравится рыбалка", "preference"),
        ("Я фанатка минимализма", "preference"),
        ("По мне лучше простой текст, чем таблицы", "preference"),
        ("Не могу работать под музыку", "preference"),
        ("Пью только без кофеина", "preference"),
        ("Мы с командой решили отказаться от микросервисов", "decision"),
        ("Решено: релиз в пятницу", "decision"),
        ("Встреча перенесена на четверг", "decision"),
        ("Релиз отменён", "decision"),
        ("Подписку на Figma отменили", "decision"),
        ("Релиз переносится на следующий месяц", "decision"),
        ("Для очередей используем RabbitMQ", "decision"),
        ("С понедельника работаем по новому графику", "decision"),
        ("Заюзали Redis для кэша", "decision"),
        ("Выбор пал на Django", "decision"),
        ("Статус: принято", "decision"),
        ("Я ошибся: порт 8443", "correction"),
        ("Ты неправильно понял, проект называется «Заря»", "correction"),
        ("Встреча не в среду, а в четверг", "correction"),
        ("Вообще-то у нас другой сервер", "correction"),
        ("Задеплоили бэкенд на стейдж", "milestone"),
        ("Выкатили новую версию в прод", "milestone"),
        ("Смержил ветку с авторизацией", "milestone"),
        ("Миграция завершена", "milestone"),
        ("У нас родилась дочь", "milestone"),
        ("Я получила повышение", "milestone"),
        ("Перед каждым коммитом запускай линтер", "instruction"),
        ("Когда пишешь SQL, используй заглавные буквы", "instruction"),
        ("Папку legacy не трогай", "instruction"),
        ("Нельзя удалять бэкапы", "instruction"),
        ("Прошу не звонить после девяти", "instruction"),
        ("Ответ не длиннее трёх предложений", "instruction"),
        ("Я бэкенд-разработчик из Самары", "identity"),
        ("Мы живём на ферме под Псковом", "identity"),
        ("Мой часовой пояс UTC+3", "identity"),
        ("Привет, я Богдан", "identity"),
        ("Я на пенсии", "identity"),
        ("Марк мой начальник", "relationship"),
        ("Мою жену зовут Ольга", "relationship"),
        ("Она возглавляет команду разработки", "relationship"),
        ("Наш тимлид — Сергей", "relationship"),
        ("Катя замужем за Иваном", "relationship"),
        ("Мы с Тёмой дружим со школы", "relationship"),
        ("Я подчиняюсь Марии", "relationship"),
        ("Пришлю отчёт в пятницу", "commitment"),
        ("Обязуюсь вернуть деньги до конца месяца", "commitment"),
        ("Мы должны сдать проект до 5 мая", "commitment"),
        ("Завтра к обеду подготовлю презентацию", "commitment"),
        ("Дедлайн по отчёту 12 марта", "commitment"),
        ("Беру на себя документацию", "commitment"),
    ],
)
def test_a_statement_of_a_category_is_high(text: str, category: str) -> None:
    assert high_categories(text) == [category]


@for_each(
    "text",
    [
        "Скоро вернусь",
        "Увидимся завтра",
        "Сделаю вечером",
        "Позвоню тебе завтра",
        "Передам привет",
        "Обещают дождь",
        "Дедлайн горит",
        "Нужно забрать посылку",
        "Мы ещё не решили, брать ли Kafka",
        "Мы так и не договорились",
        "Решение ещё не принято",
        "План ещё не утверждён",
        "Может, возьмём Redis",
        "Надо бы решить поскорее",
        "Если бы мы решили раньше, было бы проще",
        "Интересно, решили ли они вопрос",
        "Кто выбрал этот шрифт",
        "Напомни, что мы решили про логотип",
        "Говорят, они выбрали Oracle",
        "Олег предложил взять Kafka",
        "Анна сказала, что предпочитает чай",
        "Я обновил функцию и добавил тест",
        "Запусти тесты",
        "Исправь упавший тест",
        "Поставь будильник на семь",
        "Пиши мне завтра",
        "Не надо грустить сегодня",
        "Решил задачу по физике",
        "Мне нравится, как ты объяснил",
        "Ценю твою помощь",
        "Люблю читать.",
        "Так лучше",
        "Надо работать, а не болтать",
        "Я не это имел в виду",
        "Получил твоё письмо",
        "Красивая медсестра зашла послушать",
        "Ты мой лучший друг",
        "Привет, я устал",
        "Я не готов",
        "Они решили уехать, сказала она",
        "Когда мы решили переехать, денег не было",
        "Не сегодня, завтра",
        "Я из будущего",
        "Моё имя в списке",
        "Не люблю жаловаться",
        "Решил кроссворд за десять минут",
        "На самом деле, можешь добавить график",
    ],
)
def test_idioms_questions_hearsay_and_orders_of_the_moment_are_not_high(text: str) -> None:
    assert detect(text).signal != HIGH


@for_each("text", ["Доброе утро!", "Спасибо большое", "не за что", "ага, понятно", "Хочу спросить", "пока, до связи"])
def test_small_talk_is_none(text: str) -> None:
    assert detect(text).signal == NONE


@for_each("subject", ["", "Я ", "Мы ", "Мы с командой ", "Вчера ", "В итоге мы ", "Анна "])
@for_each(
    ("verbs", "rest", "category"),
    [
        ("решил решила решили", "взять отпуск в июле", "decision"),
        ("выбрал выбрала выбрали", "простой вариант", "decision"),
        ("договорился договорилась договорились", "о созвонах по вторникам", "decision"),
        ("отказался отказалась отказались", "от монолита", "decision"),
        ("запустил запустила запустили", "новый сайт", "milestone"),
        ("задеплоил задеплоила задеплоили", "сервис оплаты", "milestone"),
        ("выкатил выкатила выкатили", "обновление", "milestone"),
        ("смержил смержила смержили", "ветку с поиском", "milestone"),
        ("запушил запушила запушили", "правки в основную ветку", "milestone"),
        ("обязался обязалась обязались", "закрыть долг", "commitment"),
    ],
)
def test_the_past_counts_in_every_gender_and_number(subject: str, verbs: str, rest: str, category: str) -> None:
    for verb in verbs.split():
        assert high_categories(f"{subject}{verb} {rest}".capitalize()) == [category]
        assert detect(f"{subject}не {verb} {rest}".capitalize()).signal != HIGH


@for_each("participle", ["отменён", "отменена", "отменено", "отменены", "утверждён", "перенесена"])
def test_short_participles_count_and_their_negation_does_not(participle: str) -> None:
    assert high_categories(f"Осенний фестиваль {participle}") == ["decision"]
    assert detect(f"Осенний фестиваль не {participle}").signal != HIGH


@for_each("verb", ["используй", "используйте", "пиши", "пишите", "добавляй", "добавляйте"])
def test_the_imperfective_imperative_is_a_standing_order_in_both_numbers(verb: str) -> None:
    assert high_categories(f"Не {verb} сокращения") == ["instruction"]


@for_each("word", ["встреча", "Встреча", "ВСТРЕЧА"])
def test_upper_case_does_not_matter(word: str) -> None:
    assert high_categories(f"{word} перенесена на четверг") == ["decision"]
