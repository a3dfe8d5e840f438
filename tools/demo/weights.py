"""Reads trained weights from the files of two training libraries, without those libraries.

A .pth file is a pickle, and a pickle may run any code: the reader below lets through the four names
that a plain state dictionary needs and refuses the rest. A .safetensors file is a JSON header and
raw numbers. Both functions return a dictionary from weight names to numpy arrays.
"""

import collections
import json
import pathlib
import pickle
import struct

import numpy as np

LEGACY_TORCH_MAGIC = 0x1950A86A20F9469CFC6C
STORAGE_DTYPES = {"FloatStorage": np.float32, "LongStorage": np.int64, "HalfStorage": np.float16}
SAFETENSORS_DTYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64}


class TensorView:
    """A tensor as the pickle describes it: a window onto a storage whose numbers come later."""

    def __init__(self, storage_key, offset, shape, strides, *_):
        self.storage_key, self.offset, self.shape, self.strides = storage_key, offset, shape, strides

    def read(self, storages):
        numbers = storages[self.storage_key][self.offset :]
        strides_bytes = [stride * numbers.itemsize for stride in self.strides]
        return np.lib.stride_tricks.as_strided(numbers, self.shape, strides_bytes).copy()


class StateDictUnpickler(pickle.Unpickler):
    def __init__(self, file):
        super().__init__(file)
        self.dtypes = {}  # storage key -> dtype

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return TensorView
        if module == "torch" and name in STORAGE_DTYPES:
            return name
        raise pickle.UnpicklingError(f"a weights file has no business with {module}.{name}")

    def persistent_load(self, reference):
        _, storage_type, key = reference[:3]
        self.dtypes[key] = np.dtype(STORAGE_DTYPES[storage_type])
        return key


def read_legacy_pth(path):
    """PyTorch's format before 1.6: four pickles, then each storage as a count and raw numbers."""
    with open(path, "rb") as file:
        if pickle.load(file) != LEGACY_TORCH_MAGIC:
            raise ValueError(f"{path} is not a legacy PyTorch file")
        StateDictUnpickler(file).load()  # protocol version
        StateDictUnpickler(file).load()  # word sizes of the machine that wrote it
        unpickler = StateDictUnpickler(file)
        views = unpickler.load()
        storages = {}
        for key in StateDictUnpickler(file).load():
            (count,) = struct.unpack("<q", file.read(8))
            dtype = unpickler.dtypes[key]
            storages[key] = np.frombuffer(file.read(count * dtype.itemsize), dtype)
    return {name: view.read(storages) for name, view in views.items()}


def read_safetensors(path):
    raw = pathlib.Path(path).read_bytes()
    (header_size,) = struct.unpack_from("<Q", raw)
    header = json.loads(raw[8 : 8 + header_size])
    body = memoryview(raw)[8 + header_size :]
    header.pop("__metadata__", None)
    weights = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        numbers = np.frombuffer(body[begin:end], SAFETENSORS_DTYPES[entry["dtype"]])
        weights[name] = numbers.reshape(entry["shape"])
    return weights


def only_file(folder, pattern):
    """The one file below `folder` that matches; a package that changed its layout fails here."""
    found = sorted(pathlib.Path(folder).rglob(pattern))
    if len(found) != 1:
        raise FileNotFoundError(f"expected one {pattern} below {folder}, found {len(found)}")
    return found[0]
