"""Figure K7: the largest difference from the reference over each golden set.

    bench/k7_goldens.py MODALITY_TEST

Runs the golden tests of src/modality from the repository's root and reads what each of them recorded.
Logarithms as they are; pictures of 255 steps as a share of the range; volumes and series as a share of
the case's largest value; ids as a count of texts that differ. Prints JSON.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree


def cases(program):
    """(suite, properties, whether it failed) of each test that ran."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        subprocess.run([program, f"--gtest_output=xml:{report}",
                        "--gtest_filter=*Golden*"], check=False, stdout=subprocess.DEVNULL)
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            found = {each.get("name"): each.get("value") for each in case.iter("property")}
            if case.get("result") != "skipped":
                yield case.get("classname"), found, case.find("failure") is not None


def main():
    sets = {}

    def note(name, value, unit, failed):
        entry = sets.setdefault(name, {"largest": 0.0, "cases": 0, "failed": 0, "unit": unit})
        entry["largest"] = max(entry["largest"], float(value))
        entry["cases"] += 1
        entry["failed"] += failed

    suites = {"Image/GoldenPicture": "image", "Volume/GoldenVolume": "volume",
              "Series/GoldenSeries": "series"}
    for suite, found, failed in cases(str(pathlib.Path(sys.argv[1]).resolve())):
        largest = found.get("largest_difference")
        if suite == "Audio/GoldenSound" and largest:
            name = {"log_mel": "log_mel", "mfcc": "mfcc"}.get(found["features"], "sound_other")
            note(name, largest, "", failed)
        elif suite == "Dicom/GoldenDicom" and largest:
            note("dicom" if found["coding"] == "lossless" else "dicom_lossy", largest, "", failed)
        elif suite in suites and largest:
            note(suites[suite], largest, "", failed)
        elif suite == "Video/GoldenVideo" and "mean_difference" in found:
            note("video_mean" if found["coding"] == "8 bits" else "video_ten_bits",
                 found["mean_difference"], "", failed)
            if "sound_difference" in found:
                note("video_sound", found["sound_difference"], "", failed)
        elif suite == "TextGolden":
            note("text_ids", found.get("ids_different", int(failed)), "texts", failed)
        elif suite in ("NgramsGolden", "LogGolden"):
            note(suite.removesuffix("Golden").lower() + "_ids", int(failed), "tests", failed)
    print(json.dumps({"what": "largest difference from the reference over its goldens",
                      "sets": sets}, indent=1))


if __name__ == "__main__":
    main()
