"""Writes tests/data/measure/scores.json: answers with the scores that scikit-learn and NumPy give.

    measure_scores.py tests/data/measure

Accuracy, macro F1, log loss and AUROC are scikit-learn's. The calibration errors and the cluster
bootstrap are written here with NumPy, in another way than in src/measure: the debiased error draws
the accuracies of each bin instead of using the closed form.
"""

import json
import pathlib
import sys

import numpy as np
from sklearn import metrics

CASES, CLASSES, BINS = 401, 4, 15


def answers(random):
    truth = random.integers(0, CLASSES - 1, CASES)  # the last class is never true
    logits = random.normal(0, 1, (CASES, CLASSES))
    logits[np.arange(CASES), truth] += 1.2
    logits *= 1.7  # overconfident
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    p[:40] = np.round(p[:40], 1) + 1e-3  # ties
    p[:40] /= p[:40].sum(1, keepdims=True)
    p = p.astype("f4")
    p[41] = 0  # certain and wrong
    p[41, (truth[41] + 1) % CLASSES] = 1
    return truth, p


def mass_bins(confidence):
    """Bin of each case: the k-th ends at ceil((k+1)·n/BINS), ties go with the case before them."""
    order = np.argsort(confidence, kind="stable")
    sorted_confidence = confidence[order]
    n, bins, begin = len(order), np.empty(len(order), int), 0
    for number in range(n):
        if begin >= n:
            break
        k = begin * BINS // n
        end = -(-(k + 1) * n // BINS)
        end = max(end, np.searchsorted(sorted_confidence, sorted_confidence[end - 1], "right"))
        bins[order[begin:end]] = number
        begin = end
    return bins


def calibration_error(bins, confidence, correct, random=None):
    plain, drawn = 0.0, 0.0
    for b in np.unique(bins):
        inside = bins == b
        share, accuracy = inside.mean(), correct[inside].mean()
        gap = accuracy - confidence[inside].mean()
        plain += share * abs(gap)
        if random is not None:
            noise = random.normal(0, np.sqrt(accuracy * (1 - accuracy) / inside.sum()), 400_000)
            drawn += share * np.abs(gap + noise).mean()
    return plain if random is None else max(0.0, 2 * plain - drawn)


def cluster_bootstrap(values, groups, random, draws=100_000):
    names, index = np.unique(groups, return_inverse=True)
    sums = np.bincount(index, values)
    counts = np.bincount(index)
    means = np.empty(draws)
    for begin in range(0, draws, 1000):
        picked = random.integers(0, len(names), (1000, len(names)))
        means[begin:begin + 1000] = sums[picked].sum(1) / counts[picked].sum(1)
    return [float(values.mean()), *map(float, np.quantile(means, [0.025, 0.975]))]


def main():
    random = np.random.default_rng(20240607)
    truth, p = answers(random)
    label, confidence = p.argmax(1), p.max(1).astype(float)
    correct = (label == truth).astype(float)
    groups = random.integers(0, 90, CASES)
    one_hot = np.eye(CLASSES)[truth]
    width_bins = np.ceil(confidence * BINS)
    out = {
        "truth": truth.tolist(),
        "probabilities": [[float(x) for x in row] for row in p],
        "groups": [f"g{g}" for g in groups],
        "accuracy": metrics.accuracy_score(truth, label),
        "macro_f1": metrics.f1_score(truth, label, average="macro"),
        "nll": metrics.log_loss(truth, p, labels=range(CLASSES)),
        "brier": float(((p.astype(float) - one_hot) ** 2).sum(1).mean()),
        "auroc": metrics.roc_auc_score(correct, confidence),
        "ece_mass_plain": calibration_error(mass_bins(confidence), confidence, correct),
        "ece_mass_debiased": calibration_error(mass_bins(confidence), confidence, correct, random),
        "ece_width_plain": calibration_error(width_bins, confidence, correct),
        "bootstrap_accuracy": cluster_bootstrap(correct, groups, random),
    }
    file = pathlib.Path(sys.argv[1]) / "scores.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
