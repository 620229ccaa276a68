"""Zips that are small and mean to be large, made byte by byte (full and quoted overlap after David Fifield's "A better zip
bomb"), for zip.py."""

import io
import struct
import zipfile
import zlib


def deflated(content):
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    return stream.compress(content) + stream.flush()


def local(name, packed, size, crc, method=8):
    return struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, method, 0, 0x21, crc, packed, size, len(name), 0) + name


def central(name, packed, size, crc, offset, method=8):
    return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, method, 0, 0x21, crc, packed, size, len(name), 0, 0, 0, 0,
                       0, offset) + name


def closed(body, directory, count):
    return body + directory + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, len(directory), len(body), 0)


def full_overlap(count, size):
    """Many entries over one kernel of zeros."""
    zeros = bytes(size)
    kernel, crc = deflated(zeros), zlib.crc32(zeros)
    directory = b"".join(central(b"%d" % index, len(kernel), size, crc, 0) for index in range(count))
    return closed(local(b"0", len(kernel), size, crc) + kernel, directory, count)


def quoted_overlap(count, size):
    """Each entry begins with a stored block that holds the local header of the next, and goes on with what follows it."""
    plain = bytes(size)
    data = deflated(plain)
    body, directory = b"", []
    for index in reversed(range(count)):
        crc, name = zlib.crc32(plain), b"%d" % index
        header = local(name, len(data), len(plain), crc)
        body = header + data
        directory.append((name, len(data), len(plain), crc, len(body)))
        data = struct.pack("<BHH", 0, len(header), len(header) ^ 0xFFFF) + body
        plain = header + plain
    total = len(body)
    entries = [central(name, packed, full, crc, total - length) for name, packed, full, crc, length in reversed(directory)]
    return closed(body, b"".join(entries), count)


def zeros(size):
    """One honest entry of nothing but zeros."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("index.html", "<p>hello</p>")
        with archive.open("zeros", "w", force_zip64=True) as file:
            for _ in range(size >> 20):
                file.write(bytes(1 << 20))
    return output.getvalue()


def many(count, crc=0):
    """Empty files, each with its own header; the last has the name of the first."""
    body, directory = io.BytesIO(), io.BytesIO()
    for index in range(count):
        name = b"assets/images/%d.png" % (index % (count - 1))
        directory.write(central(name, 0, 0, crc, body.tell(), method=0))
        body.write(local(name, 0, 0, crc, method=0))
    start, size = body.tell(), directory.tell()
    # APPNOTE 4.3.14 and 4.3.15.
    wide = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, start)
    wide += struct.pack("<IIQI", 0x07064B50, 0, start + size, 1)
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return body.getvalue() + directory.getvalue() + wide + end


def declared(size):
    """An entry of a few bytes that declares many, in a zip64 field."""
    packed = deflated(b"hello")
    field = struct.pack("<HHQQ", 1, 16, size, len(packed))
    name, crc = b"index.html", zlib.crc32(b"hello")
    head = struct.pack("<IHHHHHIIIHH", 0x04034B50, 45, 0, 8, 0, 0x21, crc, 0xFFFFFFFF, 0xFFFFFFFF, len(name), len(field))
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 45, 45, 0, 8, 0, 0x21, crc, 0xFFFFFFFF, 0xFFFFFFFF, len(name),
                        len(field), 0, 0, 0, 0, 0)
    return closed(head + name + field + packed, entry + name + field, 1)


def bombs():
    """Name, bytes, and rules that must be among those that refuse it."""
    yield "bomb/full overlap, 1,000 entries over 10 MiB", full_overlap(1000, 10 << 20), {"overlap", "ratio"}
    yield "bomb/quoted overlap, 250 entries over 20 MiB", quoted_overlap(250, 20 << 20), {"overlap", "ratio"}
    yield "bomb/quoted overlap, 250 entries over 600 KB", quoted_overlap(250, 600_000), {"overlap", "ratio"}
    yield "bomb/1,000:1, 1 GiB", zeros(1 << 30), {"ratio"}
    yield "bomb/more than 100,000 entries", many(100_001), {"too-many-entries"}
    yield "bomb/100,000 entries, all to be read to find what is wrong", many(100_000), {"duplicate"}
    yield "bomb/100,000 entries, each wrong", many(100_000, crc=1), {"duplicate", "crc-mismatch"}
    yield "bomb/4 GiB declared", declared(4 << 30), {"ratio"}
    yield "bomb/more than 4 GiB declared", declared((4 << 30) + 1), {"entry-too-large"}
    yield "bomb/2^46 bytes declared", declared(1 << 46), {"entry-too-large", "unpacked-too-large"}
