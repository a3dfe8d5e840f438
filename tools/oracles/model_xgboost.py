"""Small XGBoost models and what XGBoost 3.2.0 predicts with them, for the tests of src/model, into
tests/data/model/xgboost/: golden.json has, for each file, rows (null: missing) and answers.

Run: ~/.cache/braid/oracles-venv/bin/python tools/oracles/model_xgboost.py
"""

import json
import pathlib

import numpy as np
import xgboost as xgb

HERE = pathlib.Path("tests/data/model/xgboost")
RANDOM = np.random.default_rng(5)
GOLDEN = {}


def table(rows=120, columns=4):
    """Normal numbers, a fifth of the first column missing and some exact zeros in the second."""
    x = RANDOM.normal(size=(rows, columns)).astype(np.float32)
    x[::5, 0] = np.nan
    x[::3, 1] = 0
    return x


def train(x, y, rounds=3, types=None, **parameters):
    matrix = xgb.DMatrix(x, y, feature_types=types, enable_categorical=types is not None)
    settings = {"max_depth": 2, "nthread": 1, "tree_method": "hist", "seed": 1}
    return xgb.train({**settings, **parameters}, matrix, rounds)


def keep(name, booster, x, types=None, answers=None):
    """Saves the model and, for the rows, what `predict` says (or the given answers)."""
    booster.save_model(HERE / name)
    matrix = xgb.DMatrix(x, feature_types=types, enable_categorical=types is not None)
    said = booster.predict(matrix) if answers is None else answers(booster, matrix)
    rows = [[None if np.isnan(v) else float(v) for v in row] for row in x]
    GOLDEN[name] = {"rows": rows, "answers": np.asarray(said, np.float64)
                    .reshape(len(x), -1).tolist()}


def softmax_of_margins(booster, matrix):
    margins = booster.predict(matrix, output_margin=True).astype(np.float64)
    power = np.exp(margins - margins.max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


def logistic_of_margins(booster, matrix):
    return 1 / (1 + np.exp(-booster.predict(matrix, output_margin=True).astype(np.float64)))


def thresholds(booster, x):
    """For each split one row exactly on its threshold, one just below and one just above."""
    rows = []
    for tree in json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]:
        for left, column, at in zip(tree["left_children"], tree["split_indices"],
                                    tree["split_conditions"]):
            if left == -1:
                continue
            at = np.float32(at)
            for value in (np.nextafter(at, np.float32(-np.inf)), at,
                          np.nextafter(at, np.float32(np.inf))):
                row = x[1].copy()
                row[column] = value
                rows.append(row)
    return np.array(rows, np.float32)


def missing_and_zero(x):
    """Each column in turn missing, then zero: they are not the same."""
    rows = [x[1]] + [np.where(np.arange(x.shape[1]) == c, v, x[1])
                     for c in range(x.shape[1]) for v in (np.nan, 0)]
    rows.append(np.full(x.shape[1], np.nan))
    return np.array(rows, np.float32)


def classifiers():
    x = table()
    y = (np.nan_to_num(x[:, 0]) + x[:, 1] > 0.2).astype(int)
    keep("binary.json", train(x, y, objective="binary:logistic", base_score=0.3),
         np.vstack([x[:6], missing_and_zero(x)]))
    keep("logitraw.json", train(x, y, objective="binary:logitraw", base_score=0.3), x[:6],
         answers=logistic_of_margins)
    y = RANDOM.integers(0, 3, len(x)) * (x[:, 2] > 0)
    keep("multi.ubj", train(x, y, objective="multi:softprob", num_class=3),
         np.vstack([x[:6], missing_and_zero(x)]))
    keep("softmax.json", train(x, y, objective="multi:softmax", num_class=3), x[:6],
         answers=softmax_of_margins)


def numbers():
    x = table()
    y = 3 * np.nan_to_num(x[:, 0]) + x[:, 1] ** 2
    booster = train(x, y, objective="reg:squarederror")
    keep("regression.json", booster, thresholds(booster, x))
    keep("dart.json", train(x, y, booster="dart", objective="reg:squarederror"), x[:6])
    keep("two_targets.json", train(x, np.stack([y, -y], axis=1), objective="reg:squarederror"), x[:6])
    keep("poisson.ubj", train(x, RANDOM.poisson(2, len(x)), objective="count:poisson",
                              base_score=2.5), x[:6])
    train(x, y, booster="gblinear", tree_method="auto").save_model(HERE / "linear.json")


def categorical():
    """Column 0 holds codes 0 … 7; some splits take sets of them. 99 was never seen."""
    types = ["c", "q"]
    x = np.stack([RANDOM.integers(0, 8, 200), RANDOM.normal(size=200)], axis=1).astype(np.float32)
    y = np.isin(x[:, 0], [1, 4, 6]).astype(int) ^ (x[:, 1] > 1)
    booster = train(x, y, types=types, objective="binary:logistic", max_depth=3, max_cat_to_onehot=2)
    rows = [[code, number] for code in [*range(8), 99, np.nan] for number in (-1, 2, np.nan)]
    keep("categorical.ubj", booster, np.array(rows, np.float32), types)


def training():
    """What XGBoost itself predicts after the same training: rows, labels, weights, answers."""
    x = np.round(table(80), 3)
    y = (RANDOM.integers(0, 3, len(x)) * (x[:, 2] > 0)).astype(int)
    weights = RANDOM.integers(1, 4, len(x)).astype(np.float32)
    matrix = xgb.DMatrix(x, y, weight=weights)
    booster = xgb.train({"objective": "multi:softprob", "num_class": 3, "max_depth": 3, "eta": 0.2,
                         "lambda": 2, "min_child_weight": 1, "tree_method": "hist", "nthread": 1,
                         "seed": 0}, matrix, 10)
    GOLDEN["training"] = {
        "rows": [[None if np.isnan(v) else float(v) for v in row] for row in x],
        "labels": [y.tolist()], "weights": [weights.astype(float).tolist()],
        "answers": booster.predict(matrix).astype(float).tolist()}


HERE.mkdir(parents=True, exist_ok=True)
assert xgb.__version__ == "3.2.0"
classifiers()
numbers()
categorical()
training()
(HERE / "golden.json").write_text(json.dumps(GOLDEN) + "\n")
