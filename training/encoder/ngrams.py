"""The linear half of the toxicity head: words, pairs of words and pieces of words, hashed and weighed.

    python training/encoder/ngrams.py <folder with predictions.jsonl.gz of train.py>
    DEV=1 python training/encoder/ngrams.py <folder with predictions.jsonl.gz of train.py, made with DEV=1>

Trains on the rows of the encoder, prints how good it is alone, the encoder alone and both together, and writes
models/encoder/ngrams.bin and the toxicity head's shift and scale in manifest.json. With DEV=1 Surge is left out of training, the half of it that
may be seen is measured, and nothing is written.
"""

import gzip
import json
import os
import sys

import numpy as np
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import LogisticRegression
from tokenizers import BertWordPieceTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "../../models/encoder")
IS_DEV = "DEV" in os.environ
BUCKETS = 2**19
# What the linear model's answer counts against the encoder's; 0.3 to 2 did about as well on the rows of DEV=1.
SHARE = 0.6
SMALL_WINDOW = 62
# Thresholds are set on what real sources call toxic, and on harmless texts of all kinds.
TOXIC_SOURCES = ["surge", "davidson", "jigsaw-toxic", "own-rude"]
HARMLESS_SOURCES = ["surge", "davidson", "jigsaw", "banking77", "tiage", "tweets", "halueval", "questions", "llmbar", "llmbar-answers", "presidio", "documents", "foreign", "own-safe", "own-lively", "own-denounced", "own-kind", "own-no-target", "own-friendly", "own-political-talk", "own-equality", "own-fair"]
FALSE_ALARM_COST = 2


def features(words):
    """Each word, each pair of neighbours, and every 2 to 4 letters of a word with its borders."""
    found = [f"w{word}" for word in words]
    found += [f"w{one} {two}" for one, two in zip(words, words[1:])]
    for word in words:
        padded = f" {word} "
        for length in (2, 3, 4):
            found += [padded[at : at + length] for at in range(len(padded) - length + 1)]
    return found


def words_of(tokens):
    """The pieces of a word put together again."""
    words = []
    for token in tokens:
        if token.startswith("##") and words:
            words[-1] += token[2:]
        else:
            words.append(token)
    return words


def hashed(lists):
    rows = FeatureHasher(BUCKETS, input_type="string", alternate_sign=False, dtype=np.float32).transform(map(features, lists))
    lengths = np.sqrt(rows.multiply(rows).sum(1)).A1
    return rows.multiply(1 / np.maximum(lengths, 1e-6)[:, None]).tocsr()


def read_rows():
    """The rows in the order of train.py, and for those that it measured what the encoder said."""
    rows = [json.loads(line) for line in gzip.open(os.path.join(HERE, "../../.device/rows.jsonl.gz"), "rt", encoding="utf8")]
    for row in rows:
        if IS_DEV and "id" in row and row["split"] != "train":
            row["split"] = "hidden" if row["split"] == "test" else "test"
        if IS_DEV and row["source"] == "surge" and row["split"] != "hidden":
            row["split"] = "test"
        if not IS_DEV and row["source"].startswith("own-") and row["split"] == "test":
            row["split"] = "train"
    predictions = [json.loads(line) for line in gzip.open(f"{sys.argv[1]}/predictions.jsonl.gz", "rt", encoding="utf8")]
    measured = [row for row in rows if row["split"] in ("calibrate", "test")]
    assert [row["text"][:150] for row in measured] == [row["text"] for row in predictions], "these predictions are of other rows"
    for row, prediction in zip(measured, predictions):
        row["encoder"] = prediction["p"]["tox"]
    tokenizer = BertWordPieceTokenizer(f"{MODEL}/vocab.txt", lowercase=True)
    kept = [row for row in rows if "tox" in row and row["split"] != "hidden"]
    for row, item in zip(kept, tokenizer.encode_batch([row["text"] for row in kept])):
        row["words"], row["is_short"] = words_of(item.tokens[1:-1]), len(item.tokens) - 2 <= SMALL_WINDOW
    # A long text is read sentence by sentence by the service; here only what it reads as a whole is measured.
    return [row for row in kept if row["split"] == "train" or row["is_short"]]


def calibration_groups(rows, score):
    groups = {}
    for row in rows:
        if row["split"] == "calibrate" and row["source"] in (HARMLESS_SOURCES if row["tox"] == 0 else TOXIC_SOURCES):
            groups.setdefault((row["source"], row["tox"]), []).append(score(row))
    return groups


def choose_scale(groups, bias):
    """Two answers that are added are surer than they are right; the scale that makes the probabilities fit best."""
    losses = []
    for scale in np.arange(0.1, 1.3, 0.05):
        loss = {0: [], 1: []}
        for (_, label), values in groups.items():
            loss[label].append(np.mean(np.log1p(np.exp((np.array(values) + bias) * scale * (-1 if label else 1)))))
        losses.append((np.mean(loss[0]) + np.mean(loss[1]), round(float(scale), 2)))
    return min(losses)[1]


def choose_bias(groups):
    """train.py's rule: every source and label counted alike."""
    best = (1e9, 0.0)
    for bias in np.arange(-3, 3.01, 0.1):
        errors = {0: [], 1: []}
        for (_, label), values in groups.items():
            errors[label].append(np.mean([(value + bias > 0) != bool(label) for value in values]) * min(1, len(values) / 20))
        best = min(best, (FALSE_ALARM_COST * np.mean(errors[0]) + np.mean(errors[1]), round(float(bias), 2)))
    return best[1]


def report(name, rows, score, bias):
    print(f"== {name}, shift {bias}")
    for source in ["surge", "davidson", "jigsaw", "jigsaw-toxic", "tweets", "tiage", "foreign", "llmbar-answers", "own-hate", "own-open-hate", "own-denounced", "own-kind", "own-no-target"]:
        part = [row for row in rows if row["source"] == source and row["split"] == "test"]
        if part:
            found, there = np.array([score(row) + bias > 0 for row in part]), np.array([row["tox"] >= 0.5 for row in part])
            hits = (found & there).sum()
            print(f"{source} {len(part)} accuracy {(found == there).mean():.3f} precision {hits / max(1, found.sum()):.3f} recall {hits / max(1, there.sum()):.3f} F1 {2 * hits / max(1, found.sum() + there.sum()):.3f}")


def main():
    rows = read_rows()
    train = [row for row in rows if row["split"] == "train"]
    measured = [row for row in rows if row["split"] in ("calibrate", "test")]
    model = LogisticRegression(C=20, max_iter=40, solver="liblinear").fit(hashed([row["words"] for row in train]), [row["tox"] >= 0.5 for row in train])
    weights = model.coef_[0].astype(np.float32)
    scale = np.abs(weights).max() / 127
    rounded = np.clip(np.round(weights / scale), -127, 127).astype(np.int8)
    for row, value in zip(measured, hashed([row["words"] for row in measured]) @ (rounded * scale) + model.intercept_[0]):
        row["linear"] = float(value)
    scores = {"linear": lambda row: row["linear"], "encoder": lambda row: row["encoder"], "both": lambda row: row["encoder"] + SHARE * row["linear"]}
    biases = {name: choose_bias(calibration_groups(measured, score)) for name, score in scores.items()}
    for name, score in scores.items():
        report(name, measured, score, biases[name])
    if IS_DEV:
        return
    with open(f"{MODEL}/ngrams.bin", "wb") as file:
        file.write(rounded.tobytes() + np.array([scale * SHARE, model.intercept_[0] * SHARE], np.float32).tobytes())
    described = json.load(open(f"{MODEL}/manifest.json", encoding="utf8"))
    head = next(head for head in described["heads"] if head["name"] == "toxicity")
    head["bias"] = biases["both"]
    head["scale"] = choose_scale(calibration_groups(measured, scores["both"]), biases["both"])
    with open(f"{MODEL}/manifest.json", "w", encoding="utf8") as file:
        file.write(json.dumps(described, indent=2) + "\n")


main()
