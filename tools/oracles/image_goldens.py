"""Writes tests/data/modality/image: pictures, settings and what Pillow makes of them.

    image_goldens.py [OUT_FOLDER]

cases.yaml lists the cases; a case's expected tensor begins `at` a byte of expected.bin, one byte a
value, since all ask for `scale: 1`. What Pillow lacks comes from elsewhere: resizing without
antialias from ONNX Runtime, the upper 8 bits of a 16-bit grey from numpy.
"""

import io
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from PIL import Image, ImageOps

import image_files

FILTERS = {"bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "nearest": Image.NEAREST}
COLOURS = {"white": (255, 255, 255), "black": (0, 0, 0)}


def opened(data):
    image = Image.open(io.BytesIO(data))
    if image.mode.startswith("I;16"):  # Pillow cuts 16-bit greys at 255: everything becomes white
        upper = (np.asarray(image) >> 8).astype(np.uint8)
        return Image.fromarray(upper)
    return image


def flattened(image, background):
    """RGB, with what is transparent laid on the background."""
    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    image = image.convert("RGBA")
    under = Image.new("RGBA", image.size, background + (255,))
    under.paste(image, (0, 0), image)
    return under.convert("RGB")


def squared(image, background):
    side = max(image.size)
    square = Image.new(image.mode, (side, side), background)
    square.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    return square


def rows_first(image, size, interpolation):
    """Image.resize of Pillow up to 12. From 13 on it begins with the columns where that is less
    work; two calls give the old order. The difference is in the rounding between the passes."""
    result = image.resize((size[0], image.height), interpolation).resize(size, interpolation)
    difference = np.abs(np.asarray(image.resize(size, interpolation)).astype(int) - result)
    assert difference.max() <= 1 or interpolation == Image.BICUBIC, difference.max()
    return result


def resized_to_shorter(image, length, interpolation):
    """torchvision.transforms.Resize(length)."""
    width, height = image.size
    if width <= height:
        return rows_first(image, (length, int(length * height / width)), interpolation)
    return rows_first(image, (int(length * width / height), length), interpolation)


def centre_crop(image, height, width):
    """torchvision.transforms.CenterCrop((height, width))."""
    top = int(round((image.height - height) / 2.0))
    left = int(round((image.width - width) / 2.0))
    return image.crop((left, top, left + width, top + height))


def onnx_resize(image, height, width, mode):
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode=mode, cubic_coeff_a=-0.75,
                            coordinate_transformation_mode="half_pixel")
    graph = helper.make_graph(
        [node], "resize",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, None, None])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3, height, width])],
        [helper.make_tensor("sizes", TensorProto.INT64, [4], [1, 3, height, width])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    planes = np.asarray(image).transpose(2, 0, 1)[None].astype(np.float32)
    return np.rint(session.run(None, {"x": planes})[0][0]).clip(0, 255).astype(np.uint8)


def expected(data, settings):
    """[channels, height, width], or channels last."""
    background = settings.get("background", "white")
    background = COLOURS[background] if isinstance(background, str) else tuple(background)
    interpolation = FILTERS[settings.get("resize", "bilinear")]
    image = opened(data)
    if settings.get("draft"):
        image.draft("RGB", (settings["size"][1], settings["size"][0]))
    if settings.get("exif", True):
        image = ImageOps.exif_transpose(image)
    image = flattened(image, background)
    channels = settings.get("channels", "rgb")
    if channels == "grey":
        image = image.convert("L")
        background = Image.new("RGB", (1, 1), background).convert("L").getpixel((0, 0))
    if settings.get("pad") == "square":
        image = squared(image, background)
    fit = settings.get("fit", "stretch")
    if fit == "stretch":
        height, width = settings["size"]
        if not settings.get("antialias", True):
            mode = {"bilinear": "linear", "bicubic": "cubic"}[settings.get("resize", "bilinear")]
            return onnx_resize(image, height, width, mode)
        image = rows_first(image, (width, height), interpolation)
    else:
        image = resized_to_shorter(image, settings["resize_to"], interpolation)
        if fit == "crop":
            image = centre_crop(image, *settings["size"])
    planes = np.atleast_3d(np.asarray(image))
    if channels == "bgr":
        planes = planes[..., ::-1]
    return planes if settings.get("layout") == "nhwc" else planes.transpose(2, 0, 1)


def quality(data):
    """Of the upright picture, all rows, as the preprocessor measures below 256 rows."""
    image = flattened(ImageOps.exif_transpose(opened(data)), (255, 255, 255))
    grey = np.asarray(image.convert("L")).astype(float)
    inner = grey[1:-1, 1:-1]
    laplacian = grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:] - 4 * inner
    return {
        "width": image.width, "height": image.height,
        "blur": round(laplacian.var(), 6) if laplacian.size else 0,
        "brightness": round(grey.mean() / 255, 9),
        "clipped": round(np.isin(grey, (0, 255)).mean(), 9),
    }


def cases(accepted):
    """(file, settings): each kind of file once, then each setting on a few files."""
    for name in accepted:
        yield name, {"size": [20, 24]}
    for resize in FILTERS:
        for size in ([9, 11], [60, 71], [20, 80], [37, 45], [1, 1]):
            yield "rgb.png", {"size": size, "resize": resize}
    for resize in ("bilinear", "bicubic"):
        for size in ([9, 11], [60, 71], [37, 45], [1, 1]):
            yield "rgb.png", {"size": size, "resize": resize, "antialias": False}
    for background in ("white", "black", [12, 250, 99]):
        for pad in ("none", "square"):
            yield "rgba.png", {"size": [16, 16], "pad": pad, "background": background}
    yield "wide.png", {"size": [16, 16], "pad": "square", "resize": "bicubic"}
    yield "narrow.png", {"size": [16, 16], "pad": "square", "background": "black"}
    yield "narrow.png", {"size": [50, 3]}
    for name in ("rgb.png", "exif6.jpg", "exif5.jpg", "wide.png"):
        for length in (16, 17, 40):
            yield name, {"fit": "shorter_side", "resize_to": length}
            yield name, {"fit": "crop", "resize_to": length, "size": [15, 16]}
            yield name, {"fit": "crop", "resize_to": length, "size": [16, 7], "resize": "bicubic"}
    for channels in ("rgb", "bgr", "grey"):
        for layout in ("nchw", "nhwc"):
            yield "rgba.png", {"size": [12, 10], "channels": channels, "layout": layout}
    yield "wide.png", {"size": [12, 12], "channels": "grey", "pad": "square",
                       "background": [9, 99, 199]}
    yield "exif6.jpg", {"size": [20, 24], "exif": False}
    for side in (16, 37, 75):
        yield "large.jpg", {"size": [side, side], "draft": True}
        yield "large.jpg", {"size": [side, side]}


def in_yaml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {in_yaml(each)}" for key, each in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/modality/image"
    out.mkdir(parents=True, exist_ok=True)
    accepted, refused = image_files.all_files()
    for name, data in {**accepted, **refused}.items():
        (out / name).write_bytes(data)
    lines = ["# Made by tools/oracles/image_goldens.py with Pillow " + Image.__version__]
    values = bytearray()
    for name, settings in cases(accepted):
        tensor = np.ascontiguousarray(expected(accepted[name], settings))
        case = {"file": name, "at": len(values), "shape": [1, *tensor.shape],
                "settings": {**settings, "scale": 1}}
        if settings == {"size": [20, 24]}:
            case["quality"] = quality(accepted[name])
        lines.append("- " + in_yaml(case))
        values += tensor.tobytes()
    (out / "expected.bin").write_bytes(values)
    (out / "cases.yaml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
