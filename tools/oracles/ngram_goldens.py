"""Writes tests/data/modality/ngrams: tables, texts and what scikit-learn makes of them.

    ngram_goldens.py [OUT_FOLDER]

table_word.json, table_char.json   tables of terms as docs/ngrams-and-logs.md exports a vectoriser
texts.json                         {"fit": [...], "weigh": [...], "broken": [hexadecimal]}
cases.jsonl                        a line a vectoriser: its settings by scikit-learn's names, the
                                   terms and idf that it fitted on "fit", and the rows that it gives
                                   for "weigh" and "broken" as [columns, values]
"""

import json
import pathlib
import random
import sys

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

CORNERS = [
    "", " ", "a", "a b c", "ab", "\n", "  two  blanks \t and\ta tab ", "don't stop_me now",
    "ΟΔΟΣ ΣΟΦΟΣ Σ ΑΣ. ΑΣΑ", "İstanbul DIYARBAKIR ISPARTA", "straße STRASSE ǅ Ǆ",
    "हिन्दी में लिखा हुआ", "中文没有空格 的句子", "日本語のテキスト", "naïve café", "nai\u0308ve cafe\u0301",
    "x² ³ ½ Ⅷ ௰ ①② ٣٤٥ 三四", "emoji 😀😀 are no words", "under_score __init__ _", "a-b c-d e.f",
    "\u00a0no\u00a0break\u2003em\u3000wide", "line\u2028separator\u2029para\x85nel", "\x1c\x1d\x1e\x1f file",
    "zero\u200bwidth\u200djoiner soft\u00adhyphen", "ﬁ ligature ŉ ΐ", "𝒜𝒷𝒸 𝟘𝟙𝟚", "\ufeffbom first",
    "A\u0301 B\u0327 c\u0328", "the the the the the the the the", "tab\t\tdouble\n\nline",
    "10 000 3.14 1e-5 0xFF", "ÀÉÎÕÜ àéîõü", "Ωmega Ω", "K kelvin Å angstrom", "\ufffd replaced",
    # Public reports 107, 108, 110, 111, 113, of tokenizers but of kinds that any reader of text meets
    "Kantō lǜshi", "Kanto\u0304 lu\u0308\u0300shi", "💩💩", "\u0e38", "a\ufffdb cd\ufffdef",
    " leading  trailing   ", "<unk> 你好 <unk>",
]
WORDS = ("the patient was seen with acute chest pain and fever no cough reported today "
         "x-ray shows left lower lobe pneumonia started on antibiotics oxygen 2l/min stable "
         "book a table for two people at 7 pm in San José please find me flights to Zürich on "
         "März 3rd что это значит Здравствуйте мир γεια σου κόσμε fièvre élevée").split()
BROKEN = [b"caf\xe9 au lait", b"\xff\xfe", b"abc \xe2\x82 def", b"\xf0\x9f\x98", b"ok \xc0\xaf ok",
          b"\xed\xa0\x80surrogate", b"good text \x80\x80 more text"]
CASES = [
    {},
    {"ngram_range": [1, 2], "sublinear_tf": True},
    {"ngram_range": [2, 3], "lowercase": False, "smooth_idf": False},
    {"min_df": 2, "max_df": 0.5, "norm": None},
    {"min_df": 0.01, "use_idf": False},
    {"analyzer": "char", "ngram_range": [1, 3]},
    {"analyzer": "char", "ngram_range": [3, 5], "lowercase": False, "min_df": 2},
    {"analyzer": "char_wb", "ngram_range": [2, 4]},
    {"analyzer": "char_wb", "ngram_range": [3, 6], "sublinear_tf": True, "min_df": 3},
    {"analyzer": "char_wb", "ngram_range": [1, 1], "norm": None},
    {"max_features": 0, "ngram_range": [1, 2]},  # 0: a number at which no two terms tie
    {"max_features": 0, "analyzer": "char_wb", "ngram_range": [2, 3], "sublinear_tf": True},
]


def texts_to_fit():
    chance = random.Random(25)
    texts = list(CORNERS)
    for _ in range(160):
        words = [chance.choice(WORDS) for _ in range(chance.randint(1, 25))]
        words = [chance.choice([w, w, w, w.upper(), w.capitalize()]) for w in words]
        text = words[0]
        for word in words[1:]:
            text += chance.choice([" ", " ", " ", "  ", ", ", ". ", "\n", "-"]) + word
        texts.append(text)
    return texts


def untied(settings, texts):
    """The number of features nearest to 120 at whose border no two terms are equally frequent: which
    of them scikit-learn keeps depends on the sort of the machine."""
    given = {k: v for k, v in settings.items() if k in ("analyzer", "ngram_range")}
    counts = CountVectorizer(**{**given, "ngram_range": tuple(settings["ngram_range"])})
    frequent = sorted(counts.fit_transform(texts).toarray().sum(axis=0).tolist(), reverse=True)
    free = [i for i in range(1, len(frequent)) if frequent[i - 1] > frequent[i]]
    return min(free, key=lambda i: abs(i - 120))


def vectoriser(settings):
    given = dict(settings)
    given["ngram_range"] = tuple(given.get("ngram_range", (1, 1)))
    return TfidfVectorizer(decode_error="replace", **given)


def sparse_rows(matrix):
    matrix.sort_indices()
    rows = []
    for i in range(matrix.shape[0]):
        begin, end = matrix.indptr[i], matrix.indptr[i + 1]
        rows.append([matrix.indices[begin:end].tolist(),
                     [float(f"{v:.9g}") for v in matrix.data[begin:end]]])
    return rows


def table_of(fitted):
    """What docs/ngrams-and-logs.md shows."""
    return {
        "kind": "braid.ngrams.1",
        "rules": {"analyzer": fitted.analyzer, "ngram_range": list(fitted.ngram_range),
                  "lowercase": fitted.lowercase, "sublinear_tf": fitted.sublinear_tf,
                  "norm": fitted.norm or "none"},
        "terms": fitted.get_feature_names_out().tolist(),
        "idf": fitted.idf_.tolist(),
    }


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/modality/ngrams"
    out.mkdir(parents=True, exist_ok=True)
    fit = texts_to_fit()
    weigh = CORNERS + fit[-40:] + ["nothing of this is known qqq", " ".join(WORDS * 30)]
    (out / "texts.json").write_text(json.dumps(
        {"fit": fit, "weigh": weigh, "broken": [b.hex() for b in BROKEN]}, ensure_ascii=False))
    lines = []
    for settings in CASES:
        if settings.get("max_features") == 0:
            settings = {**settings, "max_features": untied(settings, fit)}
        fitted = vectoriser(settings).fit(fit)
        weights = fitted.idf_ if settings.get("use_idf", True) else [1.0] * len(
            fitted.vocabulary_)
        lines.append(json.dumps({
            "settings": {k: "none" if v is None else v for k, v in settings.items()},
            "terms": fitted.get_feature_names_out().tolist(),
            "idf": [float(f"{v:.12g}") for v in weights],
            "weigh": sparse_rows(fitted.transform(weigh)),
            "broken": sparse_rows(fitted.transform(BROKEN)),
        }, ensure_ascii=False))
    (out / "cases.jsonl").write_text("\n".join(lines) + "\n")
    for name, settings in (("word", {"ngram_range": [1, 2], "min_df": 2}),
                           ("char", {"analyzer": "char_wb", "ngram_range": [2, 4], "min_df": 8})):
        table = table_of(vectoriser(settings).fit(fit))
        (out / f"table_{name}.json").write_text(json.dumps(table, ensure_ascii=False) + "\n")
    (out / "sample_note.txt").write_text(fit[-1])
    (out / "sample_mixed.txt").write_text("\n".join(CORNERS[8:20]))


if __name__ == "__main__":
    main()
