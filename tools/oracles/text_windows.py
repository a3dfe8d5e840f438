"""Writes tests/data/modality/text/windows.jsonl with Hugging Face `tokenizers`: texts of several
scripts truncated with a stride. A line is {"settings": ours, "text", "ids": [[…], …]}; a last window
that is shorter is padded to the length of the first, as a batch is.

    text_windows.py
"""

import json
import random

from text_golden import FOLDER, SETTINGS, read_vocabulary, reference
from text_lines import varied_lines

CASES = [(12, 3), (12, 0), (7, 4), (3, 0), (24, 11), (64, 16)]
WINDOWS = 200


def main():
    vocabulary = read_vocabulary(FOLDER / "vocab.txt")
    chance = random.Random(4)
    pieces = [token for token in vocabulary if not token.startswith("[")]
    lines = varied_lines(400, 4, pieces)
    texts = ["", "!", "! ? . , ; : ! ? . ,", "! ? . , ; : ! ? . , !"]
    for _ in range(30):
        texts.append(" ".join(chance.sample(lines, chance.randint(1, 6))))
    out = []
    for tokens_max, stride in CASES:
        tokenizer = reference(vocabulary, SETTINGS[0])
        tokenizer.enable_truncation(tokens_max, stride=stride)
        for text in texts:
            first = tokenizer.encode(text)
            windows = [first.ids] + [more.ids for more in first.overflowing]
            padding = vocabulary["[PAD]"]
            rows = [ids + [padding] * (len(windows[0]) - len(ids)) for ids in windows]
            if len(windows) <= WINDOWS:
                settings = f"tokens_max: {tokens_max}, windows: {WINDOWS}, stride: {stride}"
                out.append({"settings": settings, "text": text, "ids": rows})
    (FOLDER / "windows.jsonl").write_text(
        "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in out))


if __name__ == "__main__":
    main()
