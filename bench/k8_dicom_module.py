"""Figure K8, the module `dicom`: what opening it and its first frame cost, once a process.

    bench/k8_dicom_module.py BUILD_FOLDER [--processes N]

Run by a Python that has pydicom. Each process opens libbraid_dicom.so as src/base/module.h does, decodes
one frame of JPEG lossless twice, and reports milliseconds and mebibytes. Prints JSON.
"""

import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROWS, COLUMNS = 12, 10


class Frame(ctypes.Structure):
    """DicomFrame of src/modality/modules/dicom/decode.h."""
    _fields_ = [("packing", ctypes.c_int), ("transfer_syntax", ctypes.c_char_p),
                ("codestream", ctypes.c_char_p), ("codestream_size", ctypes.c_size_t),
                ("rows", ctypes.c_uint16), ("columns", ctypes.c_uint16),
                ("bits_allocated", ctypes.c_uint16), ("bits_stored", ctypes.c_uint16),
                ("is_signed", ctypes.c_bool)]


def resident_mib():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def once(library, codestream):
    frame = Frame(0, b"1.2.840.10008.1.2.4.70", codestream, len(codestream), ROWS, COLUMNS, 16, 16, False)
    into = ctypes.create_string_buffer(ROWS * COLUMNS * 2)
    before = resident_mib()
    begin = time.perf_counter()
    module = ctypes.CDLL(library, os.RTLD_NOW | os.RTLD_LOCAL)
    opened = time.perf_counter()
    times = []
    for _ in range(2):
        start = time.perf_counter()
        code = module.braid_dicom_decode_1(ctypes.byref(frame), into, ctypes.c_size_t(len(into)))
        times.append((time.perf_counter() - start) * 1e3)
        assert code == 0, code
    return {"open_ms": (opened - begin) * 1e3, "first_frame_ms": times[0], "second_frame_ms": times[1],
            "resident_mib": resident_mib() - before}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--processes", type=int, default=15)
    parser.add_argument("--once", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    library = str((arguments.build / "libbraid_dicom.so").resolve())
    if arguments.once:
        print(json.dumps(once(library, bytes.fromhex(arguments.once))))
        return
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools/oracles"))
    import dicom_files
    import numpy as np
    codestream = dicom_files.jpeg_lossless(np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS), 16)
    runs = [json.loads(subprocess.run([sys.executable, __file__, arguments.build, "--once",
                                       codestream.hex()], check=True, capture_output=True).stdout)
            for _ in range(arguments.processes)]
    print(json.dumps({"what": "opening libbraid_dicom.so and its first frame, once a process",
                      "processes": len(runs), "load": os.getloadavg()[0],
                      **{key: round(statistics.median(run[key] for run in runs), 3)
                         for key in runs[0]}}, indent=1))


if __name__ == "__main__":
    main()
