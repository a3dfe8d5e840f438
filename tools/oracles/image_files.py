"""Small pictures of every kind that the image preprocessor reads or refuses, by arithmetic."""

import io
import struct
import zlib

import numpy as np
from PIL import Image, ImageDraw

GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2)]  # left, top, step right, step down of each pass


def scene(width, height, seed=7):
    """Gradients, letter-like strokes and noise: smooth, sharp and rough parts in one picture."""
    x, y = np.meshgrid(np.arange(width) / width, np.arange(height) / height)
    planes = np.stack([255 * x, 255 * y, 127 + 120 * np.sin(9 * x * y + 3 * x)], -1)
    noise = np.random.default_rng(seed).normal(0, 25, planes.shape)
    planes += noise * (x > 0.6)[..., None]
    image = Image.fromarray(planes.clip(0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    for i in range(4):
        left = width * (0.1 + 0.12 * i)
        draw.line([left, height * 0.2, left + width * 0.08, height * 0.7], fill=(10, 10, 10))
        draw.rectangle([left, height * 0.75, left + 2, height * 0.85], fill=(250, 250, 40))
    return image


def alpha_of(width, height):
    """Every degree of transparency, with a hole."""
    x, y = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 1, height))
    alpha = (x * (0.5 + y / 2)).astype(np.uint8)
    alpha[height // 3: height // 2, width // 3: width // 2] = 0
    return alpha


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def header(width, height, depth, colour, interlaced=False):
    fields = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", fields)


def packed_rows(pixels, depth):
    """Each row with filter 0 before it; `pixels` is [height, width, channels]."""
    rows = []
    for row in pixels.reshape(pixels.shape[0], -1):
        if depth == 16:
            data = row.astype(">u2").tobytes()
        elif depth == 8:
            data = row.astype(np.uint8).tobytes()
        else:
            bits = (row[:, None] >> np.arange(depth - 1, -1, -1)) & 1
            data = np.packbits(bits.astype(np.uint8).ravel()).tobytes()
        rows.append(b"\0" + data)
    return b"".join(rows)


def png(pixels, depth, colour, interlaced=False, between=b"", behind=b""):
    """PNG as its specification says; Pillow writes neither 16-bit colours nor interlaced files."""
    height, width = pixels.shape[:2]
    pixels = pixels.reshape(height, width, CHANNELS[colour])
    parts = [pixels]
    if interlaced:
        parts = [pixels[y0::dy, x0::dx] for x0, y0, dx, dy in ADAM7]
    data = b"".join(packed_rows(part, depth) for part in parts if part.size)
    return (header(width, height, depth, colour, interlaced) + between
            + chunk(b"IDAT", zlib.compress(data, 9)) + behind + chunk(b"IEND", b""))


def saved(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def exif(orientation):
    note = Image.Exif()
    note[0x0112] = orientation
    return note.tobytes()


def png_files():
    width, height = 45, 37
    image = scene(width, height)
    colours = np.asarray(image).astype(int)
    grey = np.asarray(image.convert("L")).astype(int)
    alpha = alpha_of(width, height).astype(int)
    low = np.random.default_rng(3).integers(0, 256, (height, width, 3))  # below the upper 8 bits
    rgba = np.dstack([colours, alpha])
    palette = image.quantize(32)
    indices = np.asarray(palette).astype(int)
    table = np.asarray(palette.getpalette()[: 32 * 3], dtype=np.uint8)
    key = struct.pack(">HHH", *(int(value) for value in colours[5, 5]))
    plte = chunk(b"PLTE", table.tobytes())
    return {
        "rgb.png": png(colours, 8, RGB),
        "rgba.png": png(rgba, 8, RGBA),
        "rgba_interlaced.png": png(rgba, 8, RGBA, interlaced=True),
        "rgb16.png": png(colours * 256 + low, 16, RGB),
        "rgba16_interlaced.png": png(rgba * 256 + low[..., :1], 16, RGBA, interlaced=True),
        "grey.png": png(grey, 8, GREY),
        "grey16.png": png(grey * 256 + low[..., 0], 16, GREY),
        "grey_alpha.png": png(np.dstack([grey, alpha]), 8, GREY_ALPHA),
        "grey1.png": png(grey >> 7, 1, GREY),
        "grey2.png": png(grey >> 6, 2, GREY, interlaced=True),
        "grey4.png": png(grey >> 4, 4, GREY),
        "keyed.png": png(colours, 8, RGB, between=chunk(b"tRNS", key)),
        "palette.png": png(indices, 8, PALETTE, between=plte),
        "palette_alpha.png": png(indices, 8, PALETTE,
                                 between=plte + chunk(b"tRNS", bytes(range(0, 256, 8)))),
        "exif6.png": png(colours, 8, RGB, between=chunk(b"eXIf", exif(6)[6:])),
        "pixel.png": png(np.array([[[10, 200, 30]]]), 8, RGB),
        "narrow.png": png(colours[:, 20:21], 8, RGB),
        "wide.png": png(rgba[10:13], 8, RGBA),
    }


def jpeg_files():
    image = scene(45, 37)
    large = scene(180, 150)
    cmyk = saved(image.convert("CMYK"), "JPEG", quality=92)
    adobe = cmyk.index(b"Adobe")
    files = {
        "rgb.jpg": saved(image, "JPEG", quality=90),
        "rgb_444.jpg": saved(image, "JPEG", quality=95, subsampling=0),
        "progressive.jpg": saved(image, "JPEG", quality=90, progressive=True),
        "restarts.jpg": saved(image, "JPEG", quality=90, restart_marker_blocks=2),
        "grey.jpg": saved(image.convert("L"), "JPEG", quality=90),
        "cmyk.jpg": cmyk,
        # The same numbers, declared as YCCK: other colours, but a valid file of that kind.
        "ycck.jpg": cmyk[: adobe + 11] + b"\x02" + cmyk[adobe + 12:],
        "pixel.jpg": saved(Image.new("RGB", (1, 1), (200, 90, 40)), "JPEG"),
        "large.jpg": saved(large, "JPEG", quality=70),
    }
    for orientation in range(1, 9):
        files[f"exif{orientation}.jpg"] = saved(image.crop((0, 0, 24, 17)), "JPEG", quality=80,
                                                exif=exif(orientation))
    return files


def animated(first_frame_data):
    """Two frames of one pixel; the first is the default picture."""
    frame = struct.pack(">IIIIHHBB", 1, 1, 0, 0, 1, 10, 0, 0)
    second = struct.pack(">I", 2) + zlib.compress(b"\0\x01\x02\x03")
    return (header(1, 1, 8, RGB) + chunk(b"acTL", struct.pack(">II", 2, 0))
            + chunk(b"fcTL", struct.pack(">I", 0) + frame) + chunk(b"IDAT", first_frame_data)
            + chunk(b"fcTL", struct.pack(">I", 1) + frame) + chunk(b"fdAT", second)
            + chunk(b"IEND", b""))


def refused_files():
    zeros = zlib.compress(bytes(40_000_000), 9)  # 40 KB
    one = Image.new("RGB", (3, 2), (1, 2, 3))
    return {
        "huge_header.png": (header(20000, 20000, 8, RGB) + chunk(b"IDAT", b"")
                            + chunk(b"IEND", b"")),
        "bomb.png": (header(16000, 20000, 1, GREY) + chunk(b"IDAT", zeros[:500])
                     + chunk(b"IEND", b"")),
        "bomb_behind.png": header(1, 1, 8, RGB) + chunk(b"IDAT", zeros) + chunk(b"IEND", b""),
        "animated_broken.png": animated(b"\x78\x9c\xff\xff\xff"),
        "one.gif": saved(one, "GIF"),
        "one.webp": saved(one, "WEBP", lossless=True),
        "one.bmp": saved(one, "BMP"),
        "one.tif": saved(one, "TIFF"),
        "one.avif": saved(one, "AVIF"),
    }


def all_files():
    accepted = {**png_files(), **jpeg_files()}
    accepted["animated.png"] = animated(zlib.compress(b"\0\x0a\x14\x1e"))
    return accepted, refused_files()
