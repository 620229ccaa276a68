#!/usr/bin/env python3
"""Draws the PNG sprites and synthesises the WAV sounds of Examples/deep-courier.

Standard library only. The output is committed, so nobody needs this to build or to play;
run it after changing a drawing:

    scripts/make-game-assets.py

Shapes are signed distance functions (negative inside), painted back to front. One pixel of
distance is one pixel of anti-aliasing, so no supersampling is needed.
"""
import math
import pathlib
import random
import struct
import wave
import zlib

GAME = pathlib.Path(__file__).resolve().parent.parent / "Examples" / "deep-courier"


# --- distance functions -----------------------------------------------------------------
def circle(cx, cy, r):
    return lambda x, y: math.hypot(x - cx, y - cy) - r


def ellipse(cx, cy, rx, ry):
    # An approximation that is exact on the outline, which is all that anti-aliasing needs.
    def distance(x, y):
        px, py = (x - cx) / rx, (y - cy) / ry
        k0 = math.hypot(px, py)
        k1 = math.hypot(px / rx, py / ry)
        return -min(rx, ry) if k1 == 0 else k0 * (k0 - 1) / k1
    return distance


def segment(ax, ay, bx, by, r):
    def distance(x, y):
        px, py, dx, dy = x - ax, y - ay, bx - ax, by - ay
        t = max(0.0, min(1.0, (px * dx + py * dy) / (dx * dx + dy * dy)))
        return math.hypot(px - dx * t, py - dy * t) - r
    return distance


def rounded(cx, cy, w, h, r):
    def distance(x, y):
        qx, qy = abs(x - cx) - w / 2 + r, abs(y - cy) - h / 2 + r
        return math.hypot(max(qx, 0), max(qy, 0)) + min(max(qx, qy), 0) - r
    return distance


def union(*shapes):
    return lambda x, y: min(shape(x, y) for shape in shapes)


def cut(shape, *others):
    return lambda x, y: max(shape(x, y), *(-other(x, y) for other in others))


def within(shape, *others):
    return lambda x, y: max(shape(x, y), *(other(x, y) for other in others))


def grown(shape, by):
    return lambda x, y: shape(x, y) - by


# --- paint ------------------------------------------------------------------------------
def flat(r, g, b, a=1.0):
    return lambda x, y, d: (r, g, b, a)


def down(top, bottom, y0, y1):
    """A vertical gradient between two RGBA colours."""
    def colour(x, y, d):
        t = max(0.0, min(1.0, (y - y0) / (y1 - y0)))
        return tuple(p + (q - p) * t for p, q in zip(top, bottom))
    return colour


def around(inner, outer, cx, cy, radius, power=1.0):
    """A radial gradient between two RGBA colours."""
    def colour(x, y, d):
        t = min(1.0, math.hypot(x - cx, y - cy) / radius) ** power
        return tuple(p + (q - p) * t for p, q in zip(inner, outer))
    return colour


def draw(width, height, layers):
    rows = []
    for y in range(height):
        row = bytearray([0])
        for x in range(width):
            r = g = b = a = 0.0  # premultiplied
            for shape, paint in layers:
                d = shape(x + 0.5, y + 0.5)
                cover = max(0.0, min(1.0, 0.5 - d))
                if cover == 0:
                    continue
                pr, pg, pb, pa = paint(x + 0.5, y + 0.5, d)
                pa *= cover
                r, g, b, a = (pr * pa + r * (1 - pa), pg * pa + g * (1 - pa),
                              pb * pa + b * (1 - pa), pa + a * (1 - pa))
            if a > 0:
                r, g, b = r / a, g / a, b / a
            row += bytes(max(0, min(255, round(v))) for v in (r, g, b, a * 255))
        rows.append(bytes(row))
    return width, height, b"".join(rows)


def write_png(path, image):
    width, height, raw = image

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n"
                     + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


# --- sprites ----------------------------------------------------------------------------
INK = (18, 32, 58)


def submarine_layers(s=1.0, ox=0.0, oy=0.0):
    """The courier, nose to the right, on a 144 x 104 board scaled by s and moved by (ox, oy)."""
    def X(v):
        return ox + v * s

    def Y(v):
        return oy + v * s

    hull = ellipse(X(78), Y(62), 56 * s, 31 * s)
    tower = rounded(X(74), Y(31), 34 * s, 30 * s, 9 * s)
    scope = union(segment(X(80), Y(18), X(80), Y(8), 3 * s), segment(X(80), Y(8), X(90), Y(8), 3 * s))
    tail = union(segment(X(22), Y(62), X(30), Y(62), 6 * s))
    blades = union(ellipse(X(15), Y(49), 6 * s, 13 * s), ellipse(X(15), Y(75), 6 * s, 13 * s))
    fin = union(segment(X(34), Y(46), X(24), Y(34), 7 * s), segment(X(34), Y(78), X(24), Y(90), 7 * s))
    outline = 3.2 * s
    layers = [(grown(part, outline), flat(*INK)) for part in (blades, fin, tail, scope, tower, hull)]
    layers += [
        (blades, down((255, 206, 120, 1), (186, 112, 52, 1), Y(36), Y(88))),
        (fin, down((247, 122, 82, 1), (196, 66, 60, 1), Y(28), Y(96))),
        (tail, flat(118, 92, 98)),
        (scope, flat(247, 122, 82)),
        (tower, down((255, 170, 106, 1), (232, 92, 70, 1), Y(16), Y(46))),
        (hull, down((255, 226, 116, 1), (240, 146, 48, 1), Y(34), Y(92))),
        (within(hull, cut(rounded(X(78), Y(90), 140 * s, 36 * s, 0), ellipse(X(78), Y(52), 70 * s, 28 * s))),
         flat(196, 88, 44, 0.55)),
        (within(grown(hull, -4 * s), cut(ellipse(X(78), Y(60), 52 * s, 27 * s),
                                         ellipse(X(80), Y(66), 54 * s, 27 * s))), flat(255, 250, 220, 0.75)),
    ]
    for cx, r in ((100, 13), (70, 9), (46, 7)):
        glass = circle(X(cx), Y(60), r * s)
        layers += [
            (grown(glass, 4 * s), flat(*INK)),
            (grown(glass, 2.4 * s), flat(255, 240, 196)),
            (glass, around((190, 250, 255, 1), (34, 122, 178, 1), X(cx - r * .35), Y(60 - r * .4), r * 1.5 * s)),
            (circle(X(cx - r * .35), Y(60 - r * .4), r * .24 * s), flat(255, 255, 255, 0.95)),
        ]
    layers += [
        (circle(X(131), Y(64), 6.5 * s), flat(*INK)),
        (circle(X(131), Y(64), 4.2 * s), flat(255, 255, 210)),
    ]
    return layers


def submarine():
    return draw(144, 104, submarine_layers())


def mine():
    c = 48
    spikes, studs = [], []
    for i in range(8):
        a = math.pi * i / 4 + math.pi / 8
        spikes.append(segment(c + 24 * math.cos(a), c + 24 * math.sin(a), c + 38 * math.cos(a),
                              c + 38 * math.sin(a), 3.4))
        studs.append(circle(c + 39 * math.cos(a), c + 39 * math.sin(a), 5.2))
    body, arms = circle(c, c, 29), union(*spikes)
    heads = union(*studs)
    return draw(96, 96, [
        (circle(c, c, 47), around((255, 70, 80, 0.30), (255, 70, 80, 0), c, c, 47)),
        (grown(union(arms, heads), 2.4), flat(*INK)),
        (arms, flat(92, 98, 122)),
        (heads, around((240, 120, 116, 1), (168, 42, 62, 1), c, c - 8, 50)),
        (grown(body, 2.6), flat(*INK)),
        (body, around((142, 152, 184, 1), (40, 46, 74, 1), c - 11, c - 13, 44)),
        (within(body, rounded(c, c, 70, 9, 0)), flat(22, 26, 48, 0.55)),
        (circle(c, c, 11), flat(*INK)),
        (circle(c, c, 8.4), around((255, 214, 190, 1), (236, 38, 58, 1), c - 3, c - 3, 11)),
        (within(grown(body, -4), cut(circle(c - 2, c - 2, 26), circle(c + 2, c + 3, 27))),
         flat(230, 238, 255, 0.55)),
    ])


def pearl():
    c = 32
    return draw(64, 64, [
        (circle(c, c, 31), around((190, 250, 255, 0.65), (120, 220, 255, 0), c, c, 31)),
        (circle(c, c, 17), flat(84, 110, 168)),
        (circle(c, c, 15.6), around((255, 255, 255, 1), (206, 172, 224, 1), c - 5, c - 6, 24)),
        (cut(circle(c, c, 14), circle(c - 4, c - 5, 15)), flat(150, 200, 246, 0.6)),
        (ellipse(c - 5, c - 6.5, 4.6, 3.4), flat(255, 255, 255, 1)),
    ])


def rock():
    rng = random.Random(7)
    lumps = [(46, 60, 26), (82, 50, 34), (118, 64, 24), (64, 76, 30), (100, 78, 30)]
    body = within(union(*(circle(*lump) for lump in lumps)), rounded(80, 40, 200, 112, 0))
    layers = [(grown(body, 3), flat(8, 22, 48)),
              (body, down((72, 110, 146, 1), (20, 44, 82, 1), 16, 96))]
    for cx, cy, r in lumps:
        layers.append((within(body, cut(circle(cx, cy, r - 3), circle(cx + 5, cy + 7, r))), flat(150, 196, 214, .38)))
    for _ in range(12):
        x, y = rng.uniform(34, 126), rng.uniform(34, 90)
        layers.append((within(body, circle(x, y, rng.uniform(1.5, 4))), flat(12, 30, 62, .5)))
    return draw(160, 96, layers)


def icon():
    board = rounded(64, 64, 124, 124, 28)
    layers = [(board, down((36, 150, 196, 1), (10, 36, 92, 1), 0, 128)),
              (within(board, ellipse(30, 0, 60, 70)), flat(190, 250, 255, 0.20))]
    layers += submarine_layers(0.74, 8, 26)
    layers += [(circle(104, 30, 4), flat(220, 250, 255, .8)), (circle(112, 46, 2.5), flat(220, 250, 255, .7))]
    return draw(128, 128, layers)


def shield():
    c = 48
    return draw(96, 96, [
        (circle(c, c, 47), around((120, 255, 220, 0.0), (120, 255, 220, 0.55), c, c, 47, 5)),
        (cut(circle(c, c, 42), circle(c, c, 37)), flat(14, 60, 92, 0.9)),
        (cut(circle(c, c, 41), circle(c, c, 38)), flat(190, 255, 236)),
        (circle(c, c, 37), around((90, 240, 220, 0.10), (80, 220, 230, 0.50), c + 5, c + 7, 40, 2)),
        (union(segment(c, c - 15, c, c + 15, 4), segment(c - 15, c, c + 15, c, 4)), flat(250, 255, 246, 0.95)),
        (cut(circle(c, c, 32), circle(c + 5, c + 6, 33)), flat(255, 255, 255, 0.75)),
        (circle(c + 22, c + 20, 4), flat(255, 255, 255, 0.7)),
    ])


# --- sounds -----------------------------------------------------------------------------
RATE = 22050


def write_wav(path, seconds, sample):
    path.parent.mkdir(parents=True, exist_ok=True)
    frames = bytearray()
    for i in range(int(RATE * seconds)):
        value = max(-1.0, min(1.0, sample(i / RATE)))
        frames += struct.pack("<h", int(value * 32000))
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(bytes(frames))


def chime(t):
    """Two bell notes a fifth apart, the second a moment later."""
    def bell(f, u):
        if u < 0:
            return 0.0
        return math.exp(-u * 11) * (math.sin(2 * math.pi * f * u) + .35 * math.sin(2 * math.pi * f * 2.76 * u)
                                    * math.exp(-u * 14))
    return .42 * bell(880, t) + .42 * bell(1318.5, t - .06)


def thud():
    rng, held = random.Random(3), [0.0]

    def sample(t):
        held[0] += .18 * (rng.uniform(-1, 1) - held[0])  # low-passed noise
        boom = math.sin(2 * math.pi * (46 * t + 5.5 * (1 - math.exp(-t * 16))))
        return math.exp(-t * 7) * (.7 * boom + 1.3 * held[0] * math.exp(-t * 5))
    return sample


def main():
    for version in ("1.0.0", "1.1.0"):
        root = GAME / version
        for name, image in (("sub", submarine), ("mine", mine), ("pearl", pearl), ("rock", rock), ("icon", icon)):
            write_png(root / "img" / f"{name}.png", image())
        write_wav(root / "audio" / "pearl.wav", .5, chime)
        write_wav(root / "audio" / "hit.wav", .6, thud())
    write_png(GAME / "1.1.0" / "img" / "shield.png", shield())


if __name__ == "__main__":
    main()
