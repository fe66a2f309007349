const STOP_WORDS = new Set(
  `a an the this that these those and or but nor so yet if then than as of in on at by for with from to into onto upon
  about over under between among through during before after above below up down out off again further is am are was were
  be been being do does did doing done have has had having will would shall should can could may might must i me my mine we
  us our ours you your yours he him his she her hers it its they them their theirs who whom whose which what when where why
  how there here all any both each few more most other some such only own same too very just also not no s t d ll re ve m
  because while until against please however therefore thus hence`.split(/\s+/),
)

// Forms of common words that no ending tells.
const IRREGULAR = new Map(
  `rose=rise risen=rise fell=fall fallen=fall won=win lost=lose grew=grow grown=grow began=begin begun=begin bought=buy
  sold=sell built=build made=make said=say told=tell went=go gone=go came=come took=take taken=take gave=give given=give
  wrote=write written=write spoke=speak spoken=speak saw=see seen=see found=find held=hold left=leave led=lead kept=keep
  met=meet paid=pay sent=send spent=spend stood=stand taught=teach thought=think brought=bring caught=catch chose=choose
  chosen=choose drew=draw drove=drive flew=fly fought=fight got=get knew=know known=know ran=run sang=sing sat=sit
  shrank=shrink slept=sleep struck=strike swam=swim threw=throw wore=wear became=become forgot=forget forbade=forbid
  forbidden=forbid hid=hide hidden=hide men=man women=woman children=child people=person died=die dies=die`
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
)

/** The words of a text in lower case, without accents and apostrophes, in order; numbers are words. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
  return plain.replaceAll(/['’]s\b/g, '').match(/\p{L}+|\p{N}+(?:[.,:]\p{N}+)*/gu) ?? []
}

/** The words that carry meaning, reduced to their stems, in order. */
export function contentWords(text: string): string[] {
  return wordsOf(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stemOf)
}

/** A word without the endings that grammar adds; rough, and the same for both sides of a comparison. */
export function stemOf(word: string): string {
  const base = IRREGULAR.get(word)
  if (base !== undefined) return stemOf(base)
  if (word.length < 4 || /\p{N}/u.test(word)) return word
  const stem = word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=[^s])s$/, '')
    .replace(/(?<=(?:ss|sh|ch|x|z))e$/, '')
    .replace(/(?<=\p{L}{3})(?:ing|ed|ly|e)$/u, '')
    .replace(/([bdfgmnprt])\1$/, '$1')
  return stem.length < 2 ? word : stem
}
