"""Inputs for the model `types`, for any of the official clients."""

import ml_dtypes
import numpy as np

# What each data type has at its edges. Keys are the model's names of them.
TYPES = {
    "bool": ("BOOL", np.array([[True, False]])),
    "uint8": ("UINT8", np.array([[0, 255]], np.uint8)),
    "uint16": ("UINT16", np.array([[0, 65535]], np.uint16)),
    "uint32": ("UINT32", np.array([[0, 4294967295]], np.uint32)),
    "uint64": ("UINT64", np.array([[0, 18446744073709551615]], np.uint64)),
    "int8": ("INT8", np.array([[-128, 127]], np.int8)),
    "int16": ("INT16", np.array([[-32768, 32767]], np.int16)),
    "int32": ("INT32", np.array([[-2147483648, 2147483647]], np.int32)),
    "int64": ("INT64", np.array([[-9223372036854775808, 9223372036854775807]], np.int64)),
    "float16": ("FP16", np.array([[65504, -6e-8]], np.float16)),
    "bfloat16": ("BF16", np.array([[3.0e38, -1.5]], ml_dtypes.bfloat16)),
    "float": ("FP32", np.array([[3.4028235e38, -1.4e-45]], np.float32)),
    "double": ("FP64", np.array([[1.7976931348623157e308, -5e-324]])),
    "string": ("BYTES", np.array([["", "é\"\\ \u4e2d"]], object)),
}
WITHOUT_JSON = ("float16", "bfloat16")  # the protocol has no JSON for them


def filled(client, name, datatype, array, binary=True):
    """An input of tritonclient.http, tritonclient.grpc or one of their aio twins."""
    tensor = client.InferInput(name, list(array.shape), datatype)
    over_http = "http" in client.__name__
    return tensor.set_data_from_numpy(array, binary_data=binary) if over_http \
        else tensor.set_data_from_numpy(array)


def typed_inputs(client, binary=True):
    return [filled(client, name, datatype, array, binary or name in WITHOUT_JSON)
            for name, (datatype, array) in TYPES.items()]


def check_types(test, result):
    """Each output is the input, bit for bit."""
    for name, (_, array) in TYPES.items():
        got = result.as_numpy(name + "_out")
        test.assertIsNotNone(got, name)
        if name == "string":
            array = np.char.encode(array.astype(str), "utf-8").astype(object)
            got = np.vectorize(lambda text: text if isinstance(text, bytes) else text.encode(), [object])(got)
        test.assertEqual(got.shape, array.shape, name)
        test.assertEqual(got.tolist(), array.tolist(), name)


def numbers(client, rows):
    """`x` of the mlp."""
    return filled(client, "x", "FP32", np.array(rows, np.float32))


def turns(client, count):
    """How long `slow` takes: about half a millisecond each."""
    return filled(client, "turns", "INT64", np.array([count]))
