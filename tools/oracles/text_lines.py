"""Ten thousand varied lines, the same each time, for text_golden.py and bench/a3_text.py.

Every kind of line is a function of a seeded generator. The tables of Unicode are those of this
Python, so the lines are kept in the tree rather than made anew by the test.
"""

import random
import sys
import unicodedata

PHRASES = """
the red fish swims under the old stone bridge
Zwei große Straßen führen zum weißen Schloß
Où est passé le garçon qui mangeait une pêche à Noël ?
El niño pequeño compró piñatas en la montaña mañana
Kantō no yama, Kyōto no kawa, Ōsaka no machi
lǜshi hé nǚshì xǐhuan hē chá
İstanbul'da ılık bir akşam, ISPARTA'da kırmızı ışık
ΟΔΥΣΣΕΥΣ και ο σοφός Σίσυφος της Ιθάκης
Съешь же ещё этих мягких булок, ёжик Йосиф
Їжак і ґудзик під дощем у Києві
Zażółć gęślą jaźń, łódź płynie
Příliš žluťoučký kůň úpěl ďábelské ódy
Árvíztűrő tükörfúrógép
Smørrebrød på Åland, Ærø og Tromsø
Þórður fór með Ástu til Ísafjarðar
Người Việt ăn phở ở Hà Nội mỗi sáng
กรุงเทพมหานคร เป็นเมืองหลวงของประเทศไทย
ສະບາຍດີ ຂອບໃຈຫຼາຍໆ
မင်္ဂလာပါ ကျေးဇူးတင်ပါတယ်
សួស្តី អរគុណច្រើន
नमस्ते, हिन्दी में क्षत्रिय और ज्ञान
বাংলা ভাষা খুব সুন্দর
ਪੰਜਾਬੀ ਬੋਲੀ ਮਿੱਠੀ ਹੈ
ગુજરાતી થાળી સ્વાદિષ્ટ છે
தமிழ் மொழி இனிமையானது
తెలుగు భాష తీయనిది
ಕನ್ನಡ ನಾಡು ಸುಂದರ
മലയാളം എഴുത്ത് ഭംഗിയുള്ളതാണ്
සිංහල අකුරු රවුම්
བོད་ཡིག་ནི་མཛེས་པོ་ཡིན།
ሰላም ለዓለም ፤ አዲስ አበባ ።
שָׁלוֹם עוֹלָם, בֹּקֶר טוֹב
السَّلَامُ عَلَيْكُمْ يا صديقي، كيف حالك؟
سلام دنیا، می‌خواهم چای بنوشم
اردو زبان بہت خوبصورت ہے۔
ქართული ენა ᲗᲑᲘᲚᲘᲡᲘ
Հայերեն լեզուն գեղեցիկ է։
ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ꭰꭱꭲ
ᐃᓄᒃᑎᑐᑦ ᐅᖃᐅᓯᖅ
монгол хэл ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ
今天天气很好，我们去公园散步吧。
漢字とかなを混ぜて書く、ガギグゲゴ ｶﾞｷﾞ
東京タワーは３３３メートルです！
한국어 문장을 띄어쓰기 하고 값을 읽다
훈민정음 ᄒᆞᆫ글 ㄱㄴㄷ
𠀀𠮷野家で牛丼を食べる 𪚥 𫝀 𫠠
𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝓼𝓬𝓻𝓲𝓹𝓽 𝟘𝟙𝟚 ℕ ⊆ ℤ
ﬁne ﬂower ﬀ Ǆ ǅ ǆ ĳ ŉ ﬆ
Ａ ｆｕｌｌ ｗｉｄｔｈ （ｔｅｘｔ） ￥１００
x² + y² ≠ z² ≮ 5 ≯ 7 ∄ α ∉ β
naïve café déjà-vu coöperate façade rôle
I'm sure they're John's; don't "quote" (me) -- ok...
price: $3.50 + 7% = €3,75 | £2 ^ 2 ~ `code` <b>bold</b>
mail me@example.org or see https://example.org/a_b?c=d&e=f#g
2024-02-29T23:59:60Z, 1,000,000.5e-7, 0xDEADBEEF, #42, v1.2.3-rc.4
def f(x): return {'a': [x**2 for x in range(10)]}  # why?
SELECT * FROM t WHERE a<>b AND c>=0;
C:\\path\\to\\file.txt /usr/local/bin ~/.cache
""".strip().split("\n")

EMOJI = """💩 😀 👍 👍🏽 👨‍👩‍👧‍👦 👩🏿‍🚀 🏳️‍🌈 🏴‍☠️ 🏴󠁧󠁢󠁷󠁬󠁳󠁿 🇩🇪 🇯🇵 1️⃣ #️⃣ ❤️ ❤ ☺️ ✂︎ 🫠 🪿 🫨 🀄 🃏 🈁 ㊙️ ©️ ™ ‼️ 🧑‍💻""".split(" ")
LITERALS = """[SEP] [CLS] [MASK] [PAD] [UNK] [sep] [Mask] [ SEP ] [SEP [SEP]] [[CLS]] [UNK]s
<unk> </s> <s> <pad> <mask> <|endoftext|> [unused1] [SEP][SEP] ##ing ## [SEPx] NUL é|""".split()
BLANKS = "  \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u180e\u2000\u2003\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
SPECIALS = "\0\ufffd\ufeff\u00ad\u200c\u200d\u200e\u202a\u202e\u2066\u061c\u180e\ufff9\ue000\U000f0000\U0010fffd\ufffe\uffff\x7f\x80\x9f\u034f\ufe0f"
# First and last code point of what random words are made of
SCRIPTS = [
    (0x61, 0x7A), (0x41, 0x5A), (0xC0, 0x24F), (0x250, 0x2FF), (0x370, 0x3FF), (0x400, 0x52F),
    (0x531, 0x58F), (0x591, 0x5F4), (0x600, 0x6FF), (0x700, 0x7BF), (0x900, 0x97F),
    (0x980, 0xDFF), (0xE01, 0xEDF), (0xF00, 0xFDA), (0x1000, 0x109F), (0x10A0, 0x10FF),
    (0x1100, 0x11FF), (0x1200, 0x139F), (0x13A0, 0x13FF), (0x1700, 0x17FF), (0x1800, 0x18AA),
    (0x1B00, 0x1BFF), (0x1C80, 0x1CBF), (0x1E00, 0x1FFF), (0x2C00, 0x2DFF), (0x3041, 0x30FF),
    (0x3400, 0x3410), (0x4E00, 0x9FFF), (0xA000, 0xA4C6), (0xA640, 0xA7FF), (0xA880, 0xAAFF),
    (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE70, 0xFFEF), (0x10400, 0x1044F),
    (0x10D00, 0x10D8F), (0x11000, 0x11FFF), (0x16EA0, 0x16ED3), (0x1D100, 0x1D7FF),
    (0x1E900, 0x1E95F), (0x1F300, 0x1FAFF), (0x20000, 0x20100), (0x2B700, 0x2BA00),
    (0x2F800, 0x2FA1F),
]


def of_category(*prefixes):
    return [
        chr(c) for c in range(sys.maxunicode + 1)
        if unicodedata.category(chr(c)).startswith(prefixes) and not 0xD800 <= c < 0xE000
    ]


MARKS = of_category("M")
SPACING_MARKS = [m for m in of_category("Mc", "Me") if unicodedata.combining(m)] + list("\u302e\u302f\U0001d165\U0001d16d")
LATE_MARKS = list("\u07fd\u0898\u09fe\u0c3c\u0d3b\u0eba\u1715\u1734\u1885\ua9bd\u1abf\u1df6\U00010d24\U00011070\U0001193d\U000111c9\U0001e130")
PUNCTUATION = of_category("P")
SYMBOLS = of_category("S")
SCALARS = sys.maxunicode + 1 - 0x800


class Lines:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def phrase(self):
        words = self.random.choice(PHRASES).split(" ")
        count = self.random.randint(1, 6)
        begin = self.random.randrange(max(1, len(words) - count + 1))
        return " ".join(words[begin : begin + count])

    def reshaped(self):
        """A phrase in another normal form and case."""
        text = self.phrase()
        form = self.random.choice(["NFC", "NFD", "NFKC", "NFKD"])
        case = self.random.choice([str.upper, str.title, str.lower, str.swapcase, str])
        return case(unicodedata.normalize(form, text))

    def scalar(self):
        c = self.random.randrange(SCALARS)
        return chr(c if c < 0xD800 else c + 0x800)

    def script_word(self, length):
        first, last = self.random.choice(SCRIPTS)
        return "".join(chr(self.random.randint(first, last)) for _ in range(length))

    def script_words(self):
        return " ".join(
            self.script_word(self.random.randint(1, 6)) for _ in range(self.random.randint(1, 3))
        )

    def mixed_scripts(self):
        return "".join(self.script_word(1) for _ in range(self.random.randint(1, 12)))

    def anything(self):
        return "".join(self.scalar() for _ in range(self.random.randint(1, 6)))

    def emoji(self):
        picked = [self.random.choice(EMOJI) for _ in range(self.random.randint(1, 3))]
        repeated = picked[0] * self.random.randint(1, 3)
        return self.random.choice(["", "so ", "nice"]) + repeated + "".join(picked[1:])

    def marked(self):
        """Bases under stacks of marks in any order, and marks with nothing before them."""
        text = self.random.choice(["", "", "a", "Z", "の", " "])
        for _ in range(self.random.randint(1, 3)):
            for _ in range(self.random.randint(1, 4)):
                pool = self.random.choice([MARKS, MARKS, SPACING_MARKS, LATE_MARKS])
                text += self.random.choice(pool)
            text += self.random.choice(["e", "O", "é", "ק", " ", "ا", "क", "\u200d", "", "."])
        return text

    def kept_marks(self):
        """Marks that stay, in any order, with starters that are dropped between some of them."""
        pool = SPACING_MARKS + LATE_MARKS + list("\u034f\ufe0f\u0900\u200d\u0301\u0316")
        return self.random.choice(["", "e", "O"]) + "".join(
            self.random.choice(pool) for _ in range(self.random.randint(2, 7))
        )

    def sprinkled(self, pool):
        """A phrase with characters of `pool` inside and around its words."""
        text = list(self.phrase()[:24])
        for _ in range(self.random.randint(1, 5)):
            text.insert(self.random.randint(0, len(text)), self.random.choice(pool))
        return "".join(text)

    def long_word(self):
        """As long as BERT's limit of 100 characters, or nearly."""
        piece = self.random.choice(["a", "ab", "é", "e\u0301", "ing", "ß", "\u1eae", "\u0e01\u0e38"])
        length = self.random.choice([98, 99, 100, 101, 102, 150])
        text = (piece * length)[: length * self.random.choice([1, 1, 2])]
        return self.random.choice(["", "so "]) + text + self.random.choice(["", ".", " end"])

    def long_text(self):
        return " ".join(self.phrase() for _ in range(self.random.randint(30, 50)))

    def blank(self):
        return "".join(self.random.choice(BLANKS) for _ in range(self.random.randint(0, 4)))

    def literal(self):
        glue = self.random.choice(["", " ", "a", "X", ".", "\u0301"])
        return glue.join(self.random.choice(LITERALS) for _ in range(self.random.randint(1, 4)))

    def made_up(self, pieces):
        """A word of the vocabulary's own pieces, so that the longest match has to be found."""
        words = []
        for _ in range(self.random.randint(1, 4)):
            parts = [self.random.choice(pieces) for _ in range(self.random.randint(1, 4))]
            words.append("".join(part.removeprefix("##") for part in parts))
        return " ".join(words)


def varied_lines(count, seed, pieces):
    lines = Lines(seed)
    kinds = [
        (16, lines.phrase), (12, lines.reshaped), (12, lambda: lines.made_up(pieces)),
        (9, lines.script_words), (5, lines.mixed_scripts), (5, lines.anything), (6, lines.emoji),
        (6, lines.marked), (2, lines.kept_marks), (6, lambda: lines.sprinkled(SPECIALS)),
        (5, lambda: lines.sprinkled(BLANKS)), (5, lambda: lines.sprinkled(PUNCTUATION)),
        (3, lambda: lines.sprinkled(SYMBOLS)), (2, lambda: lines.sprinkled(MARKS)),
        (5, lines.literal), (1, lines.long_word), (0.3, lines.long_text), (1, lines.blank),
    ]
    weights = [weight for weight, _ in kinds]
    functions = [function for _, function in kinds]
    return [lines.random.choices(functions, weights)[0]() for _ in range(count)]


def broken_bytes(count, seed):
    """UTF-8 with bytes cut out, put in, or changed, and sequences that are not allowed."""
    lines = Lines(seed)
    forbidden = [b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf4\x90\x80\x80",
                 b"\xf8\x88\x80\x80\x80", b"\xff", b"\xfe", b"\x80", b"\xf0\x9f\x92", b"\xe2\x82",
                 b"\xf0\x80\x80\x80", b"\xc2", b"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"]
    texts = []
    for _ in range(count):
        text = bytearray(lines.random.choice([lines.phrase, lines.emoji])().encode()[:40])
        for _ in range(lines.random.randint(1, 3)):
            at = lines.random.randint(0, len(text))
            how = lines.random.randrange(3)
            if how == 0:
                text[at:at] = lines.random.choice(forbidden)
            elif how == 1:
                del text[at : at + 1]
            else:
                text[at : at + 1] = bytes([lines.random.randrange(256)])
        texts.append(bytes(text))
    return texts
