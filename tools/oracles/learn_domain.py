"""Writes tests/data/learn/domain.json: Mahalanobis distances by scikit-learn and numpy, for the
out-of-domain score.

    learn_domain.py OUT_FOLDER
"""

import argparse
import json
import pathlib

import numpy as np
from sklearn.covariance import LedoitWolf
from sklearn.preprocessing import StandardScaler


def mixed(rng, rows, width):
    """Correlated columns of very different scales, around means that are not 0."""
    mixing = rng.normal(size=(width, width))
    scales = 10.0 ** rng.uniform(-2, 2, width)
    return (rng.normal(size=(rows, width)) @ mixing) * scales + rng.normal(size=width) * 3 * scales


def case(rng, rows, width, kept):
    """`kept` directions have their own variance, all others share their mean."""
    training = np.round(mixed(rng, rows, width), 4)
    scale = training.std(axis=0)
    probes = np.round(
        np.vstack([training[:2], training.mean(axis=0), training.mean(axis=0) + 5 * scale,
                   training[0] + scale * rng.normal(size=width) * 20]), 4)
    scaler = StandardScaler().fit(training)
    shrunk = LedoitWolf().fit(scaler.transform(training))
    given = scaler.transform(probes)
    if kept >= min(rows - 1, width):
        squared = shrunk.mahalanobis(given)
    else:
        values, vectors = np.linalg.eigh(shrunk.covariance_)
        values[:-kept] = values[:-kept].mean()
        squared = ((given @ vectors) ** 2 / values).sum(axis=1)
    return {"rows": training.tolist(), "kept": kept, "shrinkage": shrunk.shrinkage_,
            "probes": probes.tolist(), "squared": squared.tolist()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    rng = np.random.default_rng(4)
    seen = np.round(rng.chisquare(5, 37), 3)
    table = np.quantile(seen, np.linspace(0, 1, 101))
    asked = np.round(np.linspace(0, seen.max() * 1.1, 23), 3)
    golden = {
        "cases": [case(rng, 60, 5, 5), case(rng, 25, 40, 24), case(rng, 60, 12, 4)],
        "seen": seen.tolist(),
        "table": table.tolist(),
        "asked": asked.tolist(),
        "shares": np.interp(asked, table, np.linspace(0, 1, 101)).tolist(),
    }
    out = parser.parse_args().out / "domain.json"
    out.write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
