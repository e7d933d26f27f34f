"""Just enough of PNG to compare small screenshots: 8-bit RGB or RGBA without interlacing, as Chromium writes it."""

import struct
import zlib


def pixels(data):
    """(width, height, rows): each row is a list of (red, green, blue)."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG file")
    at, compressed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            compressed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlaced = header
    if depth != 8 or colour not in (2, 6) or interlaced:
        raise ValueError("not 8-bit RGB or RGBA")
    channels = 3 if colour == 2 else 4
    return width, height, _rows(zlib.decompress(compressed), width, height, channels)


def _rows(raw, width, height, channels):
    stride = width * channels
    before = bytearray(stride)
    rows = []
    for y in range(height):
        start = y * (stride + 1)
        line = bytearray(raw[start + 1:start + 1 + stride])
        _unfilter(raw[start], line, before, channels)
        rows.append([tuple(line[x:x + 3]) for x in range(0, stride, channels)])
        before = line
    return rows


def _unfilter(kind, line, before, channels):
    for i in range(len(line)):
        left = line[i - channels] if i >= channels else 0
        above = before[i]
        corner = before[i - channels] if i >= channels else 0
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + above) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + above) // 2) & 255
        elif kind == 4:
            guess = left + above - corner
            distances = (abs(guess - left), abs(guess - above), abs(guess - corner))
            line[i] = (line[i] + (left, above, corner)[distances.index(min(distances))]) & 255
        elif kind != 0:
            raise ValueError("unknown filter")
