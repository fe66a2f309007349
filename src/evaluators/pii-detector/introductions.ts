import type { Report } from './finding.ts'
import type { Tokens } from './tokens.ts'

/** The surnames of most people in China; without one, "我叫" is more often about ordering something. */
const CHINESE_SURNAME =
  '[王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林郑谢罗梁宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严張劉陳楊黃趙吳馬鄭謝羅許韓馮鄧蕭葉蘇魏呂盧鍾譚陸賈]'

/**
 * How people say their names where words are not separated: the lists of words cannot help there, so only these few ways
 * are known. Each pattern is a fixed beginning and a short name, read in one pass.
 */
const WAYS: readonly RegExp[] = [
  new RegExp(`(?:我叫|我的名字是|姓名是?|名字叫)${CHINESE_SURNAME}\\p{sc=Han}{1,2}(?!\\p{sc=Han}{3})`, 'u'),
  /名前は[\p{sc=Han}\p{sc=Katakana}ー]{2,8}(?:です|と)/u,
  /[\p{sc=Han}\p{sc=Katakana}ー]{2,8}と申します/u,
  /^[\p{sc=Han}]{2,5}(?:様|さん)$/u,
  /^[가-힣]{2,4}(?:이라고|라고|입니다|씨)$/u,
]

/** Finds a person who is named in Chinese, Japanese or Korean. */
export function findIntroduction(tokens: Tokens, token: number, report: Report): void {
  const word = tokens.textOf(token)
  for (const way of WAYS) {
    const match = way.exec(word)
    if (match === null) continue
    // A Korean sentence ends this way for things too; only what stands before says that it is a name.
    if (/^[가-힣]/.test(word) && !/(?:이름은|성함은|저는|제가) ?$/.test(before(tokens, token))) continue
    const start = (tokens.start[token] as number) + match.index
    report('person', 0.9, start, start + match[0].length)
    return
  }
}

function before(tokens: Tokens, token: number): string {
  const start = tokens.start[token] as number
  return tokens.text.slice(Math.max(0, start - 8), start)
}
