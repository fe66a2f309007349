"""Fills the slots of a template: `{name}` takes one of the words of that list."""

import random
import re

SLOT = re.compile(r"\{(\w+)\}")
BEFORE_VOWEL = re.compile(r"\b([Aa]) (?=[aeioAEIO]|un[^i])(?!eu|Eu|one\b)")


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
        sentence = BEFORE_VOWEL.sub(r"\1n ", sentence)
        sentences.add(sentence[0].upper() + sentence[1:] if rng.random() < 0.8 else sentence)
    return sorted(sentences)


def roughen(sentence, rng):
    """The same sentence the way people type it: case, stretched and missing characters, spelling around filters."""
    kind = rng.random()
    if kind < 0.15:
        return sentence.upper()
    if kind < 0.35:
        return sentence.lower().rstrip(".")
    if kind < 0.5:
        return sentence + rng.choice(["!!!", " lol", " smh", "...", "!", " 😂", " #fact", "??", " 🤡", " tbh"])
    words = sentence.split(" ")
    # Long words carry what is hidden from a filter.
    for at in rng.sample(range(len(words)), min(len(words), rng.randrange(1, 4))):
        if len(words[at]) > 3 or len(words) < 4:
            words[at] = disguise(words[at], rng)
    return " ".join(words)


LOOKALIKES = {"a": "@4", "i": "1!", "e": "3", "o": "0", "s": "$5", "t": "7+", "l": "1", "u": "v*", "c": "k("}


def disguise(word, rng):
    """A word in a spelling that a list of words does not know."""
    if not word:
        return word
    at = rng.randrange(len(word))
    kind = rng.randrange(8)
    if kind == 0:
        return word[:at] + word[at + 1 :]
    if kind == 1:
        return word[:at] + word[at] * rng.randrange(2, 5) + word[at + 1 :]
    if kind == 2:
        return rng.choice([" ", ".", "-", "*"]).join(word)
    if kind == 3:
        return word[:at] + "*" + word[at + 1 :]
    if kind == 4 and at + 1 < len(word):
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == 5:
        return word[:at] + rng.choice(" _.") + word[at:]
    if kind == 6:
        return word[0] + re.sub(r"[aeiou]", rng.choice(["", "*", "#"]), word[1:])
    return "".join(rng.choice(LOOKALIKES[letter]) if letter in LOOKALIKES and rng.random() < 0.6 else letter for letter in word)
