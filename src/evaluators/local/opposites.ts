import { contentWords, stemOf } from './words.ts'

const PAIRS = `increase decrease|rise fall|rise drop|gain lose|gain loss|up down|high low|higher lower|more less|more fewer|most
least|many few|large small|big small|old new|old young|early late|earlier later|before after|first last|begin end|start
end|start stop|open close|accept reject|accept refuse|agree disagree|approve reject|allow ban|allow forbid|allow prevent|permit
prohibit|win lose|victory defeat|success failure|succeed fail|support oppose|support criticise|support criticize|praise
criticize|love hate|like dislike|happy sad|happy unhappy|good bad|better worse|best worst|strong weak|hard soft|hard easy|difficult
easy|hot cold|warm cool|rich poor|cheap expensive|fast slow|quick slow|long short|tall short|deep shallow|wide narrow|full
empty|same different|similar different|true false|right wrong|right left|north south|east west|northern southern|eastern
western|inside outside|above below|male female|man woman|boy girl|mother father|brother sister|son daughter|husband wife|buy
sell|lend borrow|import export|arrive depart|arrive leave|enter leave|join leave|include exclude|add remove|create
destroy|build destroy|improve worsen|strengthen weaken|expand shrink|grow shrink|raise lower|raise cut|positive
negative|public private|major minor|maximum minimum|guilty innocent|alive dead|live die|born die|friend enemy|ally
enemy|ancient modern|temporary permanent|domestic foreign|local global|national international|urban rural|safe dangerous|simple
complex|common rare|always never|often rarely|everybody nobody|everyone nobody|present absent|day night|morning
evening|summer winter|optimistic pessimistic|confirm deny|admit deny|remember forget|forget recall|discover lose|healthy
sick|visible hidden|active passive|employed unemployed|voluntary forced|majority minority|advantage disadvantage|encourage
discourage|enable disable|appear disappear|connect disconnect|honest dishonest|legal illegal|peace war|attack defend`

const PREFIXES = ['un', 'in', 'im', 'dis', 'non', 'mis', 'il', 'ir']

const OPPOSITES = new Map<string, Set<string>>()
for (const pair of PAIRS.split('|')) {
  const [left = '', right = ''] = pair.trim().split(/\s+/).map(stemOf)
  OPPOSITES.set(left, (OPPOSITES.get(left) ?? new Set()).add(right))
  OPPOSITES.set(right, (OPPOSITES.get(right) ?? new Set()).add(left))
}

/** How many words of a statement are not in a passage, while their opposites are: `rose` where the passage says `fell`. */
export function oppositesIn(statement: string, passage: string): number {
  const there = new Set(contentWords(passage))
  return new Set(contentWords(statement).filter((word) => !there.has(word) && hasOpposite(word, there))).size
}

function hasOpposite(word: string, there: ReadonlySet<string>): boolean {
  if ([...(OPPOSITES.get(word) ?? [])].some((opposite) => there.has(opposite))) return true
  return PREFIXES.some(
    (prefix) =>
      there.has(prefix + word) ||
      (word.startsWith(prefix) && word.length > prefix.length + 2 && there.has(word.slice(prefix.length))),
  )
}
