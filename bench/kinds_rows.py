"""What bench/kinds.sh measured, as rows of evidence.

    bench/kinds_rows.py OUT > rows.json

OUT holds the results of the scripts, one JSON a script; those that are not there give no rows.
"""

import json
import pathlib
import sys


def of_spread(identity, what, spread, goal, unit="×", note=""):
    return {"id": identity, "what": what, "value": spread["median"], "low": spread["min"],
            "high": spread["max"], "unit": unit, "goal": goal, "note": note}


def slug(name):
    return "".join(c if c.isalnum() else "_" for c in name.lower()).strip("_")


def audio(result):
    """K1 counts the faster of those that were asked; K2 each file."""
    faster = {}
    for name, spread in result["results"].items():
        case, _, other = name.partition(" ÷ ")
        if not other or other.endswith("(features)"):
            continue
        if case not in faster or spread["median"] < faster[case][1]["median"]:
            faster[case] = (other, spread)
    for case, (other, spread) in sorted(faster.items()):
        figure, _, what = case.partition(" ")
        yield of_spread(f"{figure}.{slug(what)}", f"{what}: {other} ÷ Braid, CPU time", spread, ">= 1")


def nifti(result, identity="K3.nifti", what="generated volumes of scanners' sizes"):
    yield of_spread(identity, f".nii.gz to a resampled tensor: nibabel + scipy ÷ Braid; {what}",
                    result["ratio"], ">= 3", note=f"{len(result['volumes'])} volumes")


def nifti_real(result):
    yield from nifti(result, "K3.nifti_real", "hippocampus-mri, 44 × 60 × 48")


def dicom(result):
    yield of_spread("K3.dicom", "DICOM series in a zip to a resampled tensor: pydicom + scipy ÷ Braid",
                    result["ratio"], ">= 3", note=f"{len(result['series'])} series")
    for name, each in result["series"].items():
        yield of_spread(f"K3.dicom_{slug(name.removesuffix('.zip'))}", f"the same: {name}",
                        each["ratio"], "", note=f"{each['braid_ms']} ms")


def image(result):
    for kind, each in result["results"].items():
        yield of_spread(f"K4.{kind}", f"{kind.upper()} to 224 × 224 tensor: {each['faster']}, the faster "
                        "of Pillow and libvips, ÷ Braid, CPU time", each["ratio"], ">= 1",
                        note=f"Pillow {result['pillow']}, libvips {result['libvips']}")


def ngrams(result):
    for name, each in result["results"].items():
        yield of_spread(f"K5.ngrams_{slug(name)}", f"tf-idf of {name}: scikit-learn ÷ Braid, CPU time",
                        each["weigh"], ">= 5", note=f"{result['texts']} texts, {each['terms']} terms")
        yield of_spread(f"K5.ngrams_fit_{slug(name)}", f"fitting it: scikit-learn ÷ Braid, CPU time",
                        each["fit"], "")


def drain(result):
    for name, each in result["results"].items():
        for kind, goal in (("fit", ">= 10"), ("match", "")):
            yield of_spread(f"K5.drain_{kind}_{slug(name)}", f"Drain, {kind}, {name}: drain3 ÷ Braid, "
                            "CPU time", each[kind], goal, note=f"{result['lines']} lines")


def video(result):
    yield of_spread("K6", "clip of 25 fps, 360 × 288, to 16 frames and sound: PyAV ÷ Braid, CPU time",
                    result["ratio"], ">= 1", note=f"{len(result['clips'])} clips")


GOLDENS = {
    "log_mel": ("log-mel: largest difference", "<= 0.001"),
    "mfcc": ("MFCC: largest difference", "<= 0.001"),
    "image": ("pictures: largest difference, of the range", "<= 0.003922"),
    "volume": ("NIfTI and NPY: largest difference, relative", "<= 0.0001"),
    "dicom": ("DICOM: largest difference, relative", "<= 0.0001"),
    "dicom_lossy": ("DICOM of lossy JPEG: largest difference, relative", ""),
    "series": ("series: largest difference, relative", ""),
    "video_mean": ("clips of 8 bits: largest mean difference of a case, of the range", "<= 0.003922"),
    "video_ten_bits": ("a clip of 10 bits, which another FFmpeg rounds to 8 otherwise: the same", ""),
    "video_sound": ("sound of clips: largest difference", "<= 0.001"),
    "text_ids": ("text: rows with other ids", "<= 0"),
    "ngrams_ids": ("n-grams: golden tests that fail", "<= 0"),
    "log_ids": ("logs: golden tests that fail", "<= 0"),
}


def goldens(result):
    for name, each in result["sets"].items():
        if name in GOLDENS:
            what, goal = GOLDENS[name]
            yield {"id": f"K7.{name}", "what": what, "value": each["largest"], "goal": goal,
                   "holds": None if each["failed"] == 0 else False, "note": f"{each['cases']} cases"}


def start(result):
    for name, spread in result.get("start_ms", {}).items():
        goal = "<= 50 ms" if name == "without" else ""
        yield of_spread(f"K8.start_{name}", f"server start to ready, {name} video and DICOM pipelines",
                        spread, goal, "ms")
    for name, each in result["modules"].items():
        yield of_spread(f"K8.module_{name}", f"opening the module {name}, once a process",
                        each["open_ms"], "", "ms", f"{each['resident_mib']['median']} MiB resident")


def dicom_module(result):
    yield {"id": "K8.module_dicom_first_frame", "what": "the module dicom: its first frame",
           "value": result["first_frame_ms"], "unit": "ms",
           "note": f"the second: {result['second_frame_ms']} ms"}


def hostile(rows):
    yield from rows


SCRIPTS = (audio, nifti, nifti_real, dicom, image, ngrams, drain, video, goldens, start, dicom_module,
           hostile)


def main():
    out = pathlib.Path(sys.argv[1])
    rows = []
    for script in SCRIPTS:
        file = out / f"{script.__name__}.json"
        if file.exists():
            rows.extend(script(json.loads(file.read_text())))
    json.dump(rows, sys.stdout, ensure_ascii=False, indent=1)
    print()


if __name__ == "__main__":
    main()
