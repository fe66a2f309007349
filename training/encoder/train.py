"""Trains the encoders. Needs a GPU; some ten minutes in all on an H200.

    python training/encoder/train.py <out folder>

Step 1, only with DISTIL=1, distils all-MiniLM-L6-v2 into a sentence encoder of three layers; otherwise the one of
models/encoder is the start. Step 2 trains the classifier of three layers and, with LEAVE_OUT=1, leave-one-set-out
versions; each prints its table to <out>/<name>.txt. DEV=1 looks at no tested row: it leaves Surge out of training and measures on
the half of it that may be seen.
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
from safetensors.torch import save_file
from tokenizers import BertWordPieceTokenizer

from base_weights import load_base, load_sentence
from model import Encoder, Heads, mean_pool

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "../../.device")
WINDOW = 256
BATCH, PART = 192, 96
# Training ends then, however many steps were made.
SECONDS_MAX = float(os.environ.get("SECONDS_MAX", "1200"))
device = "cuda"
torch.backends.cuda.matmul.allow_tf32 = True
tokenizer = BertWordPieceTokenizer(os.path.join(HERE, "../../models/encoder/vocab.txt"), lowercase=True)
YES_NO = ["tox", "sex", "ovr", "jbk"]
BENIGN = ["awesome-prompts", "mitre-frr", "banking77", "tiage", "halueval", "questions", "llmbar", "llmbar-answers", "presidio", "documents", "foreign", "tweets", "own-about", "own-trigger", "own-role-play"]
INJECTION_SETS = ["deepset", "cyberseceval", "injecguard-valid", "bipia", "jailbreakbench", "mitre-frr", "awesome-prompts"]
COMMENTS = ["jigsaw", "jigsaw-toxic", "davidson-more", "davidson-more-toxic"]
VARIANTS = ["swapped", "roughened"]
GROUP_SENTENCES = ["own-hate", "own-open-hate", "own-denounced", "own-kind", "own-no-target", "own-slur-talk", "own-slur-hate"]
# What a false alarm costs against a miss, when the threshold is set: every source counts alike, and more of them are harmless.
FALSE_ALARM_COST = {"tox": 1, "sex": 3, "inj": 3}
# How often a source is drawn, relative to the square root of its size.
DRAW = {"awesome-prompts": 2, "llmbar-answers": 1.2, "surge": 3, "davidson": 1.5, "davidson-offensive": 0.3, "own-toxic": 0.5, "own-safe": 0.6, "own-rude": 0.5, "own-lively": 0.8, "own-slurs": 0.4, "own-profanity": 0.3, "llmbar": 1.5, "own-trigger": 1.5, "deepset": 2, "cyberseceval": 1.5, "injecguard-valid": 2, "bipia": 1.5,
        "jailbreakbench": 1.5, "mitre-frr": 1, "collected-attacks": 1.5, "own-attack": 0.6, "own-persona": 0.6, "own-jailbreak": 0.6, "own-role-play": 0.9, "own-hidden": 0.6, "own-about": 0.5, "jigsaw": 0.9, "jigsaw-toxic": 1.2, "davidson-more": 0.4, "davidson-more-toxic": 0.3, "swapped": 0.5, "roughened": 0.5,
        "own-hate": 1, "own-open-hate": 0.8, "own-denounced": 1.1, "own-kind": 0.9, "own-no-target": 0.7, "own-slur-talk": 0.5, "own-slur-hate": 0.5, "own-political-abuse": 0.8, "own-political-talk": 0.6, "own-friendly": 1, "own-equality": 0.9, **{f"own-{tone}": 1.6 for tone in ["joy", "anger", "sadness", "fear", "surprise", "disgust", "neutral"]}}
# Thresholds are set on rows of real sources and on own sentences that are harmless in spite of rude or alarming words, or the reverse.
CALIBRATED_ON = ["surge", "davidson", "jigsaw", "jigsaw-toxic", *INJECTION_SETS, *BENIGN, "own-safe", "own-lively", "own-fair", "own-equality", "own-sexist", "own-rude", "own-hate", "own-open-hate", "own-denounced", "own-kind", "own-no-target", "own-friendly", "own-political-talk"]


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
    weights = load_base(DATA)
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


def read_rows(left_out):
    rows = [json.loads(line) for line in gzip.open(f"{DATA}/rows.jsonl.gz", "rt", encoding="utf8")]
    if "DEV" in os.environ:
        rows = [row for row in rows if "id" not in row or row["split"] != "test"]
        for row in rows:
            if row["source"] == "surge" or ("id" in row and row["split"] == "calibrate"):
                row["split"] = "test"
    else:
        # What own sentences are good for was measured with DEV=1; then all of them are learnt, but for those that set thresholds.
        for row in rows:
            if row["source"].startswith("own-") and row["split"] == "test":
                row["split"] = "train"
    for row, ids in zip(rows, encode_all([row["text"] for row in rows])):
        row["ids"] = ids
    train = [row for row in rows if row["split"] == "train" and row["source"] not in left_out]
    if left_out:
        train = without_copies(train, [row for row in rows if row["source"] in left_out])
    return rows, train


def fit(train, layers, start_from, steps, seed):
    """Trains an encoder and its heads on rows drawn source by source."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    encoder = Encoder(load_base(DATA), layers).to(device)
    if start_from == "sentence":
        absent = encoder.load_state_dict(load_sentence(), strict=False)
        assert set(absent.missing_keys) == {"words", "positions"} and not absent.unexpected_keys, absent
    elif start_from:
        encoder.load_state_dict(torch.load(start_from, map_location=device))
    heads = Heads().to(device)
    sources = {}
    for row in train:
        sources.setdefault(row["source"], []).append(row)
    names = sorted(sources)
    chances = [math.sqrt(len(sources[name])) * DRAW.get(name, 1) for name in names]
    groups = [{"params": [p for p in encoder.parameters() if p.requires_grad], "lr": 1e-4}, {"params": heads.parameters(), "lr": 1e-3}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.02)
    rates = [group["lr"] for group in optimizer.param_groups]
    parameters = [*encoder.parameters(), *heads.parameters()]
    means = [value.detach().clone() for value in parameters]
    started, step, share = time.time(), 0, 0.0
    while share < 1:
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate * min(1, step / 150) * (1 - share)
        chosen = [rng.choice(sources[name]) for name in rng.choices(names, chances, k=BATCH)]
        loss = loss_of(answer(encoder, heads, chosen, rng), chosen)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        with torch.no_grad():
            for mean, value in zip(means, parameters):
                mean.lerp_(value, max(0.004, 1 / (step + 1)))
        step += 1
        share = max(step / steps, (time.time() - started) / SECONDS_MAX)
    # The mean over the last steps does better on rows it has not seen than the last step.
    for mean, value in zip(means, parameters):
        value.data.copy_(mean)
    print("steps", step, flush=True)
    return encoder.eval(), heads.eval()


def answer(encoder, heads, chosen, rng):
    """The answers for a batch, read in parts of similar length so that little is wasted on filling up."""
    chosen.sort(key=lambda row: len(row["ids"]))
    parts = []
    for start in range(0, len(chosen), PART):
        ids, mask = batch_of([row["ids"] for row in chosen[start : start + PART]], WINDOW, rng, hidden_share=0.15)
        parts.append(heads(encoder(ids, mask), mask))
    return {name: torch.cat([part[name] for part in parts]) for name in Heads.SIZES}


def goals(chosen, name):
    """What a head should answer for the rows where that is known; softened, because labels contain errors."""
    at = [at for at, row in enumerate(chosen) if name in row or (name in ("ovr", "jbk") and row.get("inj") == 0)]
    return at, torch.tensor([float(chosen[place].get(name, 0)) * 0.94 + 0.03 for place in at], device=device)


def loss_of(answers, chosen):
    loss = 0
    for name in YES_NO:
        at, goal = goals(chosen, name)
        if at:
            loss = loss + F.binary_cross_entropy_with_logits(answers[name][at, 0], goal)
    # An attack of unknown kind: at least one of the two heads should find it.
    either = [at for at, row in enumerate(chosen) if row.get("inj") == 1 and row.get("ovr") != 1 and row.get("jbk") != 1]
    if either:
        neither = F.logsigmoid(-answers["ovr"][either, 0]) + F.logsigmoid(-answers["jbk"][either, 0])
        loss = loss - 0.5 * torch.log1p(-torch.exp(neither.clamp(max=-1e-4))).mean()
    known = [at for at, row in enumerate(chosen) if "tone" in row]
    if known:
        loss = loss + 0.5 * F.cross_entropy(answers["tone"][known], torch.tensor([chosen[at]["tone"] for at in known], device=device), label_smoothing=0.05)
    return loss


def classify(out, layers, start_from, left_out, steps, seed):
    rows, train = read_rows(left_out)
    encoder, heads = fit(train, layers, start_from, steps, seed)
    measured = [row for row in rows if row["split"] != "train" or row["source"] in left_out]
    predict(encoder, heads, measured)
    calibrate = [row for row in measured if row["split"] == "calibrate" and row["source"] in CALIBRATED_ON and row["source"] not in left_out]
    bias = {name: choose_bias(calibrate, name) for name in ["tox", "sex", "inj"]}
    lines = [f"train rows {len(train)}, left out {left_out}, bias {bias}"]
    lines += table([row for row in measured if row["split"] == "test" or row["source"] in left_out], bias)
    report(out, lines)
    with open(f"{out}.predictions.jsonl", "w") as file:
        for row in measured:
            file.write(json.dumps({key: row[key] for key in row if key != "ids"} | {"text": row["text"][:150]}) + "\n")
    torch.save({"encoder": encoder.state_dict(), "heads": heads.state_dict(), "bias": {"tox": bias["tox"], "sex": bias["sex"], "ovr": bias["inj"], "jbk": bias["inj"]}}, f"{out}.pt")


def without_copies(train, tested):
    """Leaves out rows that share a stretch of eight words with a tested row, so that an unseen set is unseen."""
    def stretches(text):
        words = text.lower().split()
        return {" ".join(words[at : at + 8]) for at in range(len(words) - 7)}
    seen = set().union(*(stretches(row["text"]) for row in tested)) if tested else set()
    return [row for row in train if not (stretches(row["text"]) & seen)]


SENTENCE_ENDS = {1012, 999, 1029}


def sentences_of(ids):
    """A text that does not fit into a small window, sentence by sentence, as the service reads it for toxicity and sexism."""
    if len(ids) <= 62:
        return [ids]
    parts, start = [], 0
    for at in range(len(ids)):
        is_end = ids[at] in SENTENCE_ENDS and (at + 1 == len(ids) or ids[at + 1] not in SENTENCE_ENDS)
        if at + 1 == len(ids) or (is_end and at + 1 - start >= 6):
            parts += [ids[from_ : from_ + 62] for from_ in range(start, at + 1, 38) if from_ == start or from_ + 24 < at + 1]
            start = at + 1
    return parts


@torch.no_grad()
def predict(encoder, heads, rows):
    """The answer for a long text is that of its most suspicious window, as the service does it."""
    pieces = []
    for row in rows:
        room, stride = WINDOW - 2, WINDOW - 2 - 64
        starts = [0]
        while starts[-1] + room < len(row["ids"]):
            starts.append(starts[-1] + stride)
        row["scores"] = {name: [] for name in Heads.SIZES}
        whole = [row["ids"][at : at + room] for at in starts]
        small = sentences_of(row["ids"]) if "tox" in row or "sex" in row else []
        pieces += [(row, piece, "all" if len(row["ids"]) <= 62 else "whole") for piece in whole]
        pieces += [(row, piece, "small") for piece in small if len(row["ids"]) > 62]
    pieces.sort(key=lambda piece: len(piece[1]))
    for start in range(0, len(pieces), 256):
        part = pieces[start : start + 256]
        ids, mask = batch_of([piece for _, piece, _ in part], WINDOW)
        answers = {name: value.cpu().tolist() for name, value in heads(encoder(ids, mask), mask).items()}
        for at, (row, _, kind) in enumerate(part):
            for name in answers:
                is_small = name in ("tox", "sex") and kind == "small"
                if kind == "all" or is_small or (kind == "whole" and name not in ("tox", "sex")):
                    row["scores"][name].append(answers[name][at])
    for row in rows:
        scores = row.pop("scores")
        row["p"] = {name: max((score[0] for score in scores[name]), default=-9.0) for name in YES_NO} | {"tone": scores["tone"][0]}
        row["p"]["inj"] = max(row["p"]["ovr"], row["p"]["jbk"])


def choose_bias(rows, name):
    """A shift of the logit so that 0.5 is where the calibration rows, every source counted alike, are told apart best."""
    sources = {}
    for row in rows:
        if name in row:
            sources.setdefault((row["source"], row[name]), []).append(row["p"][name])
    best, best_error = 0.0, 1e9
    for bias in np.arange(-1.5, 1.51, 0.1):
        errors = {0: [], 1: []}
        for (_, label), values in sources.items():
            errors[label].append(np.mean([(value + bias > 0) != bool(label) for value in values]) * min(1, len(values) / 20))
        error = np.mean(errors[0]) * FALSE_ALARM_COST[name] + np.mean(errors[1])
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
    for name in ["ovr", "jbk"]:
        found = [row for row in rows if row.get("inj") == 1]
        lines.append(f"found by {name} " + " ".join(f"{source} {np.mean([row['p'][name] + bias['inj'] > 0 for row in found if row['source'] == source]):.3f}" for source in sorted({row["source"] for row in found})))
    mixed = [row for row in rows if row["source"] in INJECTION_SETS]
    lines.append(f"| inj | mixed | {figures([(row['inj'], row['p']['inj'] + bias['inj'] > 0) for row in mixed])} |")
    tones = [row for row in rows if "tone" in row]
    for source in sorted({row["source"] for row in tones}):
        part = [row for row in tones if row["source"] == source]
        lines.append(f"| tone | {source} | {len(part)} | {np.mean([int(np.argmax(row['p']['tone'])) == row['tone'] for row in part]):.4f} |")
    return lines


AUC_SETS = {
    "tox": {"surge": ["surge"], "davidson": ["davidson"], "own": ["own-toxic", "own-safe"], "comments": ["own-rude", "own-lively"], "jigsaw": ["jigsaw", "jigsaw-toxic"], "groups": GROUP_SENTENCES},
    "sex": {"own": ["own-sexist", "own-fair", "own-equality"]},
    "inj": {"mixed": INJECTION_SETS, "deepset": ["deepset"], "bipia": ["bipia"], "own": ["own-attack", "own-trigger"], "hidden": ["own-hidden", "own-about"], "role": ["own-jailbreak", "own-role-play"]},
}


def auc(rows, name):
    """The chance that a row to be found scores above one that is not."""
    found = np.array([row["p"][name] for row in rows if row[name] == 1])
    others = np.array([row["p"][name] for row in rows if row[name] == 0])
    return float("nan") if len(found) == 0 or len(others) == 0 else float(np.mean([(value > others).mean() + 0.5 * (value == others).mean() for value in found]))


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
    command, *rest = sys.argv[1:]
    names = lambda text: [name for name in text.split(",") if name]
    if command == "distil":
        return distil(rest[0], json.loads(rest[1]), float(rest[2]))
    if command == "classify":
        return classify(rest[0], json.loads(rest[1]), rest[2], names(rest[3]), int(rest[4]), int(rest[5]))
    out, work = command, "/tmp/assay-training"
    os.makedirs(work, exist_ok=True)
    started, start_from = time.time(), "sentence"
    if "DISTIL" in os.environ:
        start_from = f"{work}/sentence3.pt"
        run_parallel([["distil", f"{work}/sentence3", "[0,2,5]", "130"]])
    steps = int(os.environ.get("STEPS", "2400"))
    three = "[0,2,5]"
    if "DEV" in os.environ:
        jobs = [["classify", f"{work}/three", three, start_from, "surge", steps, 1], ["classify", f"{work}/no-comments", three, start_from, ",".join(["surge", *COMMENTS, *VARIANTS]), steps, 1],
                ["classify", f"{work}/no-groups", three, start_from, ",".join(["surge", *GROUP_SENTENCES]), steps, 1], ["classify", f"{work}/four", "[0,1,3,5]", "", "surge", steps, 1], ["classify", f"{work}/six", "[0,1,2,3,4,5]", "", "surge", steps, 1]]
        if "ONLY" in os.environ:
            jobs = [job for job in jobs if os.path.basename(job[1]) in os.environ["ONLY"].split(",")]
    else:
        jobs = [["classify", f"{work}/three", three, start_from, "", steps, 1]]
        if "LEAVE_OUT" in os.environ:
            jobs += [["classify", f"{work}/without-{name}", three, start_from, name, steps, 1] for name in INJECTION_SETS[:5] + ["surge"]]
    run_parallel(jobs)
    print("classified", time.time() - started, flush=True)
    os.makedirs(out, exist_ok=True)
    with open(f"{out}/tables.txt", "w") as file:
        for job in jobs:
            file.write(f"== {os.path.basename(job[1])}\n" + open(f"{job[1]}.txt").read())
    # Half precision: the layers are rounded to 8 bits anyway, and rounding twice moves a weight by one step at most.
    for name in ["three", *(["sentence3"] if "DISTIL" in os.environ else [])]:
        state = torch.load(f"{work}/{name}.pt", map_location="cpu")
        parts = {"encoder": state["encoder"], "heads": state["heads"]} if "heads" in state else {"encoder": state}
        flat = {f"{part}.{key}": value.half().contiguous() for part, values in parts.items() for key, value in values.items() if key not in ("words", "positions")}
        save_file(flat, f"{out}/{name}.safetensors", {"bias": json.dumps(state.get("bias", {}))})
    with gzip.open(f"{out}/predictions.jsonl.gz", "wb") as file:
        file.write(open(f"{jobs[0][1]}.predictions.jsonl", "rb").read())


main()
