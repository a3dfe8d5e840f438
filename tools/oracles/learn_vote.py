"""Writes tests/data/learn/vote.json: the weights of a log-linear pool, found by SciPy.

    learn_vote.py OUT_FOLDER
"""

import argparse
import json
import pathlib

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

ROWS, CLASSES = 90, 3


def weights(logs, present, labels, prior):
    log_prior = np.log(prior)

    def loss(t):
        w = np.exp(t)
        score = log_prior + sum(
            wm * pm[:, None] * (lm - log_prior)
            for wm, pm, lm in zip(w, present, logs, strict=True)
        )
        nll = -log_softmax(score, axis=1)[np.arange(ROWS), labels].mean()
        return nll + 2e-3 * ((t - np.log(0.5)) ** 2).sum()

    found = minimize(
        loss, np.full(len(logs), np.log(0.5)), method="Nelder-Mead",
        options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 20000, "maxfev": 20000},
    )
    return np.exp(found.x)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    out = parser.parse_args().out
    rng = np.random.default_rng(5)
    labels = rng.choice(CLASSES, ROWS, p=[0.5, 0.3, 0.2])
    truth = np.eye(CLASSES)[labels]
    strengths = [2.0, 1.2, 0.6]
    probabilities = [
        np.round(softmax(s * truth + rng.normal(size=truth.shape), axis=1), 5) for s in strengths
    ]
    present = [np.ones(ROWS), np.arange(ROWS) % 4 != 0, np.ones(ROWS)]
    prior = np.round(np.bincount(labels) / ROWS, 6)
    logs = [np.log(p) for p in probabilities]
    golden = {
        "labels": labels.tolist(),
        "probabilities": [p.tolist() for p in probabilities],
        "present": [p.astype(int).tolist() for p in present],
        "prior": prior.tolist(),
        "weights": weights(logs, present, labels, np.ones(CLASSES)).tolist(),
        "weights_with_prior": weights(logs, present, labels, prior).tolist(),
    }
    (out / "vote.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
