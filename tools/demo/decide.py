#!/usr/bin/env python3
"""Sends the demo's test items to a running server, as any client would, and prints a few decisions.

  decide.py URL MANIFEST PIPELINE

Each item goes over HTTP five times: whole, with its picture alone, with its caption alone, and without
its caption, heard and unheard. Shown are items where both alone are wrong and the fusion is right, one
of them with an input missing, and items that the voices rescue when the caption is missing.
"""
import collections
import concurrent.futures
import csv
import http.client
import json
import pathlib
import sys
import threading
import urllib.parse
import uuid

URL = urllib.parse.urlsplit(sys.argv[1])
MANIFEST = pathlib.Path(sys.argv[2])
PIPELINE = sys.argv[3]
VOICES = ("voice_bg", "voice_ca", "voice_fr", "voice_ro", "voice_ru")
INPUTS = ("photo", "title", "record", *VOICES, "sound")
UNTITLED = ("photo", "record", *VOICES, "sound")
UNHEARD = ("photo", "record", "sound")
local = threading.local()  # one connection a thread, kept alive


def multipart(item, inputs, plan):
    """Body and content type of a form with these inputs of the item: text as it is, files as bytes."""
    boundary = uuid.uuid4().hex
    body = b""
    for name in (*inputs, "plan"):
        value = plan if name == "plan" else item[name]
        if not value:
            continue
        is_file = value.startswith("@") and not value.startswith("@@")
        data = (MANIFEST.parent / value[1:]).read_bytes() if is_file else value.encode()
        file_name = f'; filename="{name}"' if is_file else ""
        body += (f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file_name}'
                 f"\r\n\r\n").encode() + data + b"\r\n"
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def decide(item, inputs=INPUTS, plan=None):
    body, content_type = multipart(item, inputs, plan)
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPConnection(URL.hostname, URL.port, timeout=60)
    local.connection.request("POST", f"/v2/pipelines/{PIPELINE}/decide", body,
                             {"Content-Type": content_type})
    response = local.connection.getresponse()
    answer = json.loads(response.read())
    if response.status != 200:
        raise SystemExit(f"✗ {item['id']}: {response.status} {answer.get('error')}")
    return answer


def all_ways(item):
    return item, {"all": decide(item), "photo": decide(item, ["photo"]),
                  "title": decide(item, ["title"]),
                  # All that is there is asked for: the policy may well answer without the voices.
                  "untitled": decide(item, UNTITLED, "full"),
                  "unheard": decide(item, UNHEARD, "full")}


def percent(share):
    return f"{100 * share:.0f} %"


def lacking(answer):
    """reason → what the decision was made without."""
    parts = collections.defaultdict(list)
    for missing in answer["degraded"]:
        parts[missing["reason"]].append(missing["part"])
    return parts


def print_decision(item, answer, heading):
    mark = "✓" if answer["label"] == item["label"] else "✗"
    print(f"  {heading:<18} {mark} {answer['label']:<10} {percent(answer['confidence']):>5}"
          f"   {answer['latency_ms']:6.1f} ms  {answer['cost_core_ms']:6.1f} core-ms")
    if answer["contributions"]:
        # The five voices are used together or not at all, so each counts as much as all of them.
        shown = {"voices" if name in VOICES else name: nats
                 for name, nats in answer["contributions"].items()}
        print("      because of      " + "   ".join(
            f"{name} {nats:+.2f} nats" for name, nats in shown.items()))
    print("      route           " + ", then ".join(
        f"{step['branch']} by {step['variant']} ({step['encode_ms'] + step['run_ms']:.1f} ms)"
        for step in answer["route"]) + f"   [plan {answer['plan']}]")
    for reason, parts in lacking(answer).items():
        print(f"      without         {', '.join(parts)} ({reason})")


def right_in(results, way):
    return sum(answers[way]["label"] == item["label"] for item, answers in results)


def main():
    with MANIFEST.open(newline="", encoding="utf-8") as file:
        items = [row for row in csv.DictReader(file) if row["split"] == "test"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(all_ways, items))

    print(f"\n{len(items)} test items over HTTP: right with everything {right_in(results, 'all')}, "
          f"with the picture alone {right_in(results, 'photo')}, "
          f"with the caption alone {right_in(results, 'title')}")

    rescued = [(item, answers) for item, answers in results
               if answers["all"]["label"] == item["label"]
               and answers["photo"]["label"] != item["label"]
               and answers["title"]["label"] != item["label"]]
    print(f"\n{len(rescued)} items that the picture alone and the caption alone both get wrong "
          f"and the fusion gets right; {min(3, len(rescued))} of them:")
    for item, answers in rescued[:3]:
        print(f"\n{item['id']}: “{item['title']}”, filed under {item['label']}")
        print_decision(item, answers["all"], "everything")
        print_decision(item, answers["photo"], "picture alone")
        print_decision(item, answers["title"], "caption alone")
    show_easy_and_missing(results, rescued)
    show_voices(results)


def show_easy_and_missing(results, rescued):
    easy = [(item, answers) for item, answers in results if len(answers["all"]["route"]) < 3]
    for item, answers in easy[:1]:
        print(f"\n{item['id']}: “{item['title']}”, answered without running everything")
        print_decision(item, answers["all"], "everything")

    item = (rescued or results)[0][0]
    print(f"\nThe same request with something missing: {item['id']}, filed under {item['label']}")
    print_decision(item, decide(item, ["title", "record"]), "picture missing")
    print_decision(item, decide(item, ["photo", "record"]), "caption missing")


def show_voices(results):
    """What the spoken captions do where the written one is missing; they may do harm, too."""
    helped = [(item, answers) for item, answers in results
              if answers["untitled"]["label"] == item["label"] != answers["unheard"]["label"]]
    harmed = sum(answers["unheard"]["label"] == item["label"] != answers["untitled"]["label"]
                 for item, answers in results)
    print(f"\nWithout their captions: {right_in(results, 'untitled')} right with the voices, "
          f"{right_in(results, 'unheard')} without; they set {len(helped)} right and {harmed} wrong")
    for item, answers in helped[:1]:
        print(f"\n{item['id']}: no caption, filed under {item['label']}")
        print_decision(item, answers["untitled"], "with voices")
        print_decision(item, answers["unheard"], "without voices")


if __name__ == "__main__":
    main()
