#!/usr/bin/env python3
"""Takes row K9 out of what `./demo --folds 5` measured: what the voices are worth.

    voices_evidence.py FOLDS_EVIDENCE.json | tools/evidence.py kinds --command … --commit …

FOLDS_EVIDENCE.json is what `braid evaluate --evidence --evidence-id demo` wrote.
"""

import json
import sys

ROWS = {  # figure of the evaluation -> id, what it is, goal
    "without_title.accuracy": ("K9.with", "demo without the text, with the voices: accuracy", ">= 0.74"),
    "without_title_voices.accuracy": ("K9.without", "the same without the voices: accuracy", ""),
    "without_title_without_title_voices.accuracy": ("K9.gain", "what the voices add without the text, paired: accuracy", ""),
    "without_title_without_title_voices.nll": ("K9.gain_nll", "the same: negative log-likelihood", ""),
    "hybrid_without_voices.accuracy": ("K9.all_present", "what the voices add with everything present, paired: accuracy", ""),
    "hybrid_without_voices.nll": ("K9.all_present_nll", "the same: negative log-likelihood", ""),
}
NOTE = "802 items, five group-safe folds, 95 % by bootstrap over 638 groups"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        measured = {row["id"].removeprefix("demo."): row for row in json.load(file)["rows"]}
    rows = [{"id": identifier, "what": what, "value": measured[figure]["value"],
             "low": measured[figure]["low"], "high": measured[figure]["high"],
             "unit": measured[figure]["unit"], "goal": goal, "note": NOTE}
            for figure, (identifier, what, goal) in ROWS.items()]
    json.dump(rows, sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
