"""Figures K1 and K2: sounds to features, Braid against torchaudio, kaldi-native-fbank and
soundfile + soxr.

    bench/k1_audio.py BUILD_FOLDER [--rounds N] [--speech FILE.wav]

Run by the Python of the oracles' venv; torchaudio takes part where that Python has it. Each round
runs the others, then audio_bench (a release build), on the same files, one thread each; a ratio is
taken within a round, so that a busy machine slows both. Times are CPU time of the process, and both
sides begin with the bytes of a file: the others decode with soundfile. `features` leaves decoding
out on their side only. Prints JSON: their time ÷ ours; above 1 is faster.
"""

import argparse
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = "1"
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools/oracles"))
import kaldi_native_fbank  # noqa: E402
import numpy as np  # noqa: E402
import soundfile  # noqa: E402
import soxr  # noqa: E402

import audio_files  # noqa: E402

try:
    import torch
    import torchaudio
    torch.set_num_threads(1)
except ImportError:
    torchaudio = None

SECONDS = 0.5  # a case and a round, each side
RATE = 16000


def read(data):
    return soundfile.read(io.BytesIO(data), dtype="float32")[0]


def kaldi(computer_type, options):
    options.frame_opts.dither = 0
    options.mel_opts.num_bins = 80

    def run(samples):
        computer = computer_type(options)
        computer.accept_waveform(RATE, samples)
        computer.input_finished()
        return [computer.get_frame(i) for i in range(computer.num_frames_ready)]
    return run


def fbank_options(kind):
    options = kind()
    if hasattr(options, "use_energy"):
        options.use_energy = False
    return options


def cases():
    """Name → (our settings, file, the others as functions of samples)."""
    logmel = {"kaldi-native-fbank": kaldi(kaldi_native_fbank.OnlineFbank,
                                          fbank_options(kaldi_native_fbank.FbankOptions))}
    mfcc = {"kaldi-native-fbank": kaldi(kaldi_native_fbank.OnlineMfcc,
                                        fbank_options(kaldi_native_fbank.MfccOptions))}
    of_torch = {}
    of_torch_mfcc = {}
    if torchaudio is not None:
        mel = torchaudio.transforms.MelSpectrogram(RATE, n_fft=400, hop_length=160, n_mels=80)
        to_db = torchaudio.transforms.AmplitudeToDB("power")
        cepstrum = torchaudio.transforms.MFCC(
            RATE, n_mfcc=40, melkwargs={"n_fft": 400, "hop_length": 160, "n_mels": 80})
        of_torch["torchaudio"] = lambda samples: to_db(mel(torch.from_numpy(samples)))
        of_torch_mfcc["torchaudio"] = lambda samples: cepstrum(torch.from_numpy(samples))
    torch_settings = "convention: torchaudio, hop: 160, bands: 80"
    found = {
        "K1 log-mel, Kaldi": ("{convention: kaldi, bands: 80}", "speech.wav", logmel),
        "K1 MFCC, Kaldi": ("{convention: kaldi, features: mfcc, bands: 80}", "speech.wav", mfcc),
        "K1 log-mel, torchaudio": ("{%s}" % torch_settings, "speech.wav", of_torch),
        "K1 MFCC, torchaudio": ("{%s, features: mfcc}" % torch_settings, "speech.wav",
                                of_torch_mfcc),
    }
    return {name: case for name, case in found.items() if case[2]}


def decode_and_resample(data):
    samples, rate = soundfile.read(io.BytesIO(data), dtype="float32")
    if samples.ndim == 2:
        samples = samples.mean(axis=1)
    return soxr.resample(samples, rate, RATE, quality="HQ")


def write_files(folder, speech_file):
    voice = audio_files.voice
    speech = voice(RATE, 10.0)
    stereo = np.stack([voice(44100, 10.0, 1), voice(44100, 10.0, 2)], -1)
    if speech_file is not None:
        samples, rate = soundfile.read(speech_file, dtype="float32")
        speech = soxr.resample(samples, rate, RATE)
        left = soxr.resample(samples, rate, 44100)
        stereo = np.stack([left, np.roll(left, 441)], -1)
    (folder / "speech.wav").write_bytes(
        audio_files.written(speech, RATE, format="WAV", subtype="PCM_16"))
    for name, samples in (("mono", stereo[:, 0]), ("stereo", stereo)):
        (folder / f"{name}.flac").write_bytes(
            audio_files.written(samples, 44100, format="FLAC", subtype="PCM_16"))
        (folder / f"{name}.ogg").write_bytes(
            audio_files.written(samples, 44100, format="OGG", subtype="VORBIS"))


def cpu_ms(run, argument):
    run(argument)
    count = 0
    begin = time.process_time()
    while (elapsed := time.process_time() - begin) < SECONDS:
        run(argument)
        count += 1
    return elapsed / count * 1e3


def braid_ms(build, settings, file):
    command = [build / "audio_bench", "--benchmark_format=json",
               f"--benchmark_min_time={SECONDS}", settings, file]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    each = json.loads(run.stdout)["benchmarks"][0]
    return each["cpu_time"] * {"ns": 1e-6, "us": 1e-3, "ms": 1.0}[each["time_unit"]]


def summary(values):
    return {"min": round(min(values), 2), "median": round(statistics.median(values), 2),
            "max": round(max(values), 2)}


def one_round(build, folder, results):
    def note(name, other, theirs, ours):
        results.setdefault(f"{name} ÷ {other}", []).append(theirs / ours)
        results.setdefault(f"{name}: braid ms", []).append(ours)

    for name, (settings, file, others) in cases().items():
        data = (folder / file).read_bytes()
        samples = read(data)
        theirs = {}
        for other, run in others.items():
            theirs[other] = cpu_ms(lambda d, run=run: run(read(d)), data)
            theirs[f"{other} (features)"] = cpu_ms(run, samples)
        ours = braid_ms(build, settings, folder / file)
        for other, value in theirs.items():
            note(name, other, value, ours)
    for file in ("mono.flac", "stereo.flac", "mono.ogg", "stereo.ogg"):
        theirs = cpu_ms(decode_and_resample, (folder / file).read_bytes())
        ours = braid_ms(build, "{features: waveform, rate: 16000}", folder / file)
        note(f"K2 {file}", "soundfile + soxr", theirs, ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--speech", type=pathlib.Path, help="ten seconds; else a made-up voice")
    arguments = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write_files(folder, arguments.speech)
        for _ in range(arguments.rounds):
            one_round(arguments.build, folder, results)
    print(json.dumps({
        "what": "their CPU time ÷ Braid's, ten seconds of sound, one thread; bytes to tensor",
        "rounds": arguments.rounds, "load": os.getloadavg()[0],
        "torchaudio": getattr(torchaudio, "__version__", "not installed"),
        "results": {name: summary(values) for name, values in sorted(results.items())},
    }, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
