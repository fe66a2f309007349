import { isGivenPassword, isNoSecret } from './secret-values.ts'
import { looksRandom, shapeOf } from './text-shape.ts'

// `curl -u name:password`, `--user "name:password"`, `--user name:'password'`; either may be empty.
const USER_FLAG =
  /(?<![\w-])(?:-u|--user|--proxy-user)(?:[ \t=]{1,4}|(?=["']))["']?([^\s"':]{0,80})["']?:["']?([^\s"'`]{0,128})/y

/** True when a flag of a command gives a name and a password. */
export function isUserFlag(text: string, at: number): boolean {
  USER_FLAG.lastIndex = at
  const [, user = '', password = ''] = USER_FLAG.exec(text) ?? []
  if (password === '') return user !== '' && isGivenPassword('', user) && looksRandom(user)
  return !/^(?:\/\/|:)/.test(password) && isGivenPassword(user, password) && hasLettersAndMore(password)
}

// Commands that take a password by a short flag, and what each calls it.
const PASSWORD_FLAGS: readonly (readonly [tool: string, command: string, flag: string])[] = [
  ['sshpass', 'sshpass', '-p'],
  ['mysql', 'mysql(?:dump|admin)?', '-p'],
  ['mariadb', 'mariadb(?:-dump)?', '-p'],
  ['docker', 'docker[ \\t]{1,4}login', '-p'],
  ['podman', 'podman[ \\t]{1,4}login', '-p'],
  ['az login', 'az[ \\t]login', '-p'],
  ['mongo', 'mongo(?:sh|dump|restore)?', '-p'],
  ['plink', 'plink', '-pw'],
  ['redis-cli', 'redis-cli', '-a'],
  ['ldap', 'ldap[a-z]{3,8}', '-w'],
  ['openssl', 'openssl', '-k'],
  ['snmp', 'snmp[a-z]{2,8}', '-[AX]'],
  ['sqlcmd', 'sqlcmd', '-P'],
  ['cqlsh', 'cqlsh', '-p'],
  ['7z', '7z[a-z]?', '-p'],
  ['sqlplus', 'sqlplus', '\\w{1,30}/'],
  ['rabbitmqctl', 'rabbitmqctl', '(?:add_user|change_password)[ \\t]{1,4}\\S{1,40}[ \\t]'],
  ['xfreerdp', 'xfreerdp', '/p:'],
  ['smbclient', 'smbclient', '-U[ \\t]{0,4}[\\w.\\\\/-]{1,40}%'],
  ['htpasswd', 'htpasswd', '-[a-zA-Z]{0,3}b[a-zA-Z]{0,3}[ \\t]{1,4}\\S{1,80}[ \\t]{1,4}\\S{1,40}[ \\t]'],
]

/** Keywords and rules for those commands. */
export const PASSWORD_FLAG_RULES = PASSWORD_FLAGS.map(([tool, command, flag]) => {
  const pattern = new RegExp(
    `${command}\\b[^\\n|;&]{0,120}?[ \\t]${flag}[ \\t]{0,4}["']?([^\\s"'\`-][^\\s"'\`]{3,128})`,
    'y',
  )
  const rule = (text: string, at: number): boolean => {
    pattern.lastIndex = at
    const password = pattern.exec(text)?.[1]
    return (
      password !== undefined &&
      isGivenPassword('', password) &&
      !isNoSecret(password) &&
      hasLettersAndMore(password)
    )
  }
  return [tool, rule] as const
})

// PowerShell: flags may stand before and after the text.
const SECURE_STRING =
  /ConvertTo-SecureString(?:[ \t]{1,4}-[A-Za-z]{1,20}){0,3}[ \t]{1,4}\\{0,3}["']?([^\s"'\\-][^\s"'\\]{4,128})/iy

/** True when a script turns a literal into a secure string. */
export function isSecureString(text: string, at: number): boolean {
  SECURE_STRING.lastIndex = at
  const password = SECURE_STRING.exec(text)?.[1]
  return password !== undefined && isGivenPassword('', password) && hasLettersAndMore(password)
}

// `net user name password /add`.
const NET_USER = /net[ ]{1,4}user[ ]{1,4}[^\s/]{1,40}[ ]{1,4}([^\s/"']{6,64})/iy

/** True when a Windows account is given a password. */
export function isNetUser(text: string, at: number): boolean {
  NET_USER.lastIndex = at
  const password = NET_USER.exec(text)?.[1]
  return password !== undefined && isGivenPassword('', password) && hasLettersAndMore(password)
}

// `echo x | sudo -S`, `echo name:x | chpasswd`: what was printed before is read as a password.
const PIPED =
  /\becho[ \t]{1,4}(?:-[en]{1,2}[ \t]{1,4})?["']?(?:[\w.-]{1,40}:)?([^\s"'|]{5,64})["']?[ \t]{0,4}\|[ \t]{0,4}$/
const PIPE_CHARS_MAX = 140

/** True when a command gets a password through a pipe. */
export function isPipedPassword(text: string, at: number): boolean {
  const password = PIPED.exec(text.slice(Math.max(0, at - PIPE_CHARS_MAX), at))?.[1]
  return password !== undefined && isGivenPassword('', password) && hasLettersAndMore(password)
}

function hasLettersAndMore(value: string): boolean {
  const { lower, upper, digits, symbols } = shapeOf(value)
  return lower + upper > 0 && (digits + symbols > 0 || (lower > 0 && upper > 0))
}
