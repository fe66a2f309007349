/** Lines that only a trace has. Two of a kind, or one below the head of its language, make a trace. */
const FRAMES: readonly RegExp[] = [
  // Python
  /^\s{1,20}File "[^"]{1,300}", line \d+/,
  // JavaScript, with line and column
  /^\s{1,20}at \S.{0,300}:\d+:\d+\)?$/,
  // Java and its kin
  /^\s{1,20}at [\w.$/<>]{1,200}\((?:[\w$]{1,80}\.(?:java|kt|scala|groovy)(?::\d+)?|Native Method|Unknown Source)\)/,
  // C#
  /^\s{1,20}at \S.{0,300} in .{1,300}:line \d+$/,
  // Go
  /^goroutine \d+ \[/,
  // Ruby
  /^\s{0,20}(?:from )?\S{1,200}\.rb:\d+:in [`']/,
  // PHP
  /^#\d+ (?:\{main\}|.{1,300}\.php\(\d+\))/,
]

const HEADS =
  /^\s{0,8}(?:Traceback \(most recent call last\)|panic: |thread '[^']{0,60}'(?: \(\d+\))? panicked at|Exception in thread |Unhandled exception|Fatal error: Uncaught|PHP Fatal error)|^(?:[\w$]{1,80}\.){0,10}[A-Z]\w{0,80}(?:Error|Exception)(?::|$)|\(\w{1,60}(?:Error|Exception)\)$/

/** The line that says what was raised, if the lines hold a stack trace of one of the common languages. */
export function findStackTrace(lines: readonly string[]): string | undefined {
  const heads = lines.filter((line) => HEADS.test(line))
  const frames = lines.filter((line) => FRAMES.some((frame) => frame.test(line))).length
  if (frames === 0 || (frames === 1 && heads.length === 0)) return undefined
  // Python says what was raised after the frames, the others before them.
  const named = heads.filter((line) => !line.includes('Traceback (most'))
  return (named.at(-1) ?? heads[0] ?? 'a stack trace').trim()
}
