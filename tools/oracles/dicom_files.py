"""DICOM files and archives for dicom_goldens.py, made with pydicom. All carry a patient whose name,
number and birth date must never be seen in an error."""

import io
import struct
import zipfile

import numpy as np
import pydicom
import pydicom.uid
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.sequence import Sequence

from volume_goldens import smooth

PATIENT = {"PatientName": "Geheim^Patientin", "PatientID": "GEHEIM-4711", "PatientBirthDate": "19110911"}
CT = "1.2.840.10008.5.1.4.1.1.2"
ENHANCED_CT = "1.2.840.10008.5.1.4.1.1.2.1"
EXPLICIT = pydicom.uid.ExplicitVRLittleEndian
AXIAL = (1, 0, 0, 0, 1, 0)
SAGITTAL = (0, 1, 0, 0, 0, -1)
OBLIQUE = (0.9659258, 0.258819, 0, -0.2241439, 0.8365163, 0.5)


def normal_of(orientation):
    return np.cross(orientation[:3], orientation[3:])


def meta_of(syntax, kind):
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = pydicom.uid.UID(syntax)
    meta.MediaStorageSOPClassUID = kind
    meta.MediaStorageSOPInstanceUID = "2.25.7"
    meta.ImplementationClassUID = "2.25.8"
    return meta


def dataset(pixels, orientation=AXIAL, position=(0, 0, 0), spacing=(0.8, 0.7), kind=CT,
            syntax=EXPLICIT, **more):
    """`pixels`: [rows, columns] or [frames, rows, columns], as they are stored."""
    pixels = np.asarray(pixels)
    data = FileDataset(None, {}, file_meta=meta_of(syntax, kind), preamble=b"\0" * 128,
                       is_implicit_VR=syntax.is_implicit_VR, is_little_endian=syntax.is_little_endian)
    for key, value in PATIENT.items():
        setattr(data, key, value)
    data.SOPClassUID, data.SOPInstanceUID = kind, "2.25.7"
    data.StudyInstanceUID, data.SeriesInstanceUID = "2.25.9", "2.25.10"
    data.Rows, data.Columns = pixels.shape[-2:]
    data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
    data.BitsAllocated = data.BitsStored = pixels.dtype.itemsize * 8
    data.HighBit = data.BitsStored - 1
    data.PixelRepresentation = int(pixels.dtype.kind == "i")
    if orientation is not None:
        data.ImageOrientationPatient = [float(x) for x in orientation]
    if position is not None:
        data.ImagePositionPatient = [float(f"{x:.9g}") for x in position]
    if spacing is not None:
        data.PixelSpacing = list(spacing)
    order = ">" if syntax == pydicom.uid.ExplicitVRBigEndian else "<"
    data.PixelData = pixels.astype(pixels.dtype.newbyteorder(order)).tobytes()
    data.PixelData += b"\0" * (len(data.PixelData) % 2)
    data["PixelData"].VR = "OW" if pixels.dtype.itemsize > 1 else "OB"
    for key, value in more.items():
        setattr(data, key, value)
    return data


def file_bytes(data):
    stream = io.BytesIO()
    data.save_as(stream)
    return stream.getvalue()


def slices(volume, orientation=AXIAL, step=2.5, origin=(-31.5, 12.25, 7), spacing=(0.8, 0.7), each=None,
           **more):
    """`volume`: [slices, rows, columns], slice 0 at `origin`. InstanceNumber runs backwards, and the
    list is shuffled: neither may matter. `each(index)` gives attributes of one slice."""
    result = []
    for i, pixels in enumerate(volume):
        position = np.array(origin) + i * step * normal_of(orientation)
        data = dataset(pixels, orientation, position, spacing, InstanceNumber=len(volume) - i, **more)
        data.SOPInstanceUID = f"2.25.7{i}"
        for key, value in (each(i) if each else {}).items():
            setattr(data, key, value)
        result.append(data)
    np.random.default_rng(5).shuffle(result)
    return result


def archive(files, method=zipfile.ZIP_DEFLATED, folder="Geheim^Patientin/", level=9):
    """`files`: of bytes. Their names are a patient's, as archives of hospitals have them."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method, compresslevel=level) as target:
        for i, data in enumerate(files):
            target.writestr(zipfile.ZipInfo(f"{folder}IM{i:04}"), data, compress_type=method, compresslevel=level)
    return stream.getvalue()


def series(datasets, **more):
    return archive([file_bytes(each) for each in datasets], **more)


class Bits:
    """A writer of JPEG's entropy-coded bytes."""

    def __init__(self):
        self.value, self.count = 0, 0

    def put(self, value, count):
        self.value, self.count = self.value << count | value, self.count + count

    def finish(self):
        pad = -self.count % 8
        self.put((1 << pad) - 1, pad)
        return self.value.to_bytes(self.count // 8, "big").replace(b"\xff", b"\xff\0")


def jpeg_lossless(pixels, precision):
    """JPEG process 14, predictor 1 (ITU-T T.81, annex H), of [rows, columns] unsigned. All categories
    have codes of five bits."""
    rows, columns = pixels.shape
    bits = Bits()
    values = pixels.astype(np.int64)
    for y in range(rows):
        for x in range(columns):
            above = values[y - 1, x] if y else 1 << (precision - 1)
            guess = values[y, x - 1] if x else above
            difference = int((values[y, x] - guess + 32768) % 65536 - 32768)
            if difference == -32768:
                bits.put(16, 5)
                continue
            category = abs(difference).bit_length()
            bits.put(category, 5)
            bits.put(difference if difference >= 0 else difference + (1 << category) - 1, category)
    frame = struct.pack(">HBHHBBBB", 11, precision, rows, columns, 1, 1, 0x11, 0)
    table = struct.pack(">HB16B", 36, 0, 0, 0, 0, 0, 17, *[0] * 11) + bytes(range(17))
    scan = struct.pack(">HBBBBBB", 8, 1, 1, 0, 1, 0, 0)
    return (b"\xff\xd8\xff\xc3" + frame + b"\xff\xc4" + table + b"\xff\xda" + scan + bits.finish()
            + b"\xff\xd9")


def as_jpeg_lossless(data, precision=None):
    pixels = np.frombuffer(data.PixelData, "<u2").reshape(-1, data.Rows, data.Columns)
    frames = [jpeg_lossless(each, precision or data.BitsStored) for each in pixels]
    data.PixelData = encapsulate([each + b"\0" * (len(each) % 2) for each in frames])
    data["PixelData"].VR = "OB"
    data["PixelData"].is_undefined_length = True
    data.file_meta.TransferSyntaxUID = pydicom.uid.JPEGLosslessSV1
    return data


def compressed(data, syntax):
    data.compress(syntax, generate_instance_uid=False)
    return data


def enhanced(volume, orientation=OBLIQUE, step=3.0, origin=(5, -6, 7), slopes=None, order=None, **more):
    """One file of many frames, which lie in `order`."""
    order = list(order if order is not None else range(len(volume)))
    data = dataset(volume[order], None, None, None, ENHANCED_CT, **more)
    data.NumberOfFrames = len(volume)
    shared, frames = Dataset(), []
    measures = Dataset()
    measures.PixelSpacing = [0.9, 0.6]
    measures.SliceThickness = 99  # wrong on purpose: places decide
    shared.PixelMeasuresSequence = Sequence([measures])
    direction = Dataset()
    direction.ImageOrientationPatient = list(orientation)
    shared.PlaneOrientationSequence = Sequence([direction])
    data.SharedFunctionalGroupsSequence = Sequence([shared])
    for i in order:
        frame, place, values = Dataset(), Dataset(), Dataset()
        where = np.array(origin) + i * step * normal_of(orientation)
        place.ImagePositionPatient = [float(f"{x:.9g}") for x in where]
        frame.PlanePositionSequence = Sequence([place])
        values.RescaleIntercept, values.RescaleSlope = -7, 1 if slopes is None else float(slopes[i])
        values.RescaleType = "US"
        frame.PixelValueTransformationSequence = Sequence([values])
        frames.append(frame)
    data.PerFrameFunctionalGroupsSequence = Sequence(frames)
    return data


def ct_volume(shape=(7, 12, 10), seed=11):
    return np.rint(smooth(shape, seed)).astype(np.int16)
