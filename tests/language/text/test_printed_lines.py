"""What a machine printed on a display or a screen, told from what somebody says of it."""

from engram.language.text.printed_lines import is_printed
from tests.cases import for_each


@for_each(
    "line",
    [
        "TILL 2 ERROR 0x41",
        "PRINTER 3: PAPER JAM TRAY 2",
        "E-04 PUMP FAULT CODE 17",
        "ERR_CONNECTION_RESET (-101)",
        "net::ERR_NAME_NOT_RESOLVED",
        "DEV_NOT_READY: timeout after 3000ms",
        "UPLOAD_FAILED, 17",
        "kernel: [123.4] usb 1-1: reset",
        "[12345.678901] usb 1-1: reset high-speed USB device number 4",
        "HTTP 502 Bad Gateway (nginx/1.18.0)",
        "Segmentation fault (core dumped)",
        "FEHLER 23 KASSE 2",
        "ERREUR 12 CAISSE 3",
        "FALLO 7 BOMBA 2",
        "ОШИБКА 0x41 КАССА 2",
        "错误代码 E04",
        "오류 코드 E-04",
    ],
)
def test_what_a_machine_printed_is_known_by_its_form(line: str) -> None:
    assert is_printed(line)


@for_each(
    "said",
    [
        "",
        "Till 2 shows ERROR 0x41 whenever the drawer is open",
        "WE GET ERROR 41 ON TILL 2 EVERY MORNING",
        "ALWAYS USE METRIC UNITS",
        "WE MOVED TO POSTGRES 16",
        "ROOM 2 FOR THE KIDS",
        "ALARM CODE 4711",
        "ERR_CONNECTION_RESET: that is the proxy, we restart it every Friday",
        "ERROR_LOG: /var/log/app",
        "CONNECT_TIMEOUT: 30 seconds",
        "MAX_RETRIES: 5",
        "HTTP 502 means that the pool is full",
        "Kasse 2 zeigt immer FEHLER 23, wenn die Lade offen ist",
        "KASSE 2 ZEIGT IMMER FEHLER 23",
        "LA CAISSE 3 AFFICHE ERREUR 12",
        "LA BOMBA 2 TIENE UN FALLO 7",
        "ОШИБКА 0x41 ПОЯВЛЯЕТСЯ НА КАССЕ 2",
        "收银机2打开抽屉时显示错误代码 E04",
        "서랍을 열면 오류 코드 E-04가 나와요",
    ],
)
def test_what_somebody_says_of_it_stays(said: str) -> None:
    assert not is_printed(said)
