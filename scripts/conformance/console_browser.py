"""The web console in a real browser: Chromium, headless, works on a depot of its own as an admin would.

Talks to 127.0.0.1 only; a request to anywhere else fails the check it belongs to. Screenshots stay in the folder of
`--screenshots`, to be looked at. Ends with `N passed, N failed`.
"""

import argparse
import json
import os
import tempfile
import urllib.error
import urllib.request
import zipfile

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import expect, sync_playwright

import harness
from harness import Server, check, run

HOSTILE_TITLE = "<script>document.title='owned'</script>\u202egnp.exe " + "W" * 150
HOSTILE_ID = "a" * 128


class Stage:
    """A depot with tokens of each scope and a few games."""

    def __init__(self, programs, work):
        self.program, self.work, self.data = f"{programs}/game-depot", work, f"{work}/depot"
        self.tokens = {}
        for name, scope in (("admin", "admin"), ("publisher", "publish"), ("reader", "read"), ("leaver", "admin")):
            made = run(self.program, "token", "create", "--data", self.data, "--name", name, "--scope", scope, check=True)
            self.tokens[name] = made.stdout.strip()
        for at in range(3):
            for version in ("1.0.0", "1.1.0"):
                self.publish(f"courier-{at}", version, title=f"Deep Courier {at}")
        self.publish(HOSTILE_ID, "1.0", title=HOSTILE_TITLE)
        self.server = Server(self.program, "serve", "--data", self.data, "--listen", "127.0.0.1:0", log=f"{work}/depot.log")
        self.url = self.server.url

    def package(self, name, files):
        path = f"{self.work}/{name}"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            for member, content in files.items():
                package.writestr(member, content)
        return path

    def publish(self, game, version, title):
        path = self.package("package.zip", {"index.html": f"<title>{game} {version}</title>"})
        run(self.program, "publish", path, "--game", game, "--h5-version", version, "--title", title, "--data", self.data, check=True)

    def ask(self, target, method="GET", body=None, **fields):
        """Status and JSON of a request that no browser makes."""
        request = urllib.request.Request(self.url + target, method=method, data=body,
                                         headers={key.replace("_", "-"): value for key, value in fields.items()})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read() or b"null"), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null"), error.headers

    def channel(self, game):
        return self.ask(f"/games/{game}")[1]["h5Version"]


class Visit:
    """A browser of its own, with everything it complained of."""

    def __init__(self, browser, stage, screenshots, **context):
        self.stage, self.screenshots = stage, screenshots
        self.context = browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1100, "height": 800}, **context})
        self.context.set_default_timeout(15_000)
        self.page = self.context.new_page()
        self.complaints, self.outside = [], []
        # A refusal that the page then explains is noted on the browser's console as well.
        self.context.on("console", lambda message: self.complain(message.text) if message.type == "error" and
                        "Failed to load resource" not in message.text else None)
        self.context.on("weberror", lambda error: self.complain(str(error.error)))
        self.context.on("request", self.note)

    def complain(self, text):
        self.complaints.append(text)

    def note(self, request):
        if not request.url.startswith(self.stage.url + "/"):
            self.outside.append(request.url)

    def open(self, place=""):
        self.page.goto(f"{self.stage.url}/console{place}")

    def log_in(self, name):
        self.open()
        self.page.locator("input[type=password]").fill(self.stage.tokens[name])
        self.page.keyboard.press("Enter")
        self.page.locator("nav .who").wait_for()
        return self

    def picture(self, name, full=True):
        self.page.screenshot(path=f"{self.screenshots}/console-{name}.png", full_page=full)

    def is_narrow(self):
        return self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def end(self, scene):
        check(f"{scene}: no violation of the policy, no error, nothing from outside", not self.complaints and not self.outside,
              (self.complaints[:3], self.outside[:3]))
        self.context.close()


def cookie_and_policy(browser, stage, screenshots):
    visit = Visit(browser, stage, screenshots)
    visit.open()
    expect(visit.page.locator("input[type=password]")).to_be_focused()
    visit.picture("login")
    visit.page.locator("input[type=password]").fill("wrong")
    visit.page.keyboard.press("Enter")
    expect(visit.page.get_by_role("alert")).to_contain_text("unknown, expired or revoked")
    visit.log_in("admin")
    cookies = visit.context.cookies()
    check("one cookie: HttpOnly, SameSite=Strict, for hours and not for ever", len(cookies) == 1 and cookies[0]["httpOnly"]
          and cookies[0]["sameSite"] == "Strict" and cookies[0]["expires"] > 0, cookies)
    check("the cookie is not the token", stage.tokens["admin"] not in cookies[0]["value"] and len(cookies[0]["value"]) == 64)
    check("no script reads it", visit.page.evaluate("document.cookie") == "")
    check("the token is kept nowhere", visit.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])").find(stage.tokens["admin"]) < 0)
    visit.end("log in")
    other = Visit(browser, stage, screenshots).log_in("admin")
    ran = other.page.evaluate("""() => {
      const script = document.createElement('script');
      try { script.textContent = 'globalThis.ran = true'; } catch { return 'trusted types'; }
      document.body.append(script);
      return globalThis.ran ? 'ran' : 'blocked';
    }""")
    check("an injected inline script does not run", ran != "ran" and not other.page.evaluate("'ran' in globalThis"), ran)
    check("and is reported as a violation", any("Content Security Policy" in text or "TrustedScript" in text for text in other.complaints)
          or ran == "trusted types", other.complaints)
    other.context.close()


def other_origins(browser, stage, screenshots):
    visit = Visit(browser, stage, screenshots).log_in("admin")
    cookie = visit.context.cookies()[0]
    carried = {"Cookie": f"{cookie['name']}={cookie['value']}"}
    own = {**carried, "Origin": stage.url}
    check("the login reads", stage.ask("/audit", **carried)[0] == 200)
    check("a write with the cookie alone is refused", stage.ask("/games/courier-2", "DELETE", **carried)[0] == 403)
    for origin in ("http://evil.test", "http://127.0.0.1:1", "null", "https://evil.test"):
        check(f"a write from {origin} is refused", stage.ask("/games/courier-2", "DELETE", **carried, Origin=origin)[0] == 403)
        check(f"a read from {origin} is refused", stage.ask("/audit", **carried, Origin=origin)[0] == 403)
    for site in ("cross-site", "same-site", "none"):
        answer = stage.ask("/games/courier-2", "DELETE", **own, Sec_Fetch_Site=site)
        check(f"a write that is {site} is refused", answer[0] == 403, answer)
    check("a login from another origin is refused", stage.ask(
        "/console/session", "POST", json.dumps({"token": stage.tokens["admin"]}).encode(), Origin="http://evil.test",
        Content_Type="application/json")[0] == 403)
    check("the game is still there", stage.ask("/games/courier-2")[0] == 200)
    _, _, fields = stage.ask("/console/session", **carried)
    check("no page of another origin may read who is there", fields["Access-Control-Allow-Origin"] is None and fields["Cache-Control"] == "no-store")
    visit.end("other origins")


def refuse_and_upload(browser, stage, screenshots):
    visit = Visit(browser, stage, screenshots).log_in("publisher")
    page = visit.page
    expect(page.locator(".cards > li")).to_have_count(4)
    visit.picture("games")
    bad = stage.package("fresh-1.0.0.zip", {"index.html": "<p>", "../up.txt": "x", "CON.txt": "x", "Thumbs.db": "x"})
    page.locator("input[type=file]").set_input_files(bad)
    expect(page.get_by_label("Game id")).to_have_value("fresh")
    expect(page.get_by_label("Version", exact=True)).to_have_value("1.0.0")
    page.get_by_role("button", name="Publish", exact=True).click()
    refusal = page.locator(".bad")
    expect(refusal).to_contain_text("The package was refused")
    expect(refusal).to_contain_text("parent-path")
    expect(refusal.locator("li.error")).not_to_have_count(0)
    expect(refusal.locator("code").first).to_contain_text("../up.txt")
    check("nothing of a refused package is there", stage.ask("/games/fresh")[0] == 404)
    visit.picture("refusal")
    good = stage.package("fresh-1.0.0.zip", {"index.html": "<p>", "Thumbs.db": "x", "data.bin": os.urandom(3_000_000)})
    # Dropped as from a file manager.
    transfer = page.evaluate_handle("""async () => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(9)], 'notes.zip'));
      return transfer;
    }""")
    page.locator("section.panel").dispatch_event("drop", {"dataTransfer": transfer})
    expect(page.get_by_label("Game id")).to_have_value("notes")
    page.locator("input[type=file]").set_input_files(good)
    page.get_by_label("Title (optional)").fill("新游戏 Fresh")
    visit.picture("upload")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.locator("div.good")).to_contain_text("fresh 1.0.0 is published")
    expect(page.locator("div.good .findings")).to_contain_text("Thumbs.db")
    check("what was uploaded is served", stage.ask("/games/fresh")[1]["title"] == "新游戏 Fresh")
    visit.picture("uploaded")
    expect(page.locator(".cards > li")).to_have_count(5)
    page.get_by_role("searchbox").fill("新游")
    page.keyboard.press("Enter")
    expect(page.locator(".cards > li")).to_have_count(1)
    page.locator(".cards a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("新游戏 Fresh")
    check("a publisher is offered nothing that is an admin's", page.get_by_role("button", name="Yank").count() == 0)
    visit.end("upload")
    reader = Visit(browser, stage, screenshots).log_in("reader")
    expect(reader.page.locator("main")).to_contain_text("Your token may only look")
    check("a reader is offered no upload", reader.page.locator("input[type=file]").count() == 0)
    reader.end("reader")


def promote_and_yank(browser, stage, screenshots):
    visit = Visit(browser, stage, screenshots).log_in("admin")
    page = visit.page
    page.get_by_role("link", name="courier-0").click()
    page.get_by_role("button", name="Roll back: stable").click()
    expect(page.get_by_role("dialog").get_by_label("Version", exact=True)).to_have_value("1.0.0")
    visit.picture("roll-back", full=False)
    page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    expect(page.locator(".big")).to_have_text("1.0.0")
    check("rolled back", stage.channel("courier-0") == "1.0.0")
    page.get_by_role("button", name="Promote 1.1.0").click()
    page.get_by_role("dialog").get_by_role("button", name="Promote").click()
    expect(page.locator(".big")).to_have_text("1.1.0")
    check("promoted", stage.channel("courier-0") == "1.1.0")
    visit.picture("game")
    expect(page.get_by_role("button", name="Yank 1.1.0")).to_be_disabled()
    page.get_by_role("button", name="Yank 1.0.0").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    check("a yank that was not confirmed changes nothing", stage.ask("/games/courier-0/versions/1.0.0")[1]["state"] == "published")
    page.get_by_role("button", name="Yank 1.0.0").click()
    page.get_by_role("dialog").get_by_role("button", name="Yank").click()
    expect(page.locator("tr.gone")).to_have_count(1)
    check("yanked", stage.ask("/games/courier-0/versions/1.0.0")[1]["state"] == "yanked")
    page.get_by_role("button", name="Edit title and notes").click()
    page.get_by_role("dialog").get_by_label("Title").fill("<i>Courier</i>")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("<i>Courier</i>")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download 1.1.0").click()
    check("a package is downloaded", download.value.suggested_filename == "courier-0-1.1.0.zip")
    page.get_by_role("button", name="Remove the game").click()
    remove = page.get_by_role("dialog").get_by_role("button", name="Remove the game")
    expect(remove).to_be_disabled()
    page.get_by_role("dialog").get_by_role("textbox").fill("courier-0")
    remove.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Games")
    check("removed", stage.ask("/games/courier-0")[0] == 404)
    page.get_by_role("link", name="Audit log").click()
    expect(page.locator("tbody tr").first).to_contain_text("remove-game")
    expect(page.locator("tbody tr").first).to_contain_text("127.0.0.1")
    visit.picture("audit")
    visit.end("promote and yank")


def statistics(browser, stage, screenshots):
    """How downloads are drawn, whatever this depot counted itself."""
    days = [{"day": f"2026-06-{day:02}", "h5Version": "1.1.0", "checks": 9, "downloads": day * 7 % 31, "rangedDownloads": 1,
             "bytes": 10, "installed": 0, "failed": 0} for day in range(1, 31)]
    visit = Visit(browser, stage, screenshots).log_in("admin")
    visit.context.route("**/games/courier-2/stats", lambda route: route.fulfill(
        json={"gameId": "courier-2", "from": "2026-06-01", "to": "2026-06-30", "days": days, "failures": []}))
    visit.open("#/games/courier-2")
    expect(visit.page.locator("figure rect")).to_have_count(30)
    expect(visit.page.locator("figcaption")).to_have_text(f"{sum(day['downloads'] for day in days)} in the last 30 days")
    visit.picture("statistics", full=False)
    visit.end("statistics")


def sessions(browser, stage, screenshots):
    visit = Visit(browser, stage, screenshots).log_in("leaver")
    run(stage.program, "token", "revoke", "leaver", "--data", stage.data, check=True)
    visit.page.get_by_role("link", name="Audit log").click()
    expect(visit.page.get_by_role("alert")).to_contain_text("Your login is over")
    visit.end("revoked")
    visit = Visit(browser, stage, screenshots).log_in("admin")
    cookie = visit.context.cookies()[0]
    visit.page.get_by_role("button", name="Log out").click()
    visit.page.locator("input[type=password]").wait_for()
    check("the cookie is gone", visit.context.cookies() == [])
    answer = stage.ask("/console/session", Cookie=f"{cookie['name']}={cookie['value']}")
    check("and means nothing any more", answer[0] == 401, answer)
    visit.end("log out")


def keyboard(browser, stage, screenshots):
    visit = Visit(browser, stage, screenshots)
    page = visit.page
    visit.open()

    def reach(matches, most=60):
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.evaluate("(matches) => document.activeElement.matches(matches)", matches):
                return page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        return False

    page.locator("input[type=password]").wait_for()
    page.keyboard.type(stage.tokens["admin"])
    page.keyboard.press("Enter")
    page.locator(".cards > li").first.wait_for()
    check("keyboard: a game is reached and its focus is seen", reach("a[href='#/games/courier-1']"))
    visit.picture("focus", full=False)
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="Deep Courier 1").wait_for()
    page.locator("tbody tr").first.wait_for()
    check("keyboard: rolling back is reached", reach("button[aria-label='Roll back: stable']"))
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    check("keyboard: leaving a dialog leads back", page.evaluate("document.activeElement.ariaLabel") == "Roll back: stable")
    page.keyboard.press("Enter")
    check("keyboard: its button is reached", reach("dialog button[type=submit]"))
    page.keyboard.press("Enter")
    expect(page.locator(".big")).to_have_text("1.0.0")
    check("keyboard: rolled back", stage.channel("courier-1") == "1.0.0")
    check("keyboard: choosing a package is reached", reach("#choose"))
    visit.end("keyboard")


def languages_and_sizes(browser, stage, screenshots):
    visit = Visit(browser, stage, screenshots, locale="zh-CN", viewport={"width": 360, "height": 740}, color_scheme="dark",
                  device_scale_factor=2).log_in("admin")
    page = visit.page
    expect(page.get_by_role("heading", level=1)).to_have_text("游戏")
    check("Chinese for a Chinese browser", page.evaluate("document.documentElement.lang") == "zh-CN")
    page.locator(".cards > li").first.wait_for()
    check("360 px: the list fits", visit.is_narrow())
    visit.picture("games-360-zh")
    visit.open("#/games/courier-1")
    page.locator("tbody tr").first.wait_for()
    check("360 px: a game fits", visit.is_narrow())
    visit.picture("game-360-zh")
    visit.open(f"#/games/{HOSTILE_ID}")
    page.locator("tbody tr").first.wait_for()
    check("360 px: the longest and worst of names fit, and stay text", visit.is_narrow() and page.title() != "owned"
          and page.locator("main script").count() == 0)
    visit.picture("hostile-360")
    visit.open("#/audit")
    page.locator("tbody tr").first.wait_for()
    check("360 px: the audit log fits", visit.is_narrow())
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Audit log")
    visit.end("languages and sizes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--screenshots", required=True)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    os.makedirs(options.screenshots, exist_ok=True)
    work = tempfile.mkdtemp(prefix="game-depot-console.")
    stage = Stage(options.programs, work)
    with sync_playwright() as playwright:
        # Sandboxes need namespaces that containers often lack; the only pages are those of the depot.
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        for scene in (cookie_and_policy, other_origins, refuse_and_upload, promote_and_yank, statistics, sessions, keyboard, languages_and_sizes):
            try:
                scene(browser, stage, options.screenshots)
            except (PlaywrightError, AssertionError) as error:
                check(f"{scene.__name__}: played to its end", False, str(error)[:900])
        browser.close()
    harness.end_of_server(stage.server, work)
    harness.finish(work)


if __name__ == "__main__":
    main()
