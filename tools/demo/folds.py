"""Splits that keep groups whole: one fixed by digest, and k folds balanced by class."""

import hashlib

import numpy as np


def digest(group):
    return int(hashlib.sha256(group.encode()).hexdigest(), 16)


def fixed_split(group):
    """The demo's own split: it depends on the group's name alone, so no run can choose it."""
    percent = digest(group) % 100
    return "train" if percent < 60 else "calibration" if percent < 80 else "test"


def stratified_group_folds(labels, groups, count):
    """The fold of each row, as an array of ints below `count`; equal for equal input.

    Greedy: the groups that weigh most on the balance of classes go first, each to the fold where it
    leaves the classes spread most evenly (least mean deviation of a class's shares over the folds).
    """
    _, label_index = np.unique(labels, return_inverse=True)
    names, group_index = np.unique(groups, return_inverse=True)
    classes = label_index.max() + 1
    table = np.zeros((len(names), classes))
    np.add.at(table, (group_index, label_index), 1)
    class_sizes = table.sum(axis=0)

    # Equal weights are ordered by digest: a name's place in the alphabet says something of its class.
    order = sorted(range(len(names)), key=lambda g: (-table[g].std(), digest(str(names[g]))))
    filled = np.zeros((count, classes))
    fold_of_group = np.zeros(len(names), int)
    for group in order:
        spread = []
        for fold in range(count):
            filled[fold] += table[group]
            deviation = float((filled / class_sizes).std(axis=0).mean())
            spread.append((round(deviation, 12), filled[fold].sum(), fold))
            filled[fold] -= table[group]
        best = min(spread)[2]
        filled[best] += table[group]
        fold_of_group[group] = best
    return fold_of_group[group_index]
