"""Who may ask the page's server: a browser here, with the link's cookie, from a page of this server."""

import pytest
from starlette.testclient import TestClient

from engram.warm.warm_store import WarmStore
from engram.web.app import make_app
from engram.web.guard import HEADERS
from engram.web.guard import Guard
from engram.workspace import Workspace
from tests.web.making import ORIGIN
from tests.web.making import PORT
from tests.web.making import TOKEN
from tests.web.making import open_page

WRITE = {"verb": "write", "args": {"entity": "people/eve", "text": "Eve was here", "create": True}}


def test_the_link_is_exchanged_for_a_cookie_that_no_script_reads(workspace: Workspace) -> None:
    with open_page(workspace, entered=False) as client:
        entered = client.get("/graph", params={"token": TOKEN, "as_of": "2026-03-01"})
        assert (entered.status_code, entered.headers["location"]) == (303, "/graph?as_of=2026-03-01")
        cookie = entered.headers["set-cookie"]
        assert TOKEN not in cookie
        assert {part.strip().casefold() for part in cookie.split(";")} >= {"httponly", "samesite=lax", "path=/"}
        assert client.get("/api/meta").status_code == 200


@pytest.mark.parametrize("path", ["/", "/today", "/api/meta", "/api/live", "/assets/x.js", "/api/today"])
def test_without_the_cookie_nothing_is_told(workspace: Workspace, path: str) -> None:
    with open_page(workspace, entered=False) as client:
        refused = client.get(path)
        assert (refused.status_code, "engram ui" in refused.text) == (403, True)


@pytest.mark.parametrize("said", ["", "wrong", TOKEN[:-1], f"{TOKEN} ", "токен"])
def test_a_wrong_token_is_refused_and_sets_no_cookie(workspace: Workspace, said: str) -> None:
    with open_page(workspace, entered=False) as client:
        refused = client.get("/today", params={"token": said})
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers


def test_two_tokens_are_none(workspace: Workspace) -> None:
    with open_page(workspace, entered=False) as client:
        assert client.get(f"/today?token={TOKEN}&token={TOKEN}").status_code == 403


@pytest.mark.parametrize(
    "cookie", [f"engram_{PORT}=x", f"engram_{PORT}=", f"other={TOKEN}", f"engram_{PORT}={TOKEN}", "=;,"]
)
def test_a_cookie_that_was_not_given_is_none(workspace: Workspace, cookie: str) -> None:
    with open_page(workspace, entered=False) as client:
        assert client.get("/api/meta", headers={"Cookie": cookie}).status_code == 403


def test_the_cookie_of_an_earlier_run_is_refused(workspace: Workspace) -> None:
    with open_page(workspace) as before, open_page(workspace, entered=False) as now:
        cookies = "; ".join(f"{name}={value}" for name, value in before.cookies.items())
        assert now.get("/api/meta", headers={"Cookie": cookies}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1.evil:{PORT}"]
)
def test_a_name_that_is_rebound_to_this_machine_is_refused(workspace: Workspace, host: str) -> None:
    with open_page(workspace) as client:
        assert client.get("/api/meta", headers={"Host": host, "Origin": f"http://{host}"}).status_code == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1", ""]
)
def test_a_page_of_another_origin_is_refused(workspace: Workspace, origin: str) -> None:
    with open_page(workspace) as client:
        assert client.post("/api/apply", json=WRITE, headers={"Origin": origin}).status_code == 403
        assert client.get("/api/meta", headers={"Origin": origin}).status_code == 403


def test_what_writes_has_to_say_whose_page_it_is(workspace: Workspace) -> None:
    with open_page(workspace) as client:
        del client.headers["Origin"]
        assert client.post("/api/apply", json=WRITE).status_code == 403
        assert client.get("/api/meta").status_code == 200  # browsers send none with their own questions


def test_a_form_that_another_page_could_send_is_not_read(workspace: Workspace) -> None:
    with open_page(workspace) as client:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
            sent = client.post("/api/apply", content=b"{}", headers={"Content-Type": kind, "Origin": ORIGIN})
            assert sent.status_code == 400


@pytest.mark.parametrize("path", ["/today", "/api/meta", "/api/nothing", "/assets/none.js"])
def test_every_answer_forbids_frames_and_scripts_of_others(workspace: Workspace, path: str) -> None:
    with open_page(workspace) as client:
        told = client.get(path).headers
        assert {name: told[name] for name in HEADERS} == HEADERS
        assert "frame-ancestors 'none'" in told["Content-Security-Policy"]
        assert "unsafe" not in told["Content-Security-Policy"]


def test_a_link_for_a_command_line_opens_the_page_once(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    app = Guard(make_app(WarmStore(workspace.paths.root)), PORT, TOKEN, once="once")
    late = Guard(make_app(WarmStore(workspace.paths.root)), PORT, TOKEN, once="once")
    monkeypatch.setattr(late, "_once_until", 0.0)
    entered = [
        TestClient(one, base_url=ORIGIN, follow_redirects=False).get("/today", params={"token": said}).status_code
        for one, said in ((app, ""), (app, "once"), (app, "once"), (app, TOKEN), (late, "once"), (late, TOKEN))
    ]
    assert entered == [403, 303, 403, 303, 403, 303]
