"""Fills the slots of a template: `{name}` takes one of the words of that list."""

import random
import re

SLOT = re.compile(r"\{(\w+)\}")


def expand(templates, slots, count, seed):
    """At most `count` different sentences, drawn evenly over the templates."""
    rng = random.Random(seed)
    sentences = set()
    for _ in range(count * 4):
        if len(sentences) >= count:
            break
        sentence = rng.choice(templates)
        while SLOT.search(sentence):
            sentence = SLOT.sub(lambda slot: rng.choice(slots[slot.group(1)]), sentence, count=1)
        sentences.add(sentence[0].upper() + sentence[1:] if rng.random() < 0.8 else sentence)
    return sorted(sentences)


def roughen(sentence, rng):
    """The same sentence the way people type it: case, stretched and missing characters, spelling around filters."""
    kind = rng.random()
    if kind < 0.2:
        return sentence.upper()
    if kind < 0.45:
        return sentence.lower().rstrip(".")
    if kind < 0.6:
        at = rng.randrange(len(sentence))
        return sentence[:at] + sentence[at + 1 :]
    if kind < 0.75:
        return sentence.translate(str.maketrans({"a": "@", "i": "1", "e": "3", "o": "0", "s": "$"})) if rng.random() < 0.5 else sentence.replace("u", "*").replace("i", "1")
    if kind < 0.85:
        words = sentence.split(" ")
        at = rng.randrange(len(words))
        words[at] = " ".join(words[at]) if rng.random() < 0.5 else ".".join(words[at])
        return " ".join(words)
    return sentence + rng.choice(["!!!", " lol", " smh", "...", "!", " 😂", " #fact"])
