"""Small games, each for one thing an engine's export needs of the server that plays it. Made here, but for what ffmpeg
encodes and the font, which comes out of a wheel."""

import gzip
import os
import struct
import subprocess
import zipfile
import zlib

import brotli

# (module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
ADD_WASM = bytes.fromhex(
    "0061736d01000000" "0107" "0160027f7f017f" "0302" "0100" "0707" "0103616464" "0000" "0a09" "0107" "0020002001" "6a0b")


def page(body, title="Test", head=""):
    return (f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>{head}"
            f"<p id=result>waiting</p>{body}</html>").encode()


def script(code):
    """A script that shows what it returns, or what it threw."""
    return ("<script type=module>\nconst result = document.getElementById('result');\n"
            "const show = (text) => { result.textContent = String(text); };\n"
            f"try {{\n{code}\n}} catch (error) {{ show('error: ' + error); }}\n</script>")


def png(width, height, pixel):
    rows = b"".join(b"\0" + bytes(pixel) * width for _ in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class LegacyName(zipfile.ZipInfo):
    """A name in an encoding of its own and without the flag of UTF-8, as old archivers on Windows write it."""

    encoding = "gb18030"

    def _encodeFilenameFlags(self):
        return self.filename.encode(self.encoding), self.flag_bits


def write_zip(path, files, has_legacy_names=False):
    kind = LegacyName if has_legacy_names else zipfile.ZipInfo
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(kind(name), data, zipfile.ZIP_DEFLATED)
    return path


def streaming():
    code = """
      const { instance } = await WebAssembly.instantiateStreaming(fetch('add.wasm'));
      show(instance.exports.add(40, 2));"""
    return {"index.html": page(script(code), "Streaming"), "add.wasm": ADD_WASM}


def threads():
    code = """
      const memory = new SharedArrayBuffer(8);
      const view = new Int32Array(memory);
      const worker = new Worker('worker.js');
      worker.postMessage(memory);
      await Atomics.waitAsync(view, 0, 0).value;
      show(`${crossOriginIsolated} ${Atomics.load(view, 0)}`);"""
    worker = b"onmessage = ({ data }) => { const v = new Int32Array(data); Atomics.store(v, 0, 7); Atomics.notify(v, 0); };\n"
    return {"index.html": page(script(code), "Threads"), "worker.js": worker}


def media(work):
    """Twelve seconds of a test picture and a tone, as browsers play them; long enough that a seek asks for a range."""
    source = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=24:duration=12", "-f", "lavfi",
              "-i", "sine=frequency=440:duration=12"]
    tone = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "anoisesrc=duration=40:amplitude=0.1"]
    made = {
        "clip.webm": source + ["-c:v", "libvpx", "-b:v", "3M", "-c:a", "libopus"],
        "clip.mp4": source + ["-c:v", "libx264", "-b:v", "3M", "-pix_fmt", "yuv420p", "-c:a", "aac", "-movflags", "+faststart"],
        "tone.mp3": tone + ["-b:a", "192k"],
        "tone.ogg": tone + ["-c:a", "libvorbis"],
        "tone.wav": tone,
        "tone.m4a": tone + ["-c:a", "aac"],
        "tone.flac": tone,
    }
    files = {}
    for name, words in made.items():
        subprocess.run([*words, f"{work}/{name}"], check=True, timeout=120)
        files[name] = open(f"{work}/{name}", "rb").read()
    # Each is played, sought to near its end, and told with what it says of itself.
    code = """
      const told = [];
      for (const name of %s) {
        const medium = document.createElement(name.startsWith('clip') ? 'video' : 'audio');
        medium.muted = true;
        medium.preload = 'metadata';
        medium.src = name;
        document.body.append(medium);
        await new Promise((done, failed) => {
          medium.onloadedmetadata = done;
          medium.onerror = () => failed(`${name}: ${medium.error.message}`);
        });
        medium.currentTime = medium.duration * 0.9;
        await new Promise((done) => { medium.onseeked = done; });
        await medium.play();
        medium.pause();
        told.push(`${name} ${medium.duration > 11 && medium.currentTime > medium.duration * 0.89}`);
      }
      show(told.join(', '));""" % sorted(files)
    return {"index.html": page(script(code), "Media"), **files}


def font(wheels):
    """Font Awesome out of a wheel, which has glyphs no system font has at these numbers."""
    for name in sorted(os.listdir(wheels)):
        with zipfile.ZipFile(f"{wheels}/{name}") as wheel:
            for member in wheel.namelist():
                if "fontawesome" in member.lower() and member.endswith(".woff2"):
                    data = wheel.read(member)
                    code = """
                      const face = new FontFace('Icons', "url('fonts/icons.woff2') format('woff2')");
                      await face.load();
                      document.fonts.add(face);
                      show(document.fonts.check('20px Icons', '\\uf11b') && face.status);"""
                    style = "<style>p { font: 3rem Icons, sans-serif }</style>"
                    return {"index.html": page(script(code), "Font", style), "fonts/icons.woff2": data}
    raise SystemExit("no wheel has a web font")


def worker():
    code = """
      const registration = await navigator.serviceWorker.register('sw.js');
      await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller)
        await new Promise((done) => navigator.serviceWorker.addEventListener('controllerchange', done));
      const answer = await (await fetch('made-by-worker')).text();
      show(`${answer} ${new URL(registration.scope).pathname}`);"""
    code_of_worker = b"""
      addEventListener('install', () => skipWaiting());
      addEventListener('activate', (event) => event.waitUntil(clients.claim()));
      addEventListener('fetch', (event) => {
        if (event.request.url.endsWith('made-by-worker')) event.respondWith(new Response('from the worker'));
      });
    """
    return {"index.html": page(script(code), "Worker"), "sw.js": code_of_worker}


def saves(name):
    code = """
      const before = localStorage.getItem('save');
      localStorage.setItem('save', '%s');
      show(`before: ${before}`);""" % name
    return {"index.html": page(script(code), f"Saves of {name}")}


def unity(suffix):
    """The shape of a Unity export: a loader that takes framework, data and code compressed, and trusts the server."""
    def packed(data):
        return brotli.compress(data) if suffix == "br" else gzip.compress(data)

    ending = "unityweb" if suffix == "unityweb" else suffix
    framework = b"globalThis.framework = async (url) => (await WebAssembly.instantiateStreaming(fetch(url))).instance;\n"
    data = b"level one" * 4000
    code = f"""
      await new Promise((done, failed) => {{
        const element = document.createElement('script');
        element.src = 'Build/game.framework.js.{ending}';
        element.onload = done;
        element.onerror = () => failed(new Error('the framework did not load'));
        document.head.append(element);
      }});
      const instance = await framework('Build/game.wasm.{ending}');
      const data = await (await fetch('Build/game.data.{ending}')).text();
      show(`${{instance.exports.add(20, 22)}} ${{data.length}}`);"""
    return {
        "index.html": page(script(code), f"Unity {suffix}"),
        f"Build/game.framework.js.{ending}": packed(framework),
        f"Build/game.wasm.{ending}": packed(ADD_WASM),
        f"Build/game.data.{ending}": packed(data),
    }


def chinese():
    code = """
      const image = new Image();
      image.src = '图片/英雄 一号.png';
      await image.decode();
      const text = await (await fetch('数据/关卡.json')).json();
      const { hello } = await import('./脚本/你好.js');
      show(`${image.width} ${text.name} ${hello}`);"""
    return {
        "index.html": page(script(code), "中文"),
        "图片/英雄 一号.png": png(12, 9, (200, 40, 40)),
        "数据/关卡.json": '{"name":"第一关"}'.encode(),
        "脚本/你好.js": "export const hello = '你好';\n".encode(),
    }


def windows():
    """Written on a file system that does not tell cases apart."""
    code = """
      const image = new Image();
      image.src = 'Images/HERO.PNG';
      await image.decode();
      show(image.width);"""
    return {"index.html": page(script(code), "Windows"), "images/Hero.png": png(21, 3, (0, 90, 200))}


def flipping(version):
    code = """
      const name = async () => (await (await fetch('version.txt', { cache: 'no-store' })).text()).trim();
      const told = [await name()];
      show(told.join(' '));
      globalThis.ask = async () => show((told.push(await name()), told.join(' ')));"""
    return {"index.html": page(script(code), f"Version {version}"), "version.txt": f"{version}\n".encode()}


def bridge():
    code = """
      const answer = await fetch('_depot/game.json', { cache: 'no-store' });
      const game = await answer.json();
      show(`${game.gameId} ${game.h5Version}`);
      globalThis.game = game;"""
    return {"index.html": page(script(code), "Bridge"), "cover.png": png(320, 180, (30, 120, 90))}


def with_cover(files, pixel):
    return {**files, "cover.png": png(480, 270, pixel)}
