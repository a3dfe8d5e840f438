"""Lines of logs that look like those of several systems, for goldens and benches; made up here, so
that no line needs a licence."""

import random

NAMES = ("alice", "bob", "carol", "root", "daemon", "www-data", "jürgen", "オペレータ")
PATHS = ("/var/log/syslog", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/home/{name}/data/{n}.csv", "/etc/",
         "/tmp", "/srv/www/index.html", "/mnt/disk{n}/blk_{n}", "./relative/path/file", "//twice//")
SHAPES = (
    "Accepted password for {name} from {ip} port {port} ssh2",
    "Failed password for invalid user {name} from {ip} port {port} ssh2",
    "Connection closed by {ip}:{port} [preauth]",
    "Received block blk_{n} of size {n} from {ip}",
    "PacketResponder {small} for block blk_-{n} terminating",
    "Verification succeeded for blk_{n}",
    "Deleting block blk_{n} file {path}",
    "GET {path} HTTP/1.1 {status} {n} {ms}ms",
    "POST /api/v{small}/orders/{uuid} HTTP/1.1 {status}",
    "session {hexid} opened for user {name}(uid={small})",
    "kernel: [{n}.{n}] eth{small}: link up, {n} Mbps, mac {mac}",
    "segfault at {hex} ip {hex} sp {hex} error {small} in {path}",
    "Config is : Config(name=Ratio{n}, value={ms})",
    "worker-{small} took {ms} s, {n} rows, delta -{ms} +{small}",
    "cache miss key={hexid} ttl={n}",
    "temperature {ms}C above {ms}C on sensor {name}",
    "checkpoint complete: wrote {n} buffers ({ms}%)",
    "user {name} logged in", "user {name} logged out", "user {name} changed role to {name}",
    "{name}", "ok", "{n}", "{n} {n}", "Query failed: {name} {status} {name} {n} {name}",
    "retry {small} of {small}", "disk\u00a0{n}\u2003full on {path}", "x² {n} ③ items",
    "<*> literal wildcard {n}", "tags <NUM> <IP> {ip}", "version 1.2.3.4.5 build 1.5x 0x 0xZZ 12ab {mac}:ff",
)


def lines_of(count, seed, shapes=SHAPES, fresh=0.02):
    """`fresh` is the share of lines whose words nobody has seen."""
    chance = random.Random(seed)

    def hexes(n):
        return "".join(chance.choice("0123456789abcdef") for _ in range(n))

    def fill(shape):
        name = chance.choice(NAMES)
        values = {
            "name": name, "n": chance.randrange(10 ** chance.randint(1, 9)), "small": chance.randrange(9),
            "ip": ".".join(str(chance.randrange(256)) for _ in range(4)), "port": chance.randrange(65536),
            "status": chance.choice((200, 201, 301, 404, 500)), "ms": f"{chance.random() * 99:.2f}",
            "uuid": "-".join(hexes(n) for n in (8, 4, 4, 4, 12)), "hexid": hexes(chance.randint(6, 20)),
            "hex": "0x" + hexes(chance.randint(1, 16)), "mac": ":".join(hexes(2) for _ in range(6)),
        }
        values["path"] = chance.choice(PATHS).format(**values)
        return shape.format(**values)

    lines = []
    for _ in range(count):
        if chance.random() < fresh:
            length = chance.randint(1, 8)
            lines.append(" ".join(hexes(3) + chance.choice("ghijk") for _ in range(length)))
        else:
            lines.append(fill(chance.choice(shapes)))
    return lines
