"""Writes the goldens of the text modality with Hugging Face `tokenizers`.

    ~/.cache/braid/oracles-venv/bin/python tools/oracles/text_golden.py

Needs: tools/setup.sh oracles, and for the column of the real vocabulary tools/setup.sh demo.
Into tests/data/modality/text/:
  vocab.txt          a vocabulary of our own: all kinds of pieces, in an order without meaning
  settings.json      the preprocessor settings that ids were made under, and the real one's digest
  lines.jsonl        10,000 times [text, digests]: six hexadecimal digits of SHA-256 of the ids under
                     settings 0, under settings 1, under one of the others in turn, and with MiniLM's
                     vocabulary under settings 0
  broken.jsonl       the same of bytes that are no UTF-8, in hexadecimal, with the first three
  probes.jsonl       what public reports and corner cases are about, with all their ids
  code_points.json   digests of what becomes of each code point, one for 4096 of them
"""

import hashlib
import json
import os
import pathlib
import random
import unicodedata

from text_lines import (
    LATE_MARKS, LITERALS, PHRASES, SCRIPTS, SPACING_MARKS, broken_bytes, varied_lines,
)
from tokenizers import AddedToken, Tokenizer, __version__, models, normalizers, pre_tokenizers
from tokenizers.processors import TemplateProcessing

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/data/modality/text"
CACHE = pathlib.Path(
    os.environ.get("BRAID_CACHE")
    or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "braid"
)
SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SETTINGS = [
    {},
    {"lowercase": False},
    {"strip_accents": False},
    {"lowercase": False, "strip_accents": True},
    {"chinese_chars": False},
    {"tokens_max": 6},
    {"special_tokens": ["[SEP]", "[SEP", "[SEP]]", "<unk>", "NUL", "é|"], "lowercase": False},
    {"special_tokens": ["</s>"], "tokens_max": 20, "pad_to": 24},
]


def reference(vocabulary, settings):
    """The tokenizer that these settings of ours describe, as MiniLM's tokenizer.json builds it."""
    lowercase = settings.get("lowercase", True)
    tokenizer = Tokenizer(
        models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100)
    )
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=settings.get("chinese_chars", True),
        strip_accents=settings.get("strip_accents"),
        lowercase=lowercase,
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(
        [AddedToken(token, normalized=False, special=True)
         for token in settings.get("special_tokens", SPECIAL_TOKENS)]
    )
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")],
    )
    tokenizer.enable_truncation(settings.get("tokens_max", 128))
    if "pad_to" in settings:
        tokenizer.enable_padding(length=settings["pad_to"], pad_id=vocabulary["[PAD]"])
    return tokenizer


def read_vocabulary(file):
    """Only \\n ends a token: some contain what Python takes for the end of a line."""
    tokens = file.read_bytes().decode().removesuffix("\n").split("\n")
    return {token: i for i, token in enumerate(tokens)}


def make_vocabulary():
    chance = random.Random(20)
    words = sorted({w for phrase in PHRASES for w in phrase.split()})
    singles = {chr(c) for c in range(0x21, 0x7F)}
    pieces = set()
    for word in words:
        for form in ("NFC", "NFD"):
            for text in (word, word.lower()):
                text = unicodedata.normalize(form, text)
                stripped = "".join(c for c in text if unicodedata.category(c) != "Mn")
                for letters in (text, stripped):
                    singles.update(letters)
                    begin = chance.randrange(len(letters)) if letters else 0
                    end = chance.randint(begin, len(letters))
                    pieces.add(("##" if begin else "") + letters[begin:end])
    for first, last in SCRIPTS:
        singles.update(chr(chance.randint(first, last)) for _ in range(24))
    singles = {c for c in singles if not c.isspace() and not 0xD800 <= ord(c) < 0xE000}
    pieces |= singles | {"##" + c for c in singles if chance.random() < 0.7}
    pieces |= {"##" + c for c in "abcdefghijklmnopqrstuvwxyz0123456789"}
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "ing")]
    for _ in range(1500):
        piece = "".join(chance.choice(syllables) for _ in range(chance.randint(1, 4)))
        pieces.add(chance.choice(["", "##"]) + piece)
    pieces |= {"😀", "##😀", "💩", "##💩", "##ing", "##s", "unk", "un", "##k"}
    # Marks that stay have pieces, or their order would not show in the ids.
    pieces |= {start + mark for mark in SPACING_MARKS + LATE_MARKS for start in ("", "##")}
    pieces -= {"", "##"} | set(SPECIAL_TOKENS)
    pieces = sorted(pieces)
    chance.shuffle(pieces)
    extra = [t for t in ["[SEP", "[SEP]]", "<unk>", "NUL", "é|", "</s>"] if t not in pieces]
    tokens = ["[PAD]", "[unused0]", "[unused1]"] + pieces[:90] + SPECIAL_TOKENS[1:] + pieces[90:]
    return tokens + extra


def digest(ids):
    return hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()[:6]


def write_lines(path, rows):
    text = "".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in rows)
    # JSON allows these two raw; editors and git take them for ends of lines.
    path.write_text(text.replace("\x7f", "\\u007f").replace("\x85", "\\u0085"), newline="\n")


def probes():
    """Name, text or bytes, settings. The numbers are those of shared/probes/preprocessors.md."""
    long = "x" * 100
    yield from [(f"empty {i}", text, 0) for i, text in enumerate(["", " ", "\u3000\t\n", "\u200b"])]
    for name, text in {
        "107 NFC macron": "Kantō", "107 NFD macron": "Kanto\u0304", "107 NFC two marks": "lǜshi",
        "107 NFD two marks": "lu\u0308\u0300shi", "107 marks in the other order": "lu\u0300\u0308shi",
        "108 repeated emoji": "💩💩", "108 apart": "💩 💩", "108 in a word": "a💩💩b",
        "110 lone Thai mark": "\u0e38", "110 between words": "a \u0e38 b", "110 lone acute": "\u0301",
        "111 replacement": "\ufffd", "111 in a word": "ab\ufffdcd", "111 between": "ab \ufffd cd",
        "113 leading": "  the fish", "113 trailing": "the fish   ", "113 many": "the   \t fish",
        "113 literal unk": "<unk>", "113 in text": "the <unk> fish", "113 Chinese": "今天天气很好",
        "specials": "[SEP] the [MASK] [mask] [[CLS]]", "no break": "a\u00a0b\u202fc\u3000d",
        "controls": "a\0b\x01c\x7fd\x85e\u200df\ufeffg", "lines": "a\u2028b\u2029c\x0bd\x0ce\x1cf",
        "dotted I": "İI ıi", "sharp s": "Straße STRASSE ẞ", "sigma": "ΣΟΦΟΣ σοφός",
        "family": "👨‍👩‍👧‍👦", "private": "a\ue000b", "unassigned": "a\u0378b", "Hangul": "한글 \u1112\u1161\u11ab",
        "symbols": "$+<=>^`|~ €£ × ÷ № ™", "100 characters": long, "101 characters": long + "x",
        "100 after stripping": "é" * 100, "100 without marks": "e\u0301\u0302" * 100,
        "Chinese beside marks": "中\u0302中", "late decomposition": "\U00011938",
        "spacing marks in order": "a\u302e\U0001d165", "a starter between": "a\u302e\ufe0f\U0001d165",
    }.items():
        yield name, text, 0
        yield name + ", cased", text, 1
    for i, raw in enumerate([b"\xff", b"caf\xe9 noir", b"a\xe2\x82b", b"\xed\xa0\x80x", b"a\xf0\x9f\x92",
                             b"\xc0\xafz", b"\xf4\x90\x80\x80y", b"\xe2\x82\xac\x80"]):
        yield f"no UTF-8 {i}", raw, 0
    for literal in LITERALS:
        yield f"literal {literal}", literal, 0
        yield f"literal {literal}, own special tokens", f"a{literal}b", 6


def write_probes(tokenizers):
    rows = []
    for name, text, which in probes():
        row = {"name": name, "settings": which}
        row |= {"hex": text.hex()} if isinstance(text, bytes) else {"text": text}
        text = text.decode(errors="replace") if isinstance(text, bytes) else text
        rows.append(row | {"ids": tokenizers[which].encode(text).ids})
    write_lines(FOLDER / "probes.jsonl", rows)


def write_code_points():
    """One word a line of what the normaliser and pre-tokenizer make of a, the code point, b."""
    split = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    kinds = []
    for lowercase in (True, False):
        for strip in (True, False):
            rules = normalizers.BertNormalizer(
                clean_text=True, handle_chinese_chars=True, strip_accents=strip, lowercase=lowercase
            )
            blocks = []
            for begin in range(0, 0x110000, 0x1000):
                seen = hashlib.sha256()
                for c in range(begin, begin + 0x1000):
                    if 0xD800 <= c < 0xE000:
                        continue
                    words = split(rules.normalize_str(f"a{chr(c)}b"))
                    seen.update(("\n".join(word for word, _ in words) + "\n\n").encode())
                blocks.append(seen.hexdigest()[:8])
            kinds.append({"lowercase": lowercase, "strip_accents": strip, "blocks": blocks})
    (FOLDER / "code_points.json").write_text(json.dumps(kinds, indent=0) + "\n")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    tokens = make_vocabulary()
    assert len(set(tokens)) == len(tokens)
    (FOLDER / "vocab.txt").write_text("\n".join(tokens) + "\n", newline="\n")
    vocabulary = {token: i for i, token in enumerate(tokens)}
    tokenizers = [reference(vocabulary, settings) for settings in SETTINGS]

    real_file = CACHE / "encoders/minilm/vocab.txt"
    real = reference(read_vocabulary(real_file), {})
    settings = {
        "tokenizers": __version__,
        "settings": [json.dumps({"vocab": "vocab.txt"} | s, ensure_ascii=False) for s in SETTINGS],
        "minilm_vocab_sha256": hashlib.sha256(real_file.read_bytes()).hexdigest(),
    }
    (FOLDER / "settings.json").write_text(json.dumps(settings, indent=1, ensure_ascii=False) + "\n")

    def digests(text, i):
        turn = 2 + i % (len(SETTINGS) - 2)
        return "".join(digest(tokenizers[k].encode(text).ids) for k in (0, 1, turn))

    rows = [
        [text, digests(text, i) + digest(real.encode(text).ids)]
        for i, text in enumerate(varied_lines(10_000, 3, tokens[97:]))
    ]
    write_lines(FOLDER / "lines.jsonl", rows)
    rows = [
        [raw.hex(), digests(raw.decode(errors="replace"), i)]
        for i, raw in enumerate(broken_bytes(1000, 4))
    ]
    write_lines(FOLDER / "broken.jsonl", rows)
    write_probes(tokenizers)
    write_code_points()


if __name__ == "__main__":
    main()
