#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets of `src/net` and `src/model` into tests/data/fuzz/TARGET/.

A fuzzer that starts from valid and nearly valid input gets past the first check at once. What a run
finds is kept beside the seeds, under its own name; this script leaves such files alone. Targets of
`src/modality` start from tests/data/modality/. Python's standard library only.

    tools/fuzz/make_seeds.py && build/fuzz/http_reader_fuzz -max_total_time=600 NEW tests/data/fuzz/http_reader
"""

import gzip
import json
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).resolve().parents[2] / "tests/data/fuzz"


def put(target, name, data):
    folder = HERE / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def post(body, *headers):
    lines = ["POST /v2/models/m/infer HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def http_reader():
    """The first byte is the size of the pieces in which the rest arrives."""
    seeds = {
        "get": b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n",
        "post": post(b'{"inputs": []}', "Content-Type: application/json"),
        "pipelined": b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n" * 2 + post(b"abc"),
        "chunked": b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                   b"5;a=b\r\nabcde\r\n3\r\nxyz\r\n0\r\nTrailer: t\r\n\r\n",
        "continue": b"POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
        "http_1_0": b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "both_lengths": b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
                        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "length_twice": b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "folded": b"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
        "no_host": b"GET / HTTP/1.1\r\n\r\n",
        "spare_line": b"\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "bare_newlines": b"GET / HTTP/1.1\nHost: x\n\n",
        "long_head": b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 2100 + b"\r\n\r\n",
        "long_body": post(b"b" * 4097),
        "huge_chunk": b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                      b"fffffffffffffff0\r\nabc\r\n",
        "nul": b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
    }
    for index, (name, data) in enumerate(seeds.items()):
        put("http_reader", name, bytes([index * 7 % 64]) + data)


def answer_reader():
    """The same for answers, as the load client reads them."""
    for index, (name, data) in enumerate({
        "length": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "to_the_end": b"HTTP/1.1 500 Bad\r\nConnection: close\r\n\r\nit broke",
        "continue": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        "two": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n" * 2,
        "not_http": b"SSH-2.0-x\r\n",
    }.items()):
        put("answer_reader", name, bytes([index * 11 % 64]) + data)


def infer_json():
    """Two bytes: the size of the JSON, big-endian; 0: all of it, and nothing binary."""
    def whole(name, body):
        put("infer_json", name, b"\0\0" + (body if isinstance(body, bytes) else json.dumps(body).encode()))

    def tensor(kind, shape, data):
        return {"inputs": [{"name": "x", "datatype": kind, "shape": shape, "data": data}]}

    whole("flat", tensor("FP32", [2, 2], [1, 2.5, -3e-2, 4]))
    whole("nested", tensor("INT8", [2, 2], [[1, -128], [127, 0]]))
    whole("bytes", tensor("BYTES", [2], ["a", "\u00e9\"\\"]))
    whole("bool", tensor("BOOL", [1, 2], [[True, False]]))
    whole("range", tensor("UINT8", [1], [256]))
    whole("huge_shape", tensor("FP64", [1 << 40, 1 << 40], [1]))
    whole("fp16", tensor("FP16", [1], [1]))
    whole("parameters", {"id": "7", "parameters": {"timeout": 5, "priority": 1, "min_confidence": .5},
                         **tensor("INT64", [1], [9223372036854775807]),
                         "outputs": [{"name": "y", "parameters": {"classification": 3, "binary_data": True}}]})
    whole("surrogate", b'{"inputs":[{"name":"x","datatype":"BYTES","shape":[1],"data":["\\ud800"]}]}')
    whole("twice", b'{"inputs":[],"inputs":[]}')
    whole("behind", b'{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[1]}]} x')
    whole("deep", b'{"inputs":' + b"[" * 1200)

    def binary(name, inputs, blob):
        head = json.dumps({"inputs": inputs, "parameters": {"binary_data_output": True}}).encode()
        put("infer_json", name, struct.pack(">H", len(head)) + head + blob)

    def part(name, kind, shape, size):
        return {"name": name, "datatype": kind, "shape": shape, "parameters": {"binary_data_size": size}}

    binary("binary", [part("x", "FP32", [1, 2], 8)], struct.pack("<2f", 1, 2))
    binary("binary_bytes", [part("x", "BYTES", [2], 11)], struct.pack("<I", 3) + b"abc" + struct.pack("<I", 0))
    binary("binary_two", [part("x", "BOOL", [2], 2), part("y", "BF16", [1], 2)], b"\0\1\0\0")
    binary("binary_short", [part("x", "FP32", [1, 2], 8)], b"1234")
    binary("binary_mixed", [part("x", "UINT8", [1], 1), {"name": "y", "datatype": "INT32", "shape": [1],
                                                         "data": [5]}], b"\7")


def bytes_framing():
    """Type, number of axes, the axes, the numbers."""
    bool_, fp32, bytes_ = 0, 11, 13
    put("bytes_framing", "bool", bytes([bool_, 2, 2, 2, 0, 1, 1, 0]))
    put("bytes_framing", "fp32", bytes([fp32, 1, 2]) + struct.pack("<2f", 1, -1))
    put("bytes_framing", "strings", bytes([bytes_, 1, 2]) + struct.pack("<I", 3) + b"abc" + struct.pack("<I", 0))
    put("bytes_framing", "strings_long", bytes([bytes_, 1, 1]) + struct.pack("<I", 0xFFFFFFFF) + b"abc")
    put("bytes_framing", "strings_over", bytes([bytes_, 2, 1, 1]) + struct.pack("<I", 1) + b"ab")
    put("bytes_framing", "no_axis", bytes([fp32, 0, 1, 2, 3, 4]))
    put("bytes_framing", "zero_axis", bytes([fp32, 2, 1, 0, 0, 0]))


def forms():
    """A Content-Type, a newline, the body."""
    part = '--B\r\nContent-Disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'
    form = "multipart/form-data; boundary=B\n"
    whole = form + part.format("photo", '; filename="a.jpg"', "\xff\xd8") + part.format("title", "", "a shoe")
    for target in ("multipart", "decide"):
        put(target, "form", whole + "--B--\r\n")
        put(target, "form_quoted", 'multipart/form-data; boundary="B B"\n--B B\r\n'
            'content-disposition: form-data; name="ti\\"tle"\r\n\r\nx\r\n--B B--')
        put(target, "form_cut", whole)
        put(target, "form_twice", form + part.format("id", "", "1") * 2 + "--B--\r\n")
        put(target, "form_no_name", form + "--B\r\nA: b\r\n\r\nx\r\n--B--\r\n")
        put(target, "form_preamble", form + "hello\r\n" + part.format("min_confidence", "", "0.5") + "--B--\r\nbye")
    for name, body in {
        "json": '{"id": "7", "inputs": {"title": "a shoe", "photo": {"base64": "/9j/4AAQ"}}, "deadline_ms": 20}',
        "json_values": '{"inputs": {"title": null, "photo": [1, {"a": "x"}], "id": 5}, "explain": false}',
        "json_twice": '{"inputs": {"title": "a", "title": "b"}}',
        "json_unknown": '{"inputs": {"titel": "a"}}',
        "json_bad_base64": '{"inputs": {"photo": {"base64": "/9j/4=AQ"}}}',
    }.items():
        put("decide", name, "application/json; charset=utf-8\n" + body)
    put("decide", "other_type", "text/plain\nx")


def inflate():
    """An even first byte: gzip; an odd one: deflate."""
    text = b'{"inputs": []}'
    put("inflate", "gzip", b"\0" + gzip.compress(text, mtime=0))
    put("inflate", "deflate", b"\1" + zlib.compress(text))
    put("inflate", "gzip_cut", b"\0" + gzip.compress(text, mtime=0)[:-6])
    put("inflate", "gzip_behind", b"\0" + gzip.compress(text, mtime=0) + b"x")
    put("inflate", "gzip_bomb", b"\0" + gzip.compress(bytes(1_000_000), mtime=0))
    put("inflate", "wrong_kind", b"\1" + gzip.compress(text, mtime=0))


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, content):
    """Of a protobuf message: an integer or bytes."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def grpc_infer():
    """Where the first slice ends, then a ModelInferRequest: 1 model, 3 id, 4 parameters, 5 inputs, 6
    outputs, 7 raw contents."""
    def tensor(kind, shape, contents=None):
        packed = b"".join(varint(extent) for extent in shape)
        return field(5, field(1, b"x") + field(2, kind) + field(3, packed) +
                     (b"" if contents is None else field(5, contents)))

    def message(name, data):
        put("grpc_infer", name, bytes([len(data) * 3 // 4]) + data)

    name = field(1, b"m")
    message("typed", name + field(3, b"7") + tensor(b"FP32", [1, 2], field(6, struct.pack("<2f", 1, 2))))
    message("typed_bytes", name + tensor(b"BYTES", [2], field(8, b"a") + field(8, b"")))
    message("typed_range", name + tensor(b"INT8", [1], field(2, varint(300))))
    message("raw", name + tensor(b"FP32", [1, 1]) + field(7, struct.pack("<f", 1)))
    message("raw_first", field(7, struct.pack("<f", 1)) + name + tensor(b"FP32", [1]))
    message("raw_bytes", name + tensor(b"BYTES", [1]) + field(7, struct.pack("<I", 2) + b"ab"))
    message("raw_over", name + tensor(b"FP32", [1]) + field(7, b"1234") + field(7, b""))
    message("raw_short", name + tensor(b"FP16", [2]) + field(7, b"123"))
    message("negative_shape", name + tensor(b"FP32", [(1 << 64) - 1]))
    parameters = field(4, field(1, b"timeout") + field(2, field(2, 5))) + field(4, field(1, b"p"))
    outputs = field(6, field(1, b"y") + field(3, field(1, b"classification") + field(2, field(2, 2))))
    message("parameters", name + parameters + tensor(b"BOOL", [1]) + outputs + field(7, b"\1"))
    message("version", name + field(2, b"01") + tensor(b"BOOL", [1]) + field(7, b"\2"))


def model_config():
    tensors = 'input [{ name: "x" data_type: TYPE_FP32 dims: [ -1, 4 ] optional: true }]\n' \
              'output [{ name: "y" data_type: TYPE_STRING dims: [ 3 ] label_filename: "labels.txt" }]\n'
    seeds = {
        "plain": 'name: "m"\nplatform: "onnxruntime_onnx"\nmax_batch_size: 8\n' + tensors,
        "batching": 'max_batch_size: 64\ndynamic_batching { preferred_batch_size: [ 4, 8 ]\n'
                    '  max_queue_delay_microseconds: 100 }\ninstance_group [{ kind: KIND_CPU count: 2 }]\n',
        "policy": 'backend: "onnxruntime"\nversion_policy { specific { versions: [ 1, 3 ] } }\n'
                  'parameters { key: "k" value { string_value: "v" } }\n',
        "warmup": 'model_warmup [{ name: "w" batch_size: 2 count: 3 inputs { key: "x" value {\n'
                  '  data_type: TYPE_INT64 dims: [ 4 ] random_data: true } } }]\n' + tensors,
        "refused": 'name: "m"\nsequence_batching { max_sequence_idle_microseconds: 5 }\n',
        "unknown": "max_batch_sise: 3\n",
        "cut": 'input [{ name: "x',
        "huge": "max_batch_size: 99999999999999999999\n",
        "negative": 'max_batch_size: -1\ninput [{ name: "x" data_type: TYPE_FP32 dims: [ -2, 0 ] }]\n',
        "twice": 'name: "a"\nname: "b"\n',
        "expanded": "[type.googleapis.com/x.Y] { a: 1 }\n",
        "escapes": 'name: "\\x00\\377\\u00e9"\n# a comment\n',
    }
    for name, text in seeds.items():
        put("model_config", name, text)


for make in (http_reader, answer_reader, infer_json, bytes_framing, forms, inflate, grpc_infer, model_config):
    make()
