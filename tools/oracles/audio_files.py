"""Small sounds of every kind that the audio preprocessor reads or refuses, by arithmetic."""

import io
import pathlib
import struct

import numpy as np
import soundfile

BARISTA = pathlib.Path("/work/shared/data/barista-speech-intent")


def voice(rate, seconds, seed=5):
    """Syllables of a gliding pitch with formant-like harmonics, a pause, and a little noise."""
    time = np.arange(int(rate * seconds)) / rate
    generator = np.random.default_rng(seed)
    pitch = 140 + 40 * np.sin(2 * np.pi * 1.5 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    sound = np.zeros_like(time)
    for harmonic in range(1, int(rate / 2 / 200)):
        hz = harmonic * pitch
        gain = np.exp(-((hz - 600) / 400) ** 2) + 0.4 * np.exp(-((hz - 2300) / 700) ** 2) + 0.01
        sound += gain * np.sin(harmonic * phase)
    syllables = np.clip(np.sin(2 * np.pi * 3 * time), 0, 1) ** 0.5
    sound = 0.2 * sound * syllables + generator.normal(0, 0.003, time.size)
    return sound.clip(-0.95, 0.95)


def written(samples, rate, **options):
    out = io.BytesIO()
    soundfile.write(out, samples, rate, **options)
    return out.getvalue()


def chunk(name, data, size=None):
    return name + struct.pack("<I", len(data) if size is None else size) + data + b"\0" * (
        len(data) % 2)


def fmt(codec, channels, rate, bits, block=None):
    block = channels * bits // 8 if block is None else block
    return chunk(b"fmt ", struct.pack("<HHIIHH", codec, channels, rate, rate * block, block, bits))


def wav(*chunks):
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def pcm24(samples):
    whole = np.round(samples * (2**23 - 1)).astype("<i4")
    return whole.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()


def an_order():
    """1.2 s of a spoken order: speech-to-intent-benchmark of Picovoice, Apache-2.0, in G.711."""
    with open(BARISTA / "audio_mulaw8k.bin", "rb") as file:
        file.seek(20000)
        data = file.read(9600)
    return wav(fmt(7, 1, 8000, 8), chunk(b"data", data))


def accepted():
    mono = voice(16000, 0.6)
    stereo = np.stack([voice(22050, 0.5, 1), voice(22050, 0.5, 2)], -1)
    wide = voice(44100, 0.4, 3)
    four = np.stack([voice(8000, 0.3, seed) for seed in range(4)], -1)
    short = voice(8000, 0.3, 9)
    data24 = pcm24(short)
    return {
        "mono16.wav": written(mono, 16000, format="WAV", subtype="PCM_16"),
        "order.wav": an_order(),
        "stereo.flac": written(stereo, 22050, format="FLAC", subtype="PCM_16"),
        "wide.ogg": written(wide, 44100, format="OGG", subtype="VORBIS"),
        "wide.mp3": written(wide, 44100, format="MP3", subtype="MPEG_LAYER_III"),
        "wide.opus": written(voice(48000, 0.3, 4), 48000, format="OGG", subtype="OPUS"),
        "four.wav": written(four, 8000, format="WAV", subtype="FLOAT"),
        "adpcm.wav": written(short, 8000, format="WAV", subtype="IMA_ADPCM"),
        # torchcodec#1378: 24 bits, and a chunk behind the samples that are no samples.
        "pcm24_behind.wav": wav(chunk(b"LIST", b"INFOISFT\x05\0\0\0abcd\0"), fmt(1, 1, 8000, 24),
                                chunk(b"data", data24), chunk(b"LIST", b"\x7f" * 301)),
        "pcm24.wav": wav(fmt(1, 1, 8000, 24), chunk(b"data", data24)),
        # ffmpeg writes this where it cannot seek.
        "streamed.wav": wav(fmt(1, 1, 8000, 24), chunk(b"data", data24, 0xFFFFFFFF)),
    }
