"""Writes tests/data/modality/volume/dicom: DICOM files and series, settings, and what pydicom, nibabel
and scipy make of them; and files that are refused, with what the refusal says.

    dicom_goldens.py [OUT_FOLDER]

Values are pydicom's, with numpy for bits and slopes; compressed frames are decoded by pylibjpeg, which is
another decoder than ours. Order and places are written out here. What follows is volume_goldens.py's.
"""

import io
import pathlib
import re
import struct
import sys
import zipfile

import nibabel
import nibabel.orientations
import numpy as np
import pydicom
import pydicom.data
import pydicom.uid
import scipy

import dicom_files as make
from dicom_files import AXIAL, OBLIQUE, SAGITTAL, archive, file_bytes, series, slices
from volume_goldens import expected_of, in_yaml

FOREIGN = ["CT_small.dcm", "MR_small.dcm", "MR_small_RLE.dcm", "MR_small_bigendian.dcm",
           "MR_small_implicit.dcm", "MR_small_jp2klossless.dcm", "MR_small_jpeg_ls_lossless.dcm",
           "MR_small_padded.dcm", "JPEG2000.dcm", "JPGExtended.dcm", "JPEGLSNearLossless_08.dcm",
           "JPEGLSNearLossless_16.dcm", "693_J2KI.dcm"]  # of pydicom, MIT licence
FOREIGN_REFUSED = {"SC_rgb_small_odd.dcm": "RGB", "SC_rgb_rle.dcm": "RGB",
                   "rtdose_1frame.dcm": "radiotherapy dose", "reportsi.dcm": "without pixels",
                   "image_dfl.dcm": "deflated", "MR_truncated.dcm": "cut short in its pixels",
                   "meta_missing_tsyntax.dcm": "no transfer syntax"}


def foreign(name):
    return pathlib.Path(pydicom.data.get_testdata_file(name)).read_bytes()


def files():
    """name → bytes that are read."""
    ct = make.ct_volume()
    wide = make.ct_volume((4, 40, 36))  # OpenJPEG packs no less than 32 pixels
    low = np.clip(ct // 8, -100, 100)
    rescale = {"RescaleSlope": "1", "RescaleIntercept": "-1024"}
    unsigned = (ct.astype(np.int32) + 1024).astype(np.uint16)
    overlays = unsigned % 4096 | (np.arange(unsigned.size).reshape(unsigned.shape) % 16 << 12).astype(np.uint16)
    twelve = {"BitsStored": 12, "HighBit": 11}
    result = {
        "axial.zip": series(slices(unsigned, **rescale)),
        "backwards.zip": series(slices(unsigned, step=-2.5, **rescale)),
        "sagittal.zip": series(slices(ct, SAGITTAL, step=1.25)),
        "oblique.zip": series(slices(ct, OBLIQUE, spacing=(0.5, 1.5))),
        "stored.zip": series(slices(ct[:3]), method=zipfile.ZIP_STORED, folder="../../../etc/"),
        "pet.zip": series(slices(unsigned, each=lambda i: {"RescaleSlope": f"{0.5 + i / 7:.6f}",
                                                           "RescaleIntercept": f"{i}"})),
        "overlays.zip": series(slices(overlays, **twelve, **rescale)),
        "high_bit.zip": series(slices((low << 4 | 9).astype(np.int16), BitsStored=12, HighBit=15)),
        "bytes.zip": series(slices((low + 100).astype(np.uint8))),
        "signed_bytes.zip": series(slices(low.astype(np.int8))),
        "words.zip": series(slices(unsigned.astype(np.uint32) * 1000)),
        "big_endian.zip": series(slices(ct, syntax=pydicom.uid.ExplicitVRBigEndian)),
        "implicit.zip": series(slices(ct, syntax=pydicom.uid.ImplicitVRLittleEndian)),
        "monochrome1.zip": series(slices(unsigned % 4096, PhotometricInterpretation="MONOCHROME1",
                                         **twelve, **rescale)),
        "monochrome1_signed.zip": series(slices(ct, PhotometricInterpretation="MONOCHROME1")),
        "rle.zip": series([make.compressed(each, pydicom.uid.RLELossless) for each in slices(ct)]),
        "jpeg2000.zip": series([make.compressed(each, pydicom.uid.JPEG2000Lossless)
                                for each in slices(wide)]),
        "jpeg_lossless.zip": series([make.as_jpeg_lossless(each) for each in slices(ct)]),
        "jpeg_lossless12.zip": series([make.as_jpeg_lossless(each) for each in slices(
            unsigned % 4096, **twelve)]),
        "enhanced.dcm": file_bytes(make.enhanced(ct, order=[3, 0, 6, 1, 5, 2, 4])),
        "enhanced_slopes.dcm": file_bytes(make.enhanced(ct, slopes=1 + np.arange(7) / 8)),
        "enhanced_implicit.dcm": file_bytes(make.enhanced(
            ct, syntax=pydicom.uid.ImplicitVRLittleEndian)),
        "enhanced_rle.dcm": file_bytes(make.compressed(make.enhanced(ct), pydicom.uid.RLELossless)),
        "enhanced_jpeg2000.dcm": file_bytes(make.compressed(make.enhanced(wide),
                                                            pydicom.uid.JPEG2000Lossless)),
        "single.dcm": file_bytes(slices(ct[:1], SAGITTAL, SliceThickness=3.25)[0]),
        "picture.dcm": file_bytes(make.dataset(unsigned[0], None, None, None)),
        "finder.zip": archive([file_bytes(each) for each in slices(ct[:3])] + [
            b"\0\5\x16\7" + bytes(60), foreign("dicomdirtests/DICOMDIR")]),
    }
    return result | {name: foreign(name) for name in FOREIGN}


def stored_values(data):
    """Of each frame, as whole numbers."""
    values = data.pixel_array
    values = values[None] if values.ndim == 2 else values
    if data.file_meta.TransferSyntaxUID.is_encapsulated:
        return values
    allocated, stored, high = data.BitsAllocated, data.BitsStored, data.HighBit
    values = np.left_shift(values, allocated - 1 - high)
    return np.right_shift(values, allocated - stored)


def frames_of(data, inverted):
    """(place, orientation, spacing, values in float64) of each frame of a file."""
    if data.file_meta.MediaStorageSOPClassUID == "1.2.840.10008.1.3.10":
        return
    groups = data.get("PerFrameFunctionalGroupsSequence")
    for i, stored in enumerate(stored_values(data)):
        stored = stored.astype(np.float64)
        if inverted and data.PhotometricInterpretation == "MONOCHROME1":
            stored = (-1 if data.PixelRepresentation else 2.0**data.BitsStored - 1) - stored
        if groups is None:
            place, scaling = data, data
            geometry = [data.get(key) for key in ("ImagePositionPatient", "ImageOrientationPatient",
                                                  "PixelSpacing")]
        else:
            shared = data.SharedFunctionalGroupsSequence[0]
            scaling = groups[i].PixelValueTransformationSequence[0]
            geometry = [groups[i].PlanePositionSequence[0].ImagePositionPatient,
                        shared.PlaneOrientationSequence[0].ImageOrientationPatient,
                        shared.PixelMeasuresSequence[0].PixelSpacing]
        slope, intercept = scaling.get("RescaleSlope", 1), scaling.get("RescaleIntercept", 0)
        yield *geometry, stored * float(slope) + float(intercept)


def datasets_of(name, raw):
    if not name.endswith(".zip"):
        return [pydicom.dcmread(io.BytesIO(raw))]
    with zipfile.ZipFile(io.BytesIO(raw)) as source:
        contents = [source.read(each) for each in source.namelist()]
    return [pydicom.dcmread(io.BytesIO(each)) for each in contents if each[128:132] == b"DICM"]


def opened(name, raw, settings):
    """As volume_goldens.opened()."""
    datasets = datasets_of(name, raw)
    frames = [frame for data in datasets
              for frame in frames_of(data, settings.get("monochrome1") == "inverted")]
    position, orientation, spacing, values = frames[0]
    if position is None:
        return values[None, None], None
    row, column = np.array(orientation[:3], float), np.array(orientation[3:], float)
    normal = np.cross(row, column)
    frames.sort(key=lambda frame: np.dot(np.array(frame[0], float), normal))
    places = np.array([frame[0] for frame in frames], float)
    thickness = datasets[0].get("SpacingBetweenSlices") or datasets[0].get("SliceThickness") or 1
    step = ((places[-1] - places[0]) @ normal / (len(frames) - 1) if len(frames) > 1
            else float(thickness))
    affine = np.eye(4)
    affine[:3] = np.stack([row * float(spacing[1]), column * float(spacing[0]), normal * step,
                           places[0]], 1)
    affine[:2] *= -1  # to RAS
    volume = np.stack([frame[3] for frame in frames]).transpose(2, 1, 0)
    image = nibabel.Nifti1Image(volume, affine)
    wanted = settings.get("orientation", "RAS")
    if wanted != "file":
        image = image.as_reoriented(nibabel.orientations.ornt_transform(
            nibabel.io_orientation(affine), nibabel.orientations.axcodes2ornt(wanted)))
    return image.get_fdata()[None], nibabel.affines.voxel_sizes(image.affine)


def cases(names):
    for name in names:
        # Large ones are shown small.
        yield name, {} if name in ("picture.dcm",) or name.endswith(".zip") else {"size": [9, 8, 7]}
    for orientation in ("LPS", "SPL", "file"):
        for name in ("axial.zip", "oblique.zip", "sagittal.zip", "enhanced.dcm"):
            yield name, {"size": [8, 5, 12], "orientation": orientation}
    for grid in ("corners", "edges", "origin"):
        yield "oblique.zip", {"spacing": [1.3, 1.3, 1.3], "grid": grid}
    yield "axial.zip", {"spacing": [1, 1, 1], "size": [10, 10, 20], "window": [-200, 300], "pad": -1}
    yield "pet.zip", {"size": [6, 6, 6], "normalise": "zscore"}
    yield "monochrome1.zip", {"monochrome1": "inverted"}
    yield "monochrome1_signed.zip", {"monochrome1": "inverted", "size": [6, 6, 6]}
    yield "axial.zip", {"monochrome1": "inverted", "size": [6, 6, 6]}
    yield "picture.dcm", {"size": [1, 20, 20]}
    yield "single.dcm", {"spacing": [1, 1, 1]}


def edited(data, **more):
    for key, value in more.items():
        setattr(data, key, value)
    return file_bytes(data)


def one(**more):
    return edited(slices(make.ct_volume()[:1])[0], **more)


def with_syntax(uid):
    data = one()
    old = b"1.2.840.10008.1.2.1\0"
    assert data.count(old) == 1
    return data.replace(b"\x02\0\x10\0UI" + struct.pack("<H", len(old)) + old,
                        b"\x02\0\x10\0UI" + struct.pack("<H", len(uid)) + uid)


def bomb(claimed):
    """A slice with a private element of `claimed` zeros before its pixels, in a zip."""
    whole = one()
    at = whole.index(b"\xe0\x7f\x10\0OW")
    element = struct.pack("<HH2sHI", 0x0029, 0x1010, b"OB", 0, claimed)
    return archive([whole[:at] + element + bytes(claimed) + whole[at:]])


def overlapping(data, times):
    """A directory that names one file many times."""
    at = data.rindex(b"PK\x05\x06")
    size, begin = struct.unpack_from("<II", data, at + 12)
    directory = data[begin:begin + size] * times
    return data[:begin] + directory + struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, times, times,
                                                  len(directory), begin, 0)


def refusals():
    """name → (bytes, code, what the error says)."""
    ct = make.ct_volume()
    wrong, foreign_kind, limit = "kInvalidArgument", "kUnsupported", "kExhausted"
    base = slices(ct)

    def changed(index, **more):
        each = slices(ct)
        for key, value in more.items():
            setattr(each[index], key, value)
        return series(each)

    sheared = slices(ct)
    for each in sheared:
        each.ImagePositionPatient[1] += 0.3 * each.ImagePositionPatient[2]
    moved = slices(ct)
    middle = sorted(moved, key=lambda each: each.ImagePositionPatient[2])[3]
    middle.ImagePositionPatient[2] += 0.9
    lacking = sorted(slices(ct), key=lambda each: each.ImagePositionPatient[2])
    del lacking[3]
    small = slices(ct[:, :8])
    cine = make.dataset(ct, None, None, None, NumberOfFrames=len(ct))
    uneven = make.enhanced(ct)
    uneven.PerFrameFunctionalGroupsSequence.pop()
    real = slices(ct[:1])[0]
    del real.PixelData
    real.FloatPixelData = ct[0].astype("<f4").tobytes()
    lookup = pydicom.Dataset()
    lookup.LUTDescriptor, lookup.LUTData = [2, 0, 16], b"\1\0\2\0"
    whole = series(base)
    encrypted = bytearray(whole)
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        encrypted[encrypted.index(mark) + place] |= 1
    damaged = bytearray(whole)
    damaged[400] ^= 0x55
    checksum = bytearray(whole)
    checksum[checksum.index(b"PK\1\2") + 16] ^= 1
    jpeg = make.as_jpeg_lossless(slices(ct[:1])[0])
    other_size = file_bytes(jpeg).replace(b"\xff\xc3\0\x0b\x10\0\x0c", b"\xff\xc3\0\x0b\x10\xff\xf0")
    progressive = file_bytes(jpeg).replace(b"\xff\xc3\0\x0b", b"\xff\xc2\0\x0b")
    colour = make.dataset(np.zeros((4, 12), np.uint8), Columns=4, SamplesPerPixel=3,
                          PhotometricInterpretation="RGB", PlanarConfiguration=0)
    deep = one()
    at = deep.index(b"\xe0\x7f\x10\0OW")
    sequence = struct.pack("<HH2sHI", 0x0029, 0x1010, b"SQ", 0, 0xFFFFFFFF)
    deep = deep[:at] + (sequence + b"\xfe\xff\0\xe0\xff\xff\xff\xff") * 5000 + deep[at:]
    result = {
        "lacking.zip": (series(lacking), wrong, "lacks 1 slices between the slices 3 and 4"),
        "irregular.zip": (series(moved), wrong, "is irregular: the slices 3 and 4 are 3.4 mm apart"),
        "twice.zip": (series(base + base[:1]), wrong, "two slices in one place"),
        "two_series.zip": (changed(2, SeriesInstanceUID="2.25.99"), wrong, "several SeriesInstanceUID"),
        "localizer.zip": (changed(2, ImageOrientationPatient=list(map(float, SAGITTAL))), wrong,
                          "in several directions"),
        "two_sizes.zip": (series(base[:2] + small[2:3]), wrong, "12 × 10 and of 8 × 10 pixels"),
        "two_spacings.zip": (changed(2, PixelSpacing=[1.0, 1.0]), wrong, "mixes pixel spacings"),
        "two_kinds.zip": (changed(2, PixelRepresentation=0), wrong, "several kinds of pixels"),
        "tilted.zip": (series(sheared), foreign_kind, "tilted gantry"),
        "unplaced.zip": (series(slices(ct, orientation=AXIAL, each=lambda i: {
            "ImagePositionPatient": None})), wrong, "without ImagePositionPatient"),
        "skewed.dcm": (one(ImageOrientationPatient=[1.0, 0, 0, 0.5, 0.8, 0]), wrong, "right angle"),
        "no_spacing.dcm": (one(PixelSpacing=[0.0, 0.0]), wrong, "PixelSpacing of 0"),
        "rgb.dcm": (file_bytes(colour), foreign_kind, "RGB"),
        "palette.dcm": (one(PhotometricInterpretation="PALETTE COLOR"), foreign_kind, "PALETTE"),
        "other_colours.dcm": (one(PhotometricInterpretation="GEHEIM"), wrong, "photometric"),
        "segmentation.dcm": (one(SOPClassUID="1.2.840.10008.5.1.4.1.1.66.4"), foreign_kind,
                             "segmentation"),
        "one_bit.dcm": (one(BitsAllocated=1), foreign_kind, "of 1 bits"),
        "bits.dcm": (one(BitsStored=20), wrong, "20 stored"),
        "high_bit.dcm": (one(BitsStored=12, HighBit=3), wrong, "high bit 3"),
        "slope0.dcm": (one(RescaleSlope="0"), wrong, "RescaleSlope of 0"),
        "lookup.dcm": (one(ModalityLUTSequence=[lookup]), foreign_kind, "lookup table"),
        "real.dcm": (file_bytes(real), foreign_kind, "real numbers"),
        "cine.dcm": (file_bytes(cine), foreign_kind, "of 7 frames that does not say where"),
        "uneven.dcm": (file_bytes(uneven), wrong, "places of 6 frames and has 7"),
        "rows0.dcm": (one(Rows=0), wrong, "0 rows"),
        "longer.dcm": (one(Rows=13), wrong, "bytes of pixels"),
        "huge.dcm": (one(Rows=46341, Columns=46341), limit, "1 × 46341 × 46341 voxels"),
        "huge_frames.dcm": (one(NumberOfFrames=2147483647), limit, "2147483647 × 12 × 10"),
        "unknown_syntax.dcm": (with_syntax(b"1.2.GEHEIM\0"[:10]), foreign_kind, "(unknown)"),
        "htj2k.dcm": (with_syntax(b"1.2.840.10008.1.2.4.201\0"), foreign_kind, "HTJ2K"),
        "other_size.dcm": (other_size, wrong, "is 65520 × 10 of 1 components"),
        "progressive.dcm": (progressive, foreign_kind, "FFC2"),
        "deep.zip": (archive([deep]), wrong, "too deeply"),
        "bomb.zip": (bomb(80_000_000), limit, "bytes before its pixels"),
        "zeros.zip": (archive([bytes(80_000_000)]), wrong, "not DICOM"),
        "nested.zip": (archive([whole]), foreign_kind, "zip archive in a zip archive"),
        "overlapping.zip": (overlapping(archive([one()]), 5000), wrong, "overlap"),
        "empty.zip": (archive([]), wrong, "no DICOM file"),
        "text.zip": (archive([b"Geheim^Patientin"]), wrong, "not DICOM"),
        "encrypted.zip": (bytes(encrypted), foreign_kind, "encrypted"),
        "bzip2.zip": (series(base, method=zipfile.ZIP_BZIP2), foreign_kind, "method 12"),
        "damaged.zip": (bytes(damaged), wrong, "is damaged"),
        "checksum.zip": (bytes(checksum), wrong, "checksum"),
        "cut.zip": (whole[:-30], wrong, "cut short"),
    }
    return result | {name: (foreign(name), wrong if "cut" in says or "syntax" in says else foreign_kind, says)
                     for name, says in FOREIGN_REFUSED.items()}


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/modality/volume/dicom"
    (out / "refused").mkdir(parents=True, exist_ok=True)
    made = files()
    for name, data in made.items():
        (out / name).write_bytes(data)
    lines = [f"# Made by tools/oracles/dicom_goldens.py with pydicom {pydicom.__version__}, nibabel "
             f"{nibabel.__version__}, scipy {scipy.__version__}"]
    refused = lines[:]
    values = bytearray()
    for name, settings in cases(made):
        tensor, quality = expected_of(*opened(name, made[name], settings), settings)
        lines.append("- " + in_yaml({"file": name, "at": len(values), "shape": list(tensor.shape),
                                     "settings": settings, "quality": quality}))
        values += tensor.tobytes()
    for name, (data, code, says) in refusals().items():
        (out / "refused" / name).write_bytes(data)
        refused.append("- " + in_yaml({"file": name, "code": code, "says": f'"{says}"'}))
    (out / "expected.bin").write_bytes(values)
    (out / "cases.yaml").write_text("\n".join(lines) + "\n")
    (out / "refused.yaml").write_text("\n".join(refused) + "\n")


if __name__ == "__main__":
    main()
