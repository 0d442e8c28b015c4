"""The terms of the lexical leg: the same for the forms of a word, different for what differs in meaning."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from engram.language.terms.stemming import stem
from engram.language.terms.terms import asked_terms
from engram.language.terms.terms import indexed_terms
from engram.language.terms.terms import stop_words
from engram.language.terms.terms import terms
from tests.cases import for_each


@for_each(
    ("one", "other"),
    [
        ("cats", "cat"),
        ("Anna's", "Anna"),
        ("deployed", "deploying"),
        ("went", "go"),
        ("children", "child"),
        ("two cups", "2 cups"),
        ("1,500,000", "1500000"),
        ("café", "cafe"),
        ("кошки", "кошку"),
        ("людям", "человек"),
        ("хочешь", "хотели"),
        ("ёлка", "елка"),
        ("РЕШЕНИЕ", "решения"),
        ("Straße", "STRASSE"),
        ("ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("don’t", "don't"),
    ],
)
def test_forms_of_one_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_a_form_of_several_russian_words_is_found_by_each() -> None:
    assert {*terms("бегу")} > {*terms("бежать")}
    assert {*terms("бегу")} > {*terms("бега")}


@for_each(
    ("text", "whole"),
    [
        ("set POSTGRES_URL first", "postgres_url"),
        ("release v2.3.1.", "v2.3.1"),
        ("see src/engine.py, line 3", "src/engine.py"),
        ("written in C++.", "c++"),
        ("written in C#!", "c#"),
        ("mail anna@example.com", "anna@example.com"),
        ("on 2026-02-24 we met", "2026-02-24"),
        ("push with --no-verify again", "--no-verify"),
        ("run it with -k9", "-k9"),
        ("keep it in .env only", ".env"),
        ("built for .NET", ".net"),
        ("closed by #1234", "#1234"),
        ("error[E0432]: unresolved", "e0432"),
        ("ORA-00942 again", "ora-00942"),
        ("CVE-2024-3094", "cve-2024-3094"),
        ("install @scope/pkg", "scope/pkg"),
        ("see engine.py:123", "engine.py:123"),
        ("https://example.com/a/b?x=1", "https://example.com/a/b"),
        ("needs ^1.2.3", "1.2.3"),
        ("1.0.0-rc.1 is out", "1.0.0-rc.1"),
        ("call __init__", "init"),
        ("IT говорит", "it"),
        ("PodPolicies", "podpolicies"),
    ],
)
def test_an_identifier_is_a_term_as_a_whole(text: str, whole: str) -> None:
    assert whole in terms(text)


@for_each(
    ("text", "parts"),
    [
        ("POSTGRES_URL", {"postgr", "url"}),
        ("src/engine.py", {"src", "engin", "py"}),
        ("EdgeShard", {"edgeshard", "edg", "shard"}),
        ("2026-02-24", {"2026", "02", "24"}),
        ("HTTPServer", {"httpserver", "http", "server"}),
        ("TS2345", {"ts2345", "ts", "2345"}),
        ("v2.3.1", {"2.3.1"}),
        ("python3.11", {"python", "3.11"}),
        ("engram-2.3.1.tar.gz", {"engram", "2.3.1", "tar", "gz"}),
        ("src/engine.py:123", {"engine.py", "123"}),
        ("anna@example.com", {"anna", "example.com"}),
        ("pre-commit", {"precommit", "pre", "commit"}),
        ("PR #1234", {"pr", "1234"}),
        ("--no-verify", {"verifi"}),
    ],
)
def test_an_identifier_is_also_found_by_its_parts(text: str, parts: set[str]) -> None:
    assert parts <= set(terms(text))


@for_each(
    ("one", "other"),
    [("C++", "C#"), ("version 3.1", "version 31"), ("v2", "v3"), (".env", "env"), ("#12", "12"), ("-v2", "v2")],
)
def test_what_differs_in_meaning_differs_in_terms(one: str, other: str) -> None:
    assert set(terms(one)) != set(terms(other))


@for_each(("one", "other"), [("2.3", "2.3.1"), ("2.3.1", "2.3.10"), ("v2.3", "v2.4"), ("10.0.0.1", "10.0.0.12")])
def test_a_version_is_not_one_that_begins_like_it(one: str, other: str) -> None:
    assert one in terms(one)
    assert one not in terms(other)
    assert other not in terms(one)


def test_versions_of_one_line_have_that_line_in_common() -> None:
    assert set(terms("2.3.1")) & set(terms("v2.3.7")) == {"2.3.*"}


def test_a_commit_is_found_by_its_first_digits() -> None:
    whole, short = "3f9a2bc81d004e5f6a7b8c9d0e1f2a3b4c5d6e7f", "3f9a2bc"

    assert set(terms(whole)) & set(terms(short))
    assert not set(terms(whole)) & set(terms("3f9a2bd"))


@for_each("word", ["deadbeef", "1234567", "abc123"])
def test_what_is_only_letters_only_digits_or_short_is_no_commit(word: str) -> None:
    assert not any(term.startswith("hash:") for term in terms(word))


def test_chinese_and_japanese_become_pairs_of_characters() -> None:
    assert terms("数据库很好") == ["数据", "据库", "库很", "很好"]
    assert terms("茶") == ["茶"]


def test_thai_becomes_pairs_of_characters() -> None:
    assert terms("ธนา") == ["ธน", "นา"]


def test_a_hindi_word_is_not_cut_at_its_vowel_signs() -> None:
    assert terms("काम करना") == ["काम", "कर"]


def test_a_korean_word_gives_the_first_syllable_the_pairs_and_the_whole_of_its_stem() -> None:
    assert terms("머리를 빗") == ["머", "머리", "머리*", "빗", "빗*"]


@for_each(("one", "other"), [("학교에서", "학교가"), ("마셨다", "마신다")])
def test_korean_forms_of_one_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_a_latin_name_with_a_korean_ending_is_still_that_name() -> None:
    assert "postgresql" in terms("PostgreSQL은 좋다")


def test_decomposed_hangul_gives_the_same_terms_as_composed() -> None:
    assert terms(unicodedata.normalize("NFD", "머리를")) == terms("머리를")


@for_each("text", ["", "  \n", "I am the", "и не в", "--- ... !!!", "\u0000"])
def test_a_text_without_meaning_has_no_terms(text: str) -> None:
    assert terms(text) == []


def test_stop_words_are_in_the_form_in_which_words_are_compared() -> None:
    assert all(word == word.casefold() and "ё" not in word for word in stop_words())
    assert {"the", "don't", "она"} <= stop_words()


@for_each("language", ["da", "de", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr"])
def test_every_language_has_stop_words_in_folded_form_and_a_stemmer(language: str) -> None:
    words = stop_words(language)

    assert len(words) > 50
    assert all(word == word.casefold() and stem(word, language) for word in words)
    assert indexed_terms(" ".join(sorted(words))) == []


def test_a_stop_word_that_can_be_a_month_is_kept() -> None:
    assert terms("in May") == ["may"]


@given(st.text())
def test_any_text_gives_terms_in_folded_form_and_none_empty(text: str) -> None:
    assert all(term and term == term.casefold() for term in terms(text))


@given(st.lists(st.sampled_from(["tea", "кошка", "C++", "v1.2", "머리", "数据"]), max_size=6))
def test_words_apart_give_the_terms_of_each_in_order(words: list[str]) -> None:
    assert terms(" ".join(words)) == [term for word in words for term in terms(word)]


# --- other languages in Latin letters ----------------------------------------------------------------------------


@for_each(
    ("document", "question"),
    [
        ("Meine Schwester arbeitet seit drei Jahren in Köln", "Wer von den Schwestern arbeitete dort?"),
        ("Die Häuser meiner Eltern sind sehr alt", "Wie alt ist das Haus?"),
        ("Nous avons vendu les vieux meubles et la voiture", "Quel meuble?"),
        ("L’école de mes enfants est près de la gare", "Quelles écoles?"),
        ("Mi hermana trabaja en una aseguradora de la ciudad", "¿Dónde trabajan sus hermanas?"),
        ("La canción es de mi abuela", "las canciones"),
        ("Il cane dorme sempre sul divano della nonna", "Su quali divani dormono i cani?"),
        ("Minha irmã trabalha há três anos numa seguradora", "Onde trabalham as irmãs?"),
        ("Wij hebben de oude boeken vorige week verkocht", "Welk boek?"),
        ("Hunden sover alltid på den röda soffan", "Var sov hundarna?"),
        ("Kız kardeşim Ankara'da bir bankada çalışıyor", "Ankara hangi bankalarda?"),
    ],
)
def test_a_question_in_another_language_meets_the_forms_that_its_document_holds(document: str, question: str) -> None:
    shared = set(indexed_terms(document)) & set(asked_terms(question))

    assert shared - set(terms(document))


@for_each(
    "text",
    [
        "Anna drove to San Francisco with her two children",
        "The die was cast at the war memorial in Rome",
        "We met at the café near the château",
        "La Paz",
        "",
        "数据库很好 and 머리를, кошка",
    ],
)
def test_a_text_that_is_not_clearly_another_language_is_indexed_as_english(text: str) -> None:
    assert indexed_terms(text) == terms(text)


@given(st.text())
def test_a_question_has_all_terms_that_the_same_text_is_indexed_by(text: str) -> None:
    assert set(indexed_terms(text)) <= set(asked_terms(text))


def test_a_name_in_a_text_of_another_language_is_found_by_an_english_question() -> None:
    document = "Anna wohnt seit dem Sommer mit ihrer Schwester in Köln und arbeitet bei der Bahn"

    assert {"de:anna", "de:koln"} <= set(indexed_terms(document)) & set(asked_terms("does Anna live in Koln?"))


def test_english_stop_words_in_a_text_of_another_language_are_dropped() -> None:
    text = "Sie sagte nur what the und dann ist sie mit dem Hund gegangen"

    assert not {"de:what", "de:the"} & set(indexed_terms(text))
    assert "de:hund" in indexed_terms(text)


def test_a_stop_word_of_the_language_of_a_question_is_no_english_word() -> None:
    assert "die" not in asked_terms("Wann werden die Lieferungen erwartet?")
    assert "die" in asked_terms("when did the die fall?")


def test_a_name_in_capitals_is_asked_for_though_it_looks_like_a_stop_word() -> None:
    assert "it" in asked_terms("where is the IT department?")
    assert "it" not in asked_terms("where is it now?")


def test_an_identifier_is_the_same_term_in_every_language() -> None:
    german = "Wir haben die Datei src/engine.py und das Paket EdgeShard in der Version v2.3.1 gelöscht"

    assert {"src/engine.py", "edgeshard", "v2.3.1"} <= set(indexed_terms(german))
