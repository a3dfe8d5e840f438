"""Writes the small NumPy arrays that src/tensor/npy_test.cc reads: numpy.save is the reference.

    tensor_arrays.py tests/data/tensor
"""

import pathlib
import sys

import numpy as np

out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
singles = np.array([[0.5, -1.25, 3e38, np.nan], [1, 2, 3, 4], [0.1, 0, -0.0, np.inf]], "<f4")
np.save(out / "singles.npy", singles)
np.save(out / "doubles.npy", np.array([[[0.1, 1e-300], [2, 3]], [[4, 5], [6, 7.25]]], "<f8"))
np.save(out / "column_major.npy", np.asfortranarray(singles))
np.save(out / "vector.npy", np.array([1.5, 2.5], "<f4"))
np.save(out / "integers.npy", np.array([[1, 2]], "<i8"))
np.save(out / "big_endian.npy", np.array([[1, 2]], ">f4"))
with open(out / "version2.npy", "wb") as file:
    np.lib.format.write_array(file, singles, version=(2, 0))
