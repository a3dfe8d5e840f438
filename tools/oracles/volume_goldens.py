"""Writes tests/data/modality/volume: small volumes, settings, and what nibabel and scipy make of them.

    volume_goldens.py [OUT_FOLDER]

cases.yaml lists the cases; a case's expected tensor begins `at` a byte of expected.bin, as float32.
Reading, scaling and turning are nibabel's; resampling is scipy.ndimage's or nibabel.processing's;
cropping and padding are written out as MONAI's CenterSpatialCrop and SpatialPad define them.
"""

import gzip
import io
import pathlib
import sys

import nibabel
import nibabel.orientations
import nibabel.processing
import numpy as np
import scipy
import scipy.ndimage


def smooth(shape, seed, low=-900.0, high=1200.0):
    noise = np.random.default_rng(seed).normal(size=shape)
    values = scipy.ndimage.gaussian_filter(noise, 1.0)
    values = (values - values.min()) / np.ptp(values)
    return low + values * (high - low)


def rotation(x, y, z):
    """Of degrees around the three axes."""
    x, y, z = np.deg2rad([x, y, z])
    about_x = [[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]]
    about_y = [[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]]
    about_z = [[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]]
    return np.array(about_z) @ np.array(about_y) @ np.array(about_x)


def affine_of(axes, spacing, turn=(0, 0, 0), origin=(-31, 12, 7)):
    """`axes` are nibabel's axcodes of the file's axes."""
    affine = np.eye(4)
    ornt = nibabel.orientations.axcodes2ornt(axes)
    for voxel_axis, (world_axis, sign) in enumerate(ornt):
        affine[:3, voxel_axis] = 0
        affine[int(world_axis), voxel_axis] = sign * spacing[voxel_axis]
    affine[:3, :3] = rotation(*turn) @ affine[:3, :3]
    affine[:3, 3] = origin
    return affine


def nifti_bytes(data, affine, version=1, sform=True, qform=True, slope=None, inter=None,
                order="<", edit=None):
    kind = nibabel.Nifti1Image if version == 1 else nibabel.Nifti2Image
    header = kind.header_class(endianness=order)
    header.set_data_dtype(data.dtype)
    image = kind(data, affine, header)
    image.set_sform(affine, code=1 if sform else 0)
    image.set_qform(affine, code=1 if qform else 0)
    if slope is not None:
        image.header["scl_slope"], image.header["scl_inter"] = slope, inter
    if edit:
        edit(image.header)
    # Written by hand: nibabel's own writer would choose another slope.
    offset = 352 if version == 1 else 544
    image.header["vox_offset"] = offset
    image.header["magic"] = b"n+1" if version == 1 else b"n+2\0\r\n\x1a\n"
    start = image.header.binaryblock + b"\0\0\0\0"
    assert len(start) == offset
    return start + data.astype(data.dtype.newbyteorder(order)).tobytes(order="F")


def zipped(data):
    return gzip.compress(data, 9, mtime=0)


def npy_bytes(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def volumes():
    """name → bytes."""
    shape = (11, 13, 9)
    ct = np.rint(smooth(shape, 1)).astype(np.int16)
    files = {
        "ct.nii.gz": zipped(nifti_bytes(ct, affine_of("LPS", (0.8, 0.8, 2.5)))),
        "ct_ras.nii": nifti_bytes(ct, affine_of("RAS", (0.8, 0.9, 2.5))),
        "ct_big.nii": nifti_bytes(ct, affine_of("PIR", (0.8, 0.8, 2.5)), order=">"),
        "oblique.nii.gz": zipped(nifti_bytes(ct, affine_of("LAS", (1.1, 0.7, 3.0), (12, -8, 5)))),
        "turned.nii.gz": zipped(nifti_bytes(ct, affine_of("SPR", (1.1, 0.7, 2.0), (31, 20, -17)))),
        "qform.nii": nifti_bytes(ct, affine_of("LPI", (1.1, 0.7, 2.0), (12, 20, 5)), sform=False),
        "neither.nii": nifti_bytes(ct, affine_of("RPS", (1.0, 2.0, 3.0)), sform=False, qform=False),
        "nifti2.nii.gz": zipped(nifti_bytes(ct, affine_of("IAL", (2, 1, 1.5)), version=2)),
        "nifti2_big.nii": nifti_bytes(ct, affine_of("ASL", (2, 1, 1.5)), version=2, order=">",
                                      sform=False),
        "scaled.nii.gz": zipped(nifti_bytes(ct, affine_of("LPS", (1, 1, 1)), slope=0.03125,
                                            inter=-1024.5)),
        "slope0.nii.gz": zipped(nifti_bytes(ct, affine_of("LPS", (1, 1, 1)), slope=0, inter=7)),
        "slope_nan.nii.gz": zipped(nifti_bytes(ct, affine_of("LPS", (1, 1, 1)), edit=lambda h:
                                               (h.__setitem__("scl_slope", np.nan),
                                                h.__setitem__("scl_inter", np.nan)))),
        "four.nii.gz": zipped(nifti_bytes(np.stack([ct, ct[::-1], ct // 3], -1),
                                          affine_of("LPS", (1, 1, 2)))),
        "four_one.nii.gz": zipped(nifti_bytes(ct[..., None], affine_of("LPS", (1, 1, 2)))),
        "flat.nii.gz": zipped(nifti_bytes(ct[:, :, 3], affine_of("LPS", (1, 1, 2)))),
        "one.nii": nifti_bytes(ct[:1, :1, :1], affine_of("RAS", (1, 1, 1))),
        "slice.nii.gz": zipped(nifti_bytes(ct[:, :, :1], affine_of("RAS", (1, 1, 5)))),
        "mask.nii.gz": zipped(nifti_bytes((ct > 300).astype(np.uint8),
                                          affine_of("LPS", (0.8, 0.8, 2.5)))),
        "two_members.nii.gz": zipped(nifti_bytes(ct, affine_of("LPS", (1, 1, 1)))[:700])
        + zipped(nifti_bytes(ct, affine_of("LPS", (1, 1, 1)))[700:]),
        "constant.nii.gz": zipped(nifti_bytes(np.full((4, 5, 6), 7, np.int16),
                                              affine_of("RAS", (1, 1, 1)))),
    }
    for dtype in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"):
        for order in "<>":
            kind = np.dtype(dtype)
            low, high = (-100, 120) if dtype == "i1" else (0, 250) if kind.kind == "u" else (-900, 1e3)
            if dtype in ("u4", "i8", "u8"):
                high = 2.0**31
            values = smooth((6, 5, 4), 2, low, high)
            data = (values if kind.kind == "f" else np.rint(values)).astype(kind)
            name = f"{dtype}_{'little' if order == '<' else 'big'}.nii"
            files[name] = nifti_bytes(data, affine_of("LPS", (1, 1, 2)), order=order)
    broken = smooth((6, 5, 4), 3).astype(np.float32)
    broken[1, 2, 3], broken[4, 0, 0], broken[5, 4, 3] = np.nan, np.inf, -np.inf
    files["not_finite.nii.gz"] = zipped(nifti_bytes(broken, affine_of("RAS", (1, 1, 1))))
    array = smooth((5, 7, 6), 4).astype(np.float32)
    files["array.npy"] = npy_bytes(array)
    files["array_fortran.npy"] = npy_bytes(np.asfortranarray(array))
    files["array_big.npy"] = npy_bytes(np.rint(array).astype(">i2"))
    files["channels.npy"] = npy_bytes(np.stack([array, array + 5]))
    files["channels_fortran.npy.gz"] = zipped(npy_bytes(np.asfortranarray(np.stack([array, array + 5]))))
    files["bools.npy"] = npy_bytes(array > 100)
    return files


def hostile():
    """name → bytes that are refused."""
    ct = np.rint(smooth((11, 13, 9), 1)).astype(np.int16)
    whole = nifti_bytes(ct, affine_of("RAS", (1, 1, 1)))

    def promising(*extents):
        header = bytearray(whole[:352])
        header[40:48] = np.array([3, *extents], "<i2").tobytes()
        return zipped(bytes(header))

    return {
        "bomb_behind.nii.gz": zipped(whole + bytes(40_000_000)),
        "promises.nii.gz": promising(1024, 512, 512),
        "less.nii.gz": promising(256, 256, 256),
        "short.nii.gz": promising(40, 40, 20),
    }


def opened(name, data, orientation):
    """[channels, x, y, z] in float64, turned, and the spacing of its axes."""
    if ".npy" in name:
        array = np.load(io.BytesIO(gzip.decompress(data) if name.endswith(".gz") else data))
        array = array.astype(np.float64)
        return (array[None] if array.ndim == 3 else array), None
    raw = gzip.decompress(data) if name.endswith(".gz") else data
    kind = nibabel.Nifti2Image if raw[:4] in (b"\x1c\x02\0\0", b"\0\0\x02\x1c") else nibabel.Nifti1Image
    image = kind.from_bytes(raw)
    array = image.get_fdata()
    array = array.reshape(array.shape + (1,) * max(0, 3 - array.ndim))
    affine = image.affine
    channels = [array] if array.ndim == 3 else [array[..., i] for i in range(array.shape[3])]
    turned = []
    for channel in channels:
        each = nibabel.Nifti1Image(channel, affine)
        if orientation != "file":
            each = each.as_reoriented(nibabel.orientations.ornt_transform(
                nibabel.io_orientation(affine), nibabel.orientations.axcodes2ornt(orientation)))
        turned.append(each)
    return (np.stack([each.get_fdata() for each in turned]),
            nibabel.affines.voxel_sizes(turned[0].affine))


def zoomed(volume, shape, grid, order):
    zoom = [after / before for after, before in zip(shape, volume.shape)]
    result = scipy.ndimage.zoom(volume, zoom, order=order, mode="nearest", grid_mode=grid == "edges")
    assert result.shape == tuple(shape), (result.shape, shape)
    return result


def resampled(volume, spacing, settings):
    order = 0 if settings.get("resample") == "nearest" else 1
    grid = settings.get("grid", "corners")
    if settings.get("fit", "crop" if "spacing" in settings else "stretch") == "stretch" and "size" in settings:
        return zoomed(volume, settings["size"], grid, order)
    if "spacing" not in settings:
        return volume
    target = np.broadcast_to(settings["spacing"], 3)
    if grid == "origin":  # of the turned volume, along its own axes
        image = nibabel.Nifti1Image(volume, np.diag([*spacing, 1]))
        return nibabel.processing.resample_to_output(image, target, order=order,
                                                     cval=settings.get("fill", 0)).get_fdata()
    shape = [max(1, round(n * a / b)) for n, a, b in zip(volume.shape, spacing, target)]
    return zoomed(volume, shape, grid, order)


def cut(volume, size):
    slices = []
    for extent, wanted in zip(volume.shape, size):
        begin = max(extent // 2 - wanted // 2, 0)
        slices.append(slice(begin, min(begin + wanted, extent)))
    return volume[tuple(slices)]


def padded(volume, size, value):
    width = [((wanted - extent) // 2, wanted - extent - (wanted - extent) // 2)
             for extent, wanted in zip(volume.shape, size)]
    return np.pad(volume, width, constant_values=value)


def standardised(volume, mask):
    mean, std = volume[mask].mean(), volume[mask].std()
    varies = std > 1e-9 * abs(mean)  # below it is rounding of the mean
    return np.where(mask, (volume - mean) / (std if varies else 1), volume)


def expected(name, data, settings):
    return expected_of(*opened(name, data, settings.get("orientation", "RAS")), settings)


def expected_of(channels, spacing, settings):
    """The tensor and the quality numbers of [channels, x, y, z] as opened() gives it."""
    finite = np.abs(channels) <= np.finfo(np.float32).max
    channels = np.where(finite, channels, settings.get("fill", 0))
    result = []
    for volume in channels:
        shown = resampled(volume, spacing, settings)
        if "size" in settings:
            shown = cut(shown, settings["size"])
        if not result:
            quality = {"min": shown.min(), "max": shown.max(), "mean": shown.mean(), "std": shown.std(),
                       "clipped": 0}
        if "window" in settings:
            low, high = settings["window"]
            to_low, to_high = settings.get("window_to", (0, 1))
            if not result:
                quality["clipped"] = np.mean((shown < low) | (shown > high))
            shown = (np.clip(shown, low, high) - low) / (high - low) * (to_high - to_low) + to_low
        if settings.get("normalise") == "zscore":
            shown = standardised(shown, np.ones(shown.shape, bool))
        if settings.get("normalise") == "zscore_nonzero":
            shown = standardised(shown, shown != 0)
        shown = (shown - settings.get("mean", 0)) / settings.get("std", 1)
        if "size" in settings:
            shown = padded(shown, settings["size"], settings.get("pad", 0))
        result.append(shown)
    quality["nan_share"] = 1 - finite.mean()
    axes = ("depth", "height", "width")
    quality |= dict(zip(axes, channels.shape[1:]))
    quality |= {f"spacing_{axis}": 0 if spacing is None else spacing[i] for i, axis in enumerate(axes)}
    quality = {key: float(f"{value:.9g}") for key, value in quality.items()}
    return np.stack(result).astype(np.float32)[None], quality


def cases(files):
    for name in files:
        channels = {"four.nii.gz": 3, "channels.npy": 2, "channels_fortran.npy.gz": 2}.get(name)
        more = {"channels": channels} if channels else {}
        yield name, {"size": [5, 6, 7], **more}
        yield name, more
    for orientation in ("RAS", "LPS", "SPL", "AIR", "file"):
        for name in ("ct.nii.gz", "turned.nii.gz", "oblique.nii.gz"):
            yield name, {"size": [8, 5, 12], "orientation": orientation}
    for grid in ("corners", "edges"):
        for size in ([1, 1, 1], [2, 30, 9], [11, 13, 9], [22, 26, 18], [1, 7, 3]):
            for resample in ("linear", "nearest"):
                yield "ct.nii.gz", {"size": size, "grid": grid, "resample": resample}
        yield "slice.nii.gz", {"size": [6, 6, 6], "grid": grid}
        yield "one.nii", {"size": [2, 3, 1], "grid": grid}
    for grid in ("corners", "edges", "origin"):
        for spacing in ([1.37, 1.37, 1.37], [0.61, 1.93, 0.83], [30, 30, 30]):
            yield "ct.nii.gz", {"spacing": spacing, "grid": grid}
            yield "ct_ras.nii", {"spacing": spacing, "grid": grid, "size": [10, 9, 12], "pad": -1}
        yield "ct_big.nii", {"spacing": [1.3, 1.3, 1.3], "grid": grid, "resample": "nearest"}
    yield "ct.nii.gz", {"spacing": [0.7, 0.7, 0.7], "grid": "origin", "fill": -1000}
    yield "oblique.nii.gz", {"spacing": [1.5, 1.5, 1.5]}
    for size in ([4, 4, 4], [11, 13, 9], [20, 20, 20], [5, 20, 8], [12, 2, 9]):
        yield "ct_ras.nii", {"size": size, "fit": "crop", "pad": 3}
        yield "turned.nii.gz", {"size": size, "fit": "crop"}
    for window in ({"window": [-200, 300]}, {"window": [-200, 300], "window_to": [-1, 1]},
                   {"window": [-1000, 3000]}):
        yield "ct.nii.gz", {"size": [8, 8, 8], **window}
        yield "scaled.nii.gz", {"size": [8, 8, 8], **window}
        yield "ct.nii.gz", {"size": [16, 16, 4], "fit": "crop", "normalise": "zscore", **window}
    for normalise in ("zscore", "zscore_nonzero"):
        for name in ("ct.nii.gz", "mask.nii.gz", "constant.nii.gz", "scaled.nii.gz"):
            yield name, {"size": [7, 7, 7], "normalise": normalise}
        yield "four.nii.gz", {"size": [7, 7, 7], "normalise": normalise, "channels": 3}
    yield "ct.nii.gz", {"size": [7, 7, 7], "mean": 120.5, "std": 300}
    yield "ct.nii.gz", {"size": [7, 7, 7], "window": [-500, 500], "mean": 0.25, "std": 0.5}
    yield "not_finite.nii.gz", {"fill": -1000}
    yield "not_finite.nii.gz", {"size": [4, 4, 4], "window": [-500, 500]}


def in_yaml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {in_yaml(each)}" for key, each in value.items()) + "}"
    return str(value)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/modality/volume"
    out.mkdir(parents=True, exist_ok=True)
    files = volumes()
    for name, data in files.items():
        (out / name).write_bytes(data)
    (out / "hostile").mkdir(exist_ok=True)
    for name, data in hostile().items():
        (out / "hostile" / name).write_bytes(data)
    lines = [f"# Made by tools/oracles/volume_goldens.py with nibabel {nibabel.__version__}, "
             f"scipy {scipy.__version__}"]
    values = bytearray()
    for name, settings in cases(files):
        tensor, quality = expected(name, files[name], settings)
        case = {"file": name, "at": len(values), "shape": list(tensor.shape), "settings": settings,
                "quality": quality}
        lines.append("- " + in_yaml(case))
        values += tensor.tobytes()
    (out / "expected.bin").write_bytes(values)
    (out / "cases.yaml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
