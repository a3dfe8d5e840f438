"""Writes tests/data/learn/*.json: what scikit-learn fits on small data, for src/learn's tests.

    learn_logistic.py OUT_FOLDER
"""

import argparse
import json
import pathlib

import numpy as np
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

CLASSES = 3
EXACT = {"tol": 1e-12, "max_iter": 100_000}  # far below what the tests allow


def rounded(array):
    return np.round(array, 4)  # so that the file holds the very numbers that were fitted


def write(path, **values):
    plain = {
        key: value.tolist() if isinstance(value, np.ndarray) else value
        for key, value in values.items()
    }
    path.write_text(json.dumps(plain, separators=(",", ":")) + "\n")


def clusters(rng, rows, width, spread):
    """Overlapping classes, so that the fit is bounded without help from the regularisation."""
    labels = rng.integers(0, CLASSES, rows)
    centres = rng.normal(size=(CLASSES, width)) * spread
    return rounded(centres[labels] + rng.normal(size=(rows, width))), labels


def fit(rows, labels, weights, strength):
    model = LogisticRegression(C=strength, **EXACT)
    return model.fit(rows, labels, sample_weight=weights)


def weighted(out):
    rows, labels = clusters(np.random.default_rng(1), 80, 5, 0.8)
    weights = rounded(np.random.default_rng(2).uniform(0.2, 3, 80))
    model = fit(rows, labels, weights, 0.7)
    write(
        out / "logistic.json", rows=rows, labels=labels, weights=weights, strength=0.7,
        coefficients=model.coef_, intercepts=model.intercept_,
        probabilities=model.predict_proba(rows),
    )


def dropout(out):
    """Two blocks; a copy of every row with one blanked, at half of its weight."""
    rng = np.random.default_rng(3)
    first, labels = clusters(rng, 70, 3, 1.0)
    centres = rng.normal(size=(CLASSES, 4))
    second = rounded(centres[labels] + rng.normal(size=(70, 4)))
    both = np.hstack([first, second])
    copies = np.vstack([
        both,
        np.hstack([np.zeros_like(first), second]),
        np.hstack([first, np.zeros_like(second)]),
    ])
    weights = np.repeat([1, 0.5, 0.5], len(labels))
    model = fit(copies, np.tile(labels, 3), weights, 2.0)
    write(
        out / "dropout.json", first=first, second=second, labels=labels, strength=2.0,
        coefficients=model.coef_, intercepts=model.intercept_,
    )


def components(out):
    """Standardised, projected on principal components, scaled to unit mean length, then fitted."""
    rng = np.random.default_rng(4)
    for name, count, width, kept in (("wide", 20, 30, 6), ("tall", 60, 8, 3)):
        mix = rng.normal(size=(width, width))
        rows, labels = clusters(rng, count + 15, width, 0.6)
        rows = rounded(rows @ mix + 5)
        rows[:, 2] = 7  # a column that never changes
        training, others = rows[:count], rows[count:]
        scaler = StandardScaler().fit(training)
        pca = PCA(kept, svd_solver="full").fit(scaler.transform(training))
        projected = pca.transform(scaler.transform(training))
        length = np.sqrt((projected**2).sum(axis=1).mean())
        model = fit(projected / length, labels[:count], np.ones(count), 20.0)
        write(
            out / f"components_{name}.json", training=training, labels=labels[:count], others=others,
            components=kept, strength=20.0,
            probabilities=model.predict_proba(
                pca.transform(scaler.transform(others)) / length
            ),
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    weighted(out)
    dropout(out)
    components(out)


if __name__ == "__main__":
    main()
