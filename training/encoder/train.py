"""Trains the encoders. Needs a GPU; about seven minutes in all on an H200.

    python training/encoder/train.py <out folder>

Step 1 distils all-MiniLM-L6-v2 into a sentence encoder of three layers. Step 2 fine-tunes classifiers from it, or from
the six layers, and leave-one-dataset-out versions; each prints its table to <out>/<name>.txt.
"""

import gzip
import json
import math
import os
import random
import subprocess
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from tokenizers import BertWordPieceTokenizer

from model import Encoder, Heads, mean_pool

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "../../.device")
WINDOW = 256
device = "cuda"
torch.backends.cuda.matmul.allow_tf32 = True
tokenizer = BertWordPieceTokenizer(f"{DATA}/vocab.txt", lowercase=True)
BENIGN = ["awesome-prompts", "mitre-frr", "banking77", "tiage", "halueval", "questions", "llmbar", "llmbar-answers", "presidio", "documents", "foreign", "tweets", "own-about", "own-trigger"]
INJECTION_SETS = ["deepset", "cyberseceval", "injecguard-valid", "bipia", "jailbreakbench", "mitre-frr", "awesome-prompts"]
# What a false alarm costs against a miss, when the threshold is set: every source counts alike, and more of them are harmless.
FALSE_ALARM_COST = 3
# How often a source is drawn, relative to the square root of its size.
DRAW = {"awesome-prompts": 1.5, "llmbar-answers": 1.2, "surge": 2, "davidson": 1.2, "davidson-offensive": 0.4, "own-toxic": 0.7, "own-safe": 0.8, "own-rude": 0.6, "own-lively": 0.8, "own-slurs": 0.5, "own-profanity": 0.4, "llmbar": 1.5, "own-trigger": 1.5, "deepset": 2, "cyberseceval": 1.5, "injecguard-valid": 2, "bipia": 1.5,
        "jailbreakbench": 1.5, "mitre-frr": 1, "collected-attacks": 1.5, "own-attack": 0.7, "own-hidden": 0.6, "own-about": 0.5}
# Thresholds are set on rows of real sources; of the own sentences only the harmless ones with rude or alarming words.
CALIBRATED_ON = ["surge", "davidson", *INJECTION_SETS, *BENIGN, "own-safe", "own-lively", "own-fair", "own-sexist", "own-rude"]


def encode_all(texts):
    return [item.ids[1:-1] for item in tokenizer.encode_batch(texts)]


def batch_of(token_lists, window, rng=None, hidden_share=0.0):
    cut = []
    for ids in token_lists:
        room = window - 2
        # Long texts are read in windows, so any window of one may be what is seen.
        start = rng.randrange(0, len(ids) - room + 1) if rng and len(ids) > room and rng.random() < 0.5 else 0
        seen = ids[start : start + room]
        if hidden_share and rng.random() < 0.5:
            # A token is hidden now and then, so that no single word decides.
            seen = [103 if rng.random() < hidden_share else token for token in seen]
        cut.append([101] + seen + [102])
    length = max(map(len, cut))
    ids = torch.zeros(len(cut), length, dtype=torch.long)
    mask = torch.zeros(len(cut), length, dtype=torch.bool)
    for at, item in enumerate(cut):
        ids[at, : len(item)] = torch.tensor(item)
        mask[at, : len(item)] = True
    return ids.to(device), mask.to(device)


def distil(out, layers, seconds):
    weights = load_file(f"{DATA}/minilm.safetensors")
    teacher, student = Teacher(weights).to(device).eval(), Encoder(weights, layers).to(device)
    texts = gzip.open(f"{DATA}/sentences.txt.gz", "rt", encoding="utf8").read().split("\n")
    tokens = encode_all(texts)
    rng = random.Random(1)
    order = list(range(len(tokens)))
    rng.shuffle(order)
    held, order = order[:2000], order[2000:]
    optimizer = torch.optim.AdamW([p for p in student.parameters() if p.requires_grad], lr=3e-4, weight_decay=0.01)
    started, step, loss_sum = time.time(), 0, 0.0
    while time.time() - started < seconds:
        share = (time.time() - started) / seconds
        for group in optimizer.param_groups:
            group["lr"] = 3e-4 * min(1, step / 200) * (1 - share)
        pool = sorted(rng.sample(order, 1024), key=lambda at: len(tokens[at]))
        for start in range(0, 1024, 256):
            ids, mask = batch_of([tokens[at] for at in pool[start : start + 256]], 128, rng)
            with torch.no_grad():
                goal = teacher(ids, mask)
                goal_pool = F.normalize(mean_pool(goal, mask), dim=-1)
            hidden = student(ids, mask)
            pooled = F.normalize(mean_pool(hidden, mask), dim=-1)
            # The direction of each sentence, and how the sentences of a batch lie to each other.
            close = (1 - (pooled * goal_pool).sum(-1)).mean()
            relation = ((pooled @ pooled.T - goal_pool @ goal_pool.T) ** 2).mean()
            tokenwise = ((hidden - goal) ** 2)[mask].mean()
            loss = close + 5 * relation + 0.3 * tokenwise
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
            optimizer.step()
            step += 1
            loss_sum += loss.item()
    student.eval()
    cosines, pairs_a, pairs_b = [], [], []
    with torch.no_grad():
        for start in range(0, 2000, 200):
            ids, mask = batch_of([tokens[at] for at in held[start : start + 200]], 128)
            a, b = F.normalize(mean_pool(teacher(ids, mask), mask), dim=-1), F.normalize(mean_pool(student(ids, mask), mask), dim=-1)
            cosines.append((a * b).sum(-1))
            pairs_a.append((a @ a.T).triu(1).flatten())
            pairs_b.append((b @ b.T).triu(1).flatten())
    correlation = np.corrcoef(torch.cat(pairs_a).cpu(), torch.cat(pairs_b).cpu())[0, 1]
    report(out, [f"steps {step}", f"cosine to the teacher on unseen sentences {torch.cat(cosines).mean():.4f}", f"correlation of pair similarities {correlation:.4f}"])
    torch.save(student.state_dict(), f"{out}.pt")


class Teacher(Encoder):
    """The six layers without rounding."""

    def __init__(self, weights):
        super().__init__(weights, range(6))
        self.words = weights["embeddings.word_embeddings.weight"].float()
        for layer in self.layers:
            for name in ["qkv", "out", "up", "down"]:
                linear = getattr(layer, name)
                plain = torch.nn.Linear(linear.in_features, linear.out_features)
                plain.weight, plain.bias = linear.weight, linear.bias
                setattr(layer, name, plain)


def classify(out, layers, start_from, left_out, steps, seed):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    encoder = Encoder(load_file(f"{DATA}/minilm.safetensors"), layers).to(device)
    if start_from:
        encoder.load_state_dict(torch.load(start_from, map_location=device))
    heads = Heads().to(device)
    rows = [json.loads(line) for line in gzip.open(f"{DATA}/rows.jsonl.gz", "rt", encoding="utf8")]
    for row, ids in zip(rows, encode_all([row["text"] for row in rows])):
        row["ids"] = ids
    train = [row for row in rows if row["split"] == "train" and row["source"] not in left_out]
    if left_out:
        train = without_copies(train, [row for row in rows if row["source"] in left_out])
    sources = {}
    for row in train:
        sources.setdefault(row["source"], []).append(row)
    names = sorted(sources)
    chances = [math.sqrt(len(sources[name])) * DRAW.get(name, 1) for name in names]
    groups = [{"params": [p for p in encoder.parameters() if p.requires_grad], "lr": 6e-5}, {"params": heads.parameters(), "lr": 1e-3}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.02)
    rates = [group["lr"] for group in optimizer.param_groups]
    parameters = [*encoder.parameters(), *heads.parameters()]
    means = [value.detach().clone() for value in parameters]
    for step in range(steps):
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate * min(1, step / 150) * (1 - step / steps)
        chosen = [rng.choice(sources[name]) for name in rng.choices(names, chances, k=128)]
        ids, mask = batch_of([row["ids"] for row in chosen], WINDOW, rng, hidden_share=0.15)
        answers = heads(encoder(ids, mask), mask)
        loss = 0
        for name in ["tox", "sex", "inj"]:
            known = [at for at, row in enumerate(chosen) if name in row]
            goal = torch.tensor([float(chosen[at][name]) for at in known], device=device)
            # Labels are softened a little: they contain errors, and the answer should not be surer than they are.
            loss = loss + F.binary_cross_entropy_with_logits(answers[name][known, 0], goal * 0.94 + 0.03)
        known = [at for at, row in enumerate(chosen) if "tone" in row]
        if known:
            loss = loss + 0.5 * F.cross_entropy(answers["tone"][known], torch.tensor([chosen[at]["tone"] for at in known], device=device), label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(encoder.parameters()) + list(heads.parameters()), 1.0)
        optimizer.step()
        with torch.no_grad():
            for mean, value in zip(means, parameters):
                mean.lerp_(value, max(0.004, 1 / (step + 1)))
    # The mean over the last steps does better on rows it has not seen than the last step.
    for mean, value in zip(means, parameters):
        value.data.copy_(mean)
    encoder.eval(), heads.eval()
    measured = [row for row in rows if row["split"] != "train" or row["source"] in left_out]
    predict(encoder, heads, measured)
    bias = {name: choose_bias([row for row in measured if row["split"] == "calibrate" and row["source"] in CALIBRATED_ON and row["source"] not in left_out], name) for name in ["tox", "sex", "inj"]}
    lines = [f"train rows {len(train)}, left out {left_out}, bias {bias}"]
    lines += table([row for row in measured if row["split"] == "test" or row["source"] in left_out], bias)
    report(out, lines)
    with open(f"{out}.predictions.jsonl", "w") as file:
        for row in measured:
            file.write(json.dumps({key: row[key] for key in row if key != "ids"} | {"text": row["text"][:150]}) + "\n")
    torch.save({"encoder": encoder.state_dict(), "heads": heads.state_dict(), "bias": bias}, f"{out}.pt")


def without_copies(train, tested):
    """Leaves out rows that share a stretch of eight words with a tested row, so that an unseen set is unseen."""
    def stretches(text):
        words = text.lower().split()
        return {" ".join(words[at : at + 8]) for at in range(len(words) - 7)}
    seen = set().union(*(stretches(row["text"]) for row in tested)) if tested else set()
    return [row for row in train if not (stretches(row["text"]) & seen)]


@torch.no_grad()
def predict(encoder, heads, rows):
    """The answer for a long text is that of its most suspicious window, as the service does it."""
    pieces = []
    for row in rows:
        room, stride = WINDOW - 2, WINDOW - 2 - 64
        starts = [0]
        while starts[-1] + room < len(row["ids"]):
            starts.append(starts[-1] + stride)
        row["scores"] = []
        pieces += [(row, row["ids"][at : at + room]) for at in starts]
    pieces.sort(key=lambda piece: len(piece[1]))
    for start in range(0, len(pieces), 256):
        part = pieces[start : start + 256]
        ids, mask = batch_of([piece for _, piece in part], WINDOW)
        answers = {name: value.cpu().tolist() for name, value in heads(encoder(ids, mask), mask).items()}
        for at, (row, _) in enumerate(part):
            row["scores"].append({name: answers[name][at] for name in answers})
    for row in rows:
        scores = row.pop("scores")
        row["p"] = {name: max(score[name][0] for score in scores) for name in ["tox", "sex", "inj"]} | {"tone": scores[0]["tone"]}


def choose_bias(rows, name):
    """A shift of the logit so that 0.5 is where the calibration rows, every source counted alike, are told apart best."""
    sources = {}
    for row in rows:
        if name in row:
            sources.setdefault((row["source"], row[name]), []).append(row["p"][name])
    best, best_error = 0.0, 1e9
    for bias in np.arange(-4, 4.01, 0.1):
        errors = {0: [], 1: []}
        for (_, label), values in sources.items():
            errors[label].append(np.mean([(value + bias > 0) != bool(label) for value in values]) * min(1, len(values) / 20))
        error = np.mean(errors[0]) * FALSE_ALARM_COST + np.mean(errors[1])
        if error < best_error - 1e-9:
            best, best_error = float(bias), error
    return round(best, 2)


def table(rows, bias):
    lines = ["| head | set | rows | accuracy | precision | recall | F1 | false alarms |"]
    for name in ["tox", "sex", "inj"]:
        for source in sorted({row["source"] for row in rows if name in row}):
            part = [row for row in rows if row["source"] == source and name in row]
            lines.append(f"| {name} | {source} | {figures([(row[name], row['p'][name] + bias[name] > 0) for row in part])} |")
    for name in ["tox", "sex", "inj"]:
        lines.append(f"AUC {name} " + " ".join(f"{source} {auc([row for row in rows if row['source'] in sources and name in row], name):.4f}" for source, sources in AUC_SETS[name].items()))
    mixed = [row for row in rows if row["source"] in INJECTION_SETS]
    lines.append(f"| inj | mixed | {figures([(row['inj'], row['p']['inj'] + bias['inj'] > 0) for row in mixed])} |")
    tones = [row for row in rows if "tone" in row]
    for source in sorted({row["source"] for row in tones}):
        part = [row for row in tones if row["source"] == source]
        lines.append(f"| tone | {source} | {len(part)} | {np.mean([int(np.argmax(row['p']['tone'])) == row['tone'] for row in part]):.4f} |")
    return lines


AUC_SETS = {
    "tox": {"surge": ["surge"], "davidson": ["davidson"], "own": ["own-toxic", "own-safe"], "comments": ["own-rude", "own-lively"]},
    "sex": {"own": ["own-sexist", "own-fair"]},
    "inj": {"mixed": INJECTION_SETS, "deepset": ["deepset"], "bipia": ["bipia"], "own": ["own-attack", "own-trigger"], "hidden": ["own-hidden", "own-about"]},
}


def auc(rows, name):
    """The chance that a row to be found scores above one that is not."""
    found = np.array([row["p"][name] for row in rows if row[name] == 1])
    others = np.array([row["p"][name] for row in rows if row[name] == 0])
    return float(np.mean([(value > others).mean() + 0.5 * (value == others).mean() for value in found]))


def figures(pairs):
    tp = sum(1 for is_there, is_found in pairs if is_there and is_found)
    fp = sum(1 for is_there, is_found in pairs if not is_there and is_found)
    fn = sum(1 for is_there, is_found in pairs if is_there and not is_found)
    tn = len(pairs) - tp - fp - fn
    ratio = lambda a, b: f"{a / b:.4f}" if b else ""
    return " | ".join([str(len(pairs)), ratio(tp + tn, len(pairs)), ratio(tp, tp + fp), ratio(tp, tp + fn), ratio(2 * tp, 2 * tp + fp + fn) if tp + fn else "", ratio(fp, fp + tn)])


def report(out, lines):
    with open(f"{out}.txt", "w") as file:
        file.write("\n".join(lines) + "\n")
    print(f"== {os.path.basename(out)}", *lines, sep="\n", flush=True)


def run_parallel(jobs):
    for process in [subprocess.Popen([sys.executable, os.path.abspath(__file__), *map(str, job)]) for job in jobs]:
        process.wait()


def main():
    if sys.argv[1] == "distil":
        return distil(sys.argv[2], json.loads(sys.argv[3]), float(sys.argv[4]))
    if sys.argv[1] == "classify":
        return classify(sys.argv[2], json.loads(sys.argv[3]), sys.argv[4], [name for name in sys.argv[5].split(",") if name], int(sys.argv[6]), int(sys.argv[7]))
    out = sys.argv[1]
    work = "/tmp/assay-training"
    os.makedirs(work, exist_ok=True)
    started = time.time()
    run_parallel([["distil", f"{work}/sentence3", "[0,2,5]", os.environ.get("DISTIL_SECONDS", "130")]])
    print("distilled", time.time() - started, flush=True)
    steps = int(os.environ.get("STEPS", "1400"))
    jobs = [["classify", f"{work}/three", "[0,2,5]", f"{work}/sentence3.pt", "", steps, 1]]
    if "COMPARE" in os.environ:
        jobs += [["classify", f"{work}/six", "[0,1,2,3,4,5]", "", "", steps, 1], ["classify", f"{work}/two", "[0,1]", "", "", steps, 1]]
    if "LEAVE_OUT" in os.environ:
        jobs += [["classify", f"{work}/without-{name}", "[0,2,5]", f"{work}/sentence3.pt", name, steps, 1] for name in INJECTION_SETS[:5] + ["surge"]]
    run_parallel(jobs)
    print("classified", time.time() - started, flush=True)
    os.makedirs(out, exist_ok=True)
    with open(f"{out}/tables.txt", "w") as file:
        for job in [["", f"{work}/sentence3"], *jobs]:
            file.write(f"== {os.path.basename(job[1])}\n" + open(f"{job[1]}.txt").read())
    # Half precision: the layers are rounded to 8 bits anyway, and rounding twice moves a weight by one step at most.
    for name in ["sentence3", "three"]:
        state = torch.load(f"{work}/{name}.pt", map_location="cpu")
        parts = {"encoder": state["encoder"], "heads": state["heads"]} if "heads" in state else {"encoder": state}
        flat = {f"{part}.{key}": value.half().contiguous() for part, values in parts.items() for key, value in values.items() if key not in ("words", "positions")}
        save_file(flat, f"{out}/{name}.safetensors", {"bias": json.dumps(state.get("bias", {}))})
    with gzip.open(f"{out}/predictions.jsonl.gz", "wb") as file:
        file.write(open(f"{work}/three.predictions.jsonl", "rb").read())


main()
