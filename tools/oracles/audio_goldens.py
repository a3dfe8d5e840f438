"""Writes tests/data/modality/audio: sounds, settings and what librosa and Kaldi make of them.

    audio_goldens.py [OUT_FOLDER]

cases.yaml lists the cases; a case's expected tensor begins `at` an FP32 value of expected.bin. The
numbers come from soundfile, soxr, librosa and kaldi-native-fbank. What `convention: torchaudio`
asks for is computed by librosa with torchaudio's parameters, since torchaudio is gigabytes large;
audio_torchaudio.py shows, where there is a torchaudio, that it gives the same.
"""

import io
import json
import pathlib
import sys

import kaldi_native_fbank
import librosa
import numpy as np
import soundfile

import audio_files

DEFAULTS = {
    "librosa": {"n_fft": 2048, "hop": 512, "pad_mode": "constant", "bands": 128,
                "mel_scale": "slaney", "mel_norm": "slaney", "range": 80, "coefficients": 20,
                "delta_width": 9},
    "torchaudio": {"n_fft": 400, "hop": 200, "pad_mode": "reflect", "bands": 128,
                   "mel_scale": "htk", "mel_norm": "none", "range": 0, "coefficients": 40,
                   "delta_width": 5},
}


def samples_of(data, settings):
    """librosa.load's way, with our settings."""
    sound, rate = soundfile.read(io.BytesIO(data), dtype="float32", always_2d=True)
    mix = settings.get("mix", "mean")
    mono = sound.mean(axis=1) if mix == "mean" else sound[:, 0 if mix == "first" else 1]
    wanted = settings.get("rate", 16000)
    y = librosa.resample(mono, orig_sr=rate, target_sr=wanted,
                         res_type=settings.get("resampler", "soxr_hq"))
    if "trim_db" in settings:
        y, _ = librosa.effects.trim(y, top_db=settings["trim_db"])
    if settings.get("normalise"):
        y = (y - y.mean()) / np.sqrt(y.var() + 1e-7)
    if "seconds" in settings:
        length = round(settings["seconds"] * wanted)
        spare = max(len(y) - length, 0)
        begin = {"begin": 0, "centre": spare // 2, "end": spare}[settings.get("crop", "begin")]
        y = librosa.util.fix_length(y[begin:], size=length)
    return y, wanted


def logarithm(spectrum, s, of_amplitudes):
    unit = s.get("log", "db")
    floor = s.get("log_floor", 1e-5 if of_amplitudes and s["convention"] == "librosa" else 1e-10)
    limit = s["range"] or None
    if unit == "db" and s.get("log_guard", "clamp") == "clamp":
        to_db = librosa.amplitude_to_db if of_amplitudes else librosa.power_to_db
        ref = np.max if s.get("log_relative") else 1.0
        return to_db(spectrum, ref=ref, amin=floor, top_db=limit)
    guarded = spectrum + floor if s.get("log_guard") == "add" else np.maximum(spectrum, floor)
    logs = {"ln": np.log, "log10": np.log10}[unit](guarded)
    if s.get("log_relative"):
        logs = logs - logs.max()
    return np.maximum(logs, logs.max() - s["range"]) if "range" in s["said"] else logs


def torchaudio_deltas(x, width):
    """torchaudio.functional.compute_deltas: the formula of its documentation, edges replicated."""
    half = width // 2
    padded = np.pad(x, ((0, 0), (half, half)), mode="edge")
    total = sum(n * (padded[:, half + n: half + n + x.shape[1]]
                     - padded[:, half - n: half - n + x.shape[1]]) for n in range(1, half + 1))
    return total / (2 * sum(n * n for n in range(1, half + 1)))


def deltas_of(x, s):
    rows = [x]
    for order in range(1, s.get("deltas", 0) + 1):
        if s["convention"] == "librosa":
            rows.append(librosa.feature.delta(x, width=s["delta_width"], order=order))
        else:
            rows.append(torchaudio_deltas(rows[-1], s["delta_width"]))
    return np.concatenate(rows)


def with_librosa(y, rate, settings):
    s = {**DEFAULTS[settings.get("convention", "librosa")], "convention": "librosa", **settings,
         "said": settings}
    if s["convention"] == "torchaudio" and s["features"] == "mfcc":
        s["range"] = settings.get("range", 80)
    window_length = s.get("window_length", s["n_fft"])
    hop = s.get("hop") if "hop" in settings or s["convention"] == "librosa" else window_length // 2
    power = s.get("power", 2)
    x = librosa.feature.melspectrogram(
        y=y, sr=rate, n_fft=s["n_fft"], hop_length=hop, win_length=window_length,
        window={"rectangular": "boxcar"}.get(s.get("window", "hann"), s.get("window", "hann")),
        center=s.get("centre", True), pad_mode=s["pad_mode"], power=power, n_mels=s["bands"],
        fmin=s.get("f_min", 0), fmax=s.get("f_max", rate / 2), htk=s["mel_scale"] == "htk",
        norm=None if s["mel_norm"] == "none" else "slaney")
    if s["features"] != "mel":
        x = logarithm(x, s, power == 1)
    if s["features"] == "mfcc":
        x = librosa.feature.mfcc(S=x, n_mfcc=s["coefficients"], lifter=s.get("lifter", 0))
    return deltas_of(x, s)


def with_kaldi(y, rate, settings):
    is_mfcc = settings["features"] == "mfcc"
    options = kaldi_native_fbank.MfccOptions() if is_mfcc else kaldi_native_fbank.FbankOptions()
    options.frame_opts.samp_freq = rate
    options.frame_opts.dither = 0
    options.mel_opts.num_bins = settings.get("bands", 23)
    options.mel_opts.low_freq = settings.get("f_min", 20)
    options.mel_opts.high_freq = settings.get("f_max", 0)
    options.use_energy = False
    if is_mfcc:
        options.num_ceps = settings.get("coefficients", 13)
    kind = kaldi_native_fbank.OnlineMfcc if is_mfcc else kaldi_native_fbank.OnlineFbank
    computer = kind(options)
    computer.accept_waveform(rate, (y * settings.get("scale", 1)).tolist())
    computer.input_finished()
    frames = np.stack([computer.get_frame(i) for i in range(computer.num_frames_ready)])
    return deltas_of(frames.T, {"convention": "kaldi", "delta_width": 5, **settings})


def pooled(x, settings):
    said = [x.mean(axis=1, dtype=np.float64), x.std(axis=1, dtype=np.float64)]
    segments = settings.get("segments", 0)
    if segments:
        parts = np.array_split(x, segments, axis=1) if x.shape[1] >= segments else [x] * segments
        said += [part.mean(axis=1, dtype=np.float64) for part in parts]
    if settings.get("length"):
        said.append([np.log(x.shape[1])])
    return np.concatenate(said)[None]


def expected(data, settings):
    y, rate = samples_of(data, settings)
    if settings.get("features") == "waveform":
        return y[None]
    settings = {"features": "log_mel", **settings}
    is_kaldi = settings.get("convention") == "kaldi"
    x = (with_kaldi if is_kaldi else with_librosa)(y, rate, settings)
    if "frames" in settings:
        spare = max(x.shape[1] - settings["frames"], 0)
        begin = {"begin": 0, "centre": spare // 2, "end": spare}[settings.get("crop", "begin")]
        x = x[:, begin: begin + settings["frames"]]
        x = np.pad(x, ((0, 0), (0, settings["frames"] - x.shape[1])),
                   constant_values=settings.get("frame_pad", 0))
    x = (x - settings.get("mean", 0)) / settings.get("std", 1)
    if settings.get("pool") == "mean_std":
        return pooled(x, settings)
    layout = settings.get("layout", "frames_first" if is_kaldi else "bands_first")
    return (x.T if layout == "frames_first" else x)[None]


SMALL = {"n_fft": 512, "hop": 160, "bands": 40}
CASES = [
    ("mono16.wav", {}),
    ("mono16.wav", {"convention": "torchaudio", "bands": 64}),
    ("mono16.wav", {"convention": "torchaudio", "features": "mfcc", "deltas": 2,
                    "coefficients": 13}),
    ("mono16.wav", {"features": "mfcc", "deltas": 2, "lifter": 22, "n_fft": 1024, "hop": 256}),
    ("mono16.wav", {"convention": "kaldi", "bands": 80, "scale": 32768}),
    ("mono16.wav", {"convention": "kaldi", "features": "mfcc", "scale": 32768, "deltas": 1}),
    ("mono16.wav", {"features": "mel", "power": 1, "mel_scale": "htk", "window": "hamming",
                    "n_fft": 480, "window_length": 400, "hop": 240, "bands": 30}),
    ("mono16.wav", {**SMALL, "power": 1, "pad_mode": "edge", "log_relative": True}),
    ("mono16.wav", {**SMALL, "centre": False, "log": "ln", "log_floor": 1e-6, "log_guard": "add",
                    "f_min": 50, "f_max": 7600, "layout": "frames_first"}),
    # Whisper's features: 30 s there, one second here.
    ("mono16.wav", {"n_fft": 400, "hop": 160, "bands": 80, "pad_mode": "reflect", "seconds": 0.5,
                    "log": "log10", "range": 8, "mean": -4, "std": 4, "frames": 50}),
    ("order.wav", {**SMALL, "rate": 8000, "pool": "mean_std"}),
    ("order.wav", {**SMALL, "window": "blackman", "pool": "mean_std", "trim_db": 30}),
    ("order.wav", {"features": "waveform", "rate": 8000, "normalise": True, "seconds": 0.2,
                   "crop": "centre"}),
    ("stereo.flac", {**SMALL, "pool": "mean_std"}),
    ("stereo.flac", {"features": "waveform", "mix": "second", "seconds": 0.25, "crop": "end"}),
    ("stereo.flac", {"features": "waveform", "rate": 22050, "mix": "first", "seconds": 0.02}),
    ("wide.ogg", {**SMALL, "pool": "mean_std"}),
    ("wide.mp3", {**SMALL, "frames": 60, "frame_pad": -1, "mean": -4, "std": 2}),
    ("wide.opus", {**SMALL, "frames": 7, "crop": "centre"}),
    ("four.wav", {"features": "waveform", "rate": 16000, "resampler": "soxr_vhq"}),
    ("adpcm.wav", {"features": "waveform", "rate": 8000}),
    ("pcm24_behind.wav", {"features": "waveform", "rate": 8000}),
    ("pcm24.wav", {"features": "waveform", "rate": 8000}),
    ("stereo.flac", {**SMALL, "pool": "mean_std", "segments": 6, "length": True}),
    ("order.wav", {**SMALL, "pool": "mean_std", "segments": 7, "mean": -40, "std": 20}),
    ("mono16.wav", {**SMALL, "seconds": 0.02, "pool": "mean_std", "segments": 9, "length": True}),
]


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/modality/audio"
    out.mkdir(parents=True, exist_ok=True)
    files = audio_files.accepted()
    for name, data in files.items():
        (out / name).write_bytes(data)
    values = []
    lines = ["# Written by tools/oracles/audio_goldens.py."]
    at = 0
    for name, settings in CASES:
        tensor = np.ascontiguousarray(expected(files[name], settings), dtype="<f4")
        case = {"file": name, "at": at, "shape": list(tensor.shape), "settings": settings}
        lines.append("- " + json.dumps(case))
        values.append(tensor.ravel())
        at += tensor.size
    (out / "expected.bin").write_bytes(np.concatenate(values).tobytes())
    (out / "cases.yaml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
