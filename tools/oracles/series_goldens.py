"""Writes tests/data/modality/series: recordings, settings and what numpy, pandas, scipy and
pycatch22 make of them.

    series_goldens.py [OUT_FOLDER]

cases.yaml lists the cases; a case's expected tensor begins `at` an FP64 value of expected.bin.
"""

import json
import pathlib
import sys

import numpy as np
import pandas as pd
import pycatch22
import scipy.stats

BASIC = {
    "mean": np.mean, "std": np.std, "min": np.min, "max": np.max, "median": np.median,
    "iqr": scipy.stats.iqr, "skewness": scipy.stats.skew, "kurtosis": scipy.stats.kurtosis,
    "slope": lambda x: np.polyfit(np.arange(len(x)), x, 1)[0],
    "mean_abs_change": lambda x: np.abs(np.diff(x)).mean(),
    "first": lambda x: x[0], "last": lambda x: x[-1],
}
DYNAMICS = ["mode_5", "mode_10", "stretch_high", "stretch_decreasing", "acf_timescale",
            "acf_first_min", "low_freq_power", "median_freq", "forecast_error",
            "whiten_timescale", "trev", "ami_timescale", "high_fluctuation"]


def recording(count, seed, gaps=0.0):
    """An irregular record of a pulse and of its saturation, in seconds."""
    generator = np.random.default_rng(seed)
    time = np.round(np.cumsum(generator.uniform(0.3, 1.7, count)), 3)
    pulse = 70 + 8 * np.sin(time / 9) + generator.normal(0, 1.5, count).cumsum() * 0.2
    level = 97 + generator.normal(0, 0.7, count)
    frame = pd.DataFrame({"time": time, "pulse": pulse.round(3), "level": level.round(2)})
    for name in ("pulse", "level"):
        frame.loc[generator.random(count) < gaps, name] = np.nan
    return frame


def shapes(count):
    """One channel each of a kind that statistics are made to tell apart."""
    generator = np.random.default_rng(11)
    place = np.arange(count)
    walk = generator.normal(size=count).cumsum()
    logistic = [0.37]
    for _ in range(count - 1):
        logistic.append(3.9 * logistic[-1] * (1 - logistic[-1]))
    return pd.DataFrame({
        "noise": generator.normal(size=count), "walk": walk,
        "wave": np.sin(place / 5) + 0.1 * generator.normal(size=count),
        "saw": place % 17 + 0.01 * generator.normal(size=count), "chaos": logistic,
        "spikes": (generator.random(count) < 0.05) * generator.exponential(5, count),
    }).round(6)


def files():
    irregular = recording(120, 1, gaps=0.1)
    even = shapes(200)
    stamped = irregular.assign(
        time=(pd.Timestamp("2024-02-28T23:59:30Z") + pd.to_timedelta(irregular["time"], unit="s"))
        .dt.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
    columns = {name: [None if np.isnan(v) else v for v in values]
               for name, values in irregular.items()}
    records = [{k: v for k, v in row.items() if v is not None}
               for row in irregular.astype(object).where(irregular.notna(), None)
               .to_dict("records")]
    rows = [[None if np.isnan(v) else v for v in row] for row in irregular.to_numpy().tolist()]
    return {
        "irregular.csv": (irregular.to_csv(index=False), irregular),
        "stamped.csv": (stamped.to_csv(index=False), irregular),
        "columns.json": (json.dumps(columns), irregular),
        "records.json": (json.dumps(records), irregular),
        "rows.json": (json.dumps(rows), irregular),
        "shapes.csv": (even.to_csv(index=False), even),
    }


def regular(frame, s):
    """The recording on a grid, with its time in seconds from the first sample."""
    names = s["channels"]
    if "every" not in s:
        return frame[names]
    time = frame["time"].to_numpy()
    every = s["every"]
    grid = time[0] + every * np.arange(int(np.floor((time[-1] - time[0]) / every + 1e-9)) + 1)
    kind = s.get("resample", "mean")
    result = {}
    for name in names:
        there = frame[["time", name]].dropna()
        if kind == "mean":
            stamps = pd.to_timedelta(((frame["time"] - time[0]) * 1000).round(), unit="ms")
            values = frame[name].set_axis(pd.TimedeltaIndex(stamps)).resample(pd.Timedelta(every, "s"),
                                                           origin="start").mean().to_numpy()
        elif kind == "linear":
            values = np.interp(grid, there["time"], there[name], left=np.nan, right=np.nan)
            if "gap_max" in s:
                after = np.searchsorted(there["time"], grid, side="left").clip(1, len(there) - 1)
                width = there["time"].to_numpy()[after] - there["time"].to_numpy()[after - 1]
                exact = np.isin(grid, there["time"])
                values[(width > s["gap_max"]) & ~exact] = np.nan
        else:
            series = there.set_index("time")[name]
            values = series.reindex(grid, method="ffill",
                                    tolerance=s.get("gap_max")).to_numpy()
        result[name] = values
    return pd.DataFrame(result)


def filled(frame, s):
    kind = s.get("fill", "none")
    if kind == "zero":
        return frame.fillna(0)
    if kind == "mean":
        return frame.fillna(frame.mean())
    if kind == "previous":
        return frame.ffill()
    if kind == "linear":
        return frame.interpolate("linear", limit_direction="both")
    return frame


def scaled(frame, s):
    kind = s.get("normalise", "none")
    if kind == "standard":
        frame = (frame - frame.mean()) / frame.std(ddof=0)
    if kind == "range":
        frame = (frame - frame.min()) / (frame.max() - frame.min())
    return (frame - np.array(s.get("mean", 0))) / np.array(s.get("std", 1))


def fitted(frame, s):
    if "length" not in s:
        return frame
    length = s["length"]
    if s.get("keep", "end") == "end":
        frame = frame.tail(length)
        added = range(frame.index[-1] - length + 1, frame.index[-1] + 1)
    else:
        frame = frame.head(length)
        added = range(length)
    known = frame.index
    frame = frame.reindex(added)
    frame.loc[~frame.index.isin(known)] = s.get("pad", np.nan)
    return frame


def measured(x, names):
    present = x[~np.isnan(x)]
    catch = {}
    if any(name in DYNAMICS for name in names):
        found = pycatch22.catch22_all(x.tolist(), short_names=True)
        catch = dict(zip(found["short_names"], found["values"], strict=True))
    return [BASIC[name](present) if name in BASIC else catch[name] for name in names]


def expected(frame, s):
    table = fitted(scaled(filled(regular(frame, s), s), s), s).to_numpy(dtype=float)
    window = s.get("window", len(table))
    step = s.get("step", window)
    pieces = [table[i: i + window] for i in range(0, len(table) - window + 1, step)]
    if s.get("features") == "statistics":
        names = [name for word in s["statistics"] for name in (
            list(BASIC) if word == "basic" else DYNAMICS if word == "dynamics" else [word])]
        rows = [[value for x in piece.T for value in measured(x, names)] for piece in pieces]
        return np.array(rows if "window" in s else rows[0])[None]
    pieces = [piece if s.get("layout") == "time_first" else piece.T for piece in pieces]
    return np.array(pieces if "window" in s else pieces[0])[None]


TWO = {"channels": ["pulse", "level"], "time": "time"}
SIX = {"channels": ["noise", "walk", "wave", "saw", "chaos", "spikes"]}
CASES = [
    ("irregular.csv", TWO),
    ("columns.json", TWO),
    ("records.json", TWO),
    ("rows.json", TWO),
    ("irregular.csv", {**TWO, "every": 2.5}),
    ("stamped.csv", {**TWO, "time_unit": "iso8601", "every": 4, "fill": "linear"}),
    ("irregular.csv", {**TWO, "every": 0.5, "resample": "linear"}),
    ("irregular.csv", {**TWO, "every": 0.7, "resample": "linear", "gap_max": 1.5}),
    ("irregular.csv", {**TWO, "every": 0.5, "resample": "previous"}),
    ("irregular.csv", {**TWO, "every": 0.5, "resample": "previous", "gap_max": 1.1,
                       "fill": "previous"}),
    ("irregular.csv", {**TWO, "fill": "mean", "normalise": "standard", "length": 50}),
    ("irregular.csv", {**TWO, "fill": "zero", "normalise": "range", "length": 130, "pad": -1}),
    ("irregular.csv", {**TWO, "mean": [70, 97], "std": [5, 2], "length": 130, "keep": "begin"}),
    ("irregular.csv", {**TWO, "every": 1, "fill": "linear", "window": 20, "step": 7,
                       "layout": "time_first"}),
    ("irregular.csv", {**TWO, "features": "statistics", "statistics": ["basic"]}),
    ("irregular.csv", {**TWO, "features": "statistics", "statistics": ["median", "last"],
                       "window": 40, "step": 40}),
    ("shapes.csv", {**SIX, "features": "statistics", "statistics": ["basic", "dynamics"]}),
    ("shapes.csv", {**SIX, "features": "statistics", "statistics": ["dynamics"], "window": 63,
                    "step": 40}),
    ("shapes.csv", {**SIX, "channels": SIX["channels"][:5], "features": "statistics",
                    "statistics": ["dynamics"], "window": 30, "step": 30}),
]


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / "tests/data/modality/series"
    out.mkdir(parents=True, exist_ok=True)
    known = files()
    for name, (text, _) in known.items():
        (out / name).write_text(text)
    values = []
    lines = ["# Written by tools/oracles/series_goldens.py."]
    at = 0
    for name, settings in CASES:
        tensor = np.ascontiguousarray(expected(known[name][1], settings), dtype="<f8")
        case = {"file": name, "at": at, "shape": list(tensor.shape), "settings": settings}
        lines.append("- " + json.dumps(case))
        values.append(tensor.ravel())
        at += tensor.size
    (out / "expected.bin").write_bytes(np.concatenate(values).tobytes())
    (out / "cases.yaml").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
