import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { hasSecret } from './detect-secrets.ts'
import { secretsDetector } from './secrets-detector.ts'

// The values of §p, §t, §h, §u, §w and §{ below are put together here, so that no scanner takes a line of this file for a leak.
const VALUES: Readonly<Record<string, string>> = {
  '§p': ['Xk9', 'mPq2', 'vL'].join('#'),
  '§t': ['f3Gh7Jk2Lm', '9Pq4Rs8Tv1', 'Wx5Yz0Bc6D'].join(''),
  '§h': ['9d8f7a6b5c4e3d2f', '1a0b9c8d7e6f5a4b'].join(''),
  '§u': ['3fa9c81b', '77d2', '4c19', '8a55', '0e1b9d2c7f34'].join('-'),
  // As it is, this would be taken for a template of ours.
  '§{': ['$', '{'].join(''),
  '§w': ['Winter', '2024'].join(''),
}

function fill(text: string): string {
  return text.replace(/§[pthuw{]/g, (mark) => VALUES[mark] ?? '')
}

const FOUND: Readonly<Record<string, readonly string[]>> = {
  'in settings': [
    'DB_PASSWORD=§p',
    'spring.datasource.password=§w',
    'password: "§p"',
    "password = '''§p'''",
    'aws_secret_access_key = §t0AbCdEfGhI',
    'api-key: §h',
    'export ACME_KEY=§h',
    'alarm passcode: 58203917',
    '"token": "§u"',
    '{"user":"bob","password":"§w"}',
    '"{\\"user\\":\\"bob\\",\\"password\\":\\"§w\\"}"',
    '<password>§w</password>',
    '<add key="SmtpPassword" value="§w" />',
    '<property name="connection.password">§w</property>',
    '<password kind="plain">§w</password>',
    'gmail_password = "xkqv pwzn rtbm hjql"',
    `kind: Secret\ndata:\n  pw: ${Buffer.from('Autumn-2024').toString('base64')}\n`,
    '{"name": "DB_PASSWORD", "value": "§w"}',
    '| admin | password | §p |',
    '**Password:** `§p`',
    'Password:\n\n```\n§p\n```',
    'psswd:=§t',
  ],
  'in programs': [
    'const apiKey = "§t";',
    'val password: String = "§w"',
    'def connect(host, password="§w"):',
    '#define PASSWORD "§w"',
    'char password[] = "§w";',
    '%define token §h',
    'os.environ["API_TOKEN"] = "§h"',
    'token = os.getenv("TOKEN", "§t")',
    'const key = process.env.API_KEY || "§t"',
    'if (password == "§p") {',
    'user.setPassword("§w");',
    "define('DB_PASSWORD', '§w');",
    'secret := []byte("§t")',
    'Secret: []byte{33, 9, 100, 114, 245, 164, 134, 217, 225, 26},',
    "CREATE USER app WITH PASSWORD '§w';",
    "CREATE USER 'a'@'%' IDENTIFIED BY '§w';",
    'requests.get(url, auth=("svc", "§w"))',
    'smtp.login("bob@corp.net", "§w")',
    'new NetworkCredential("bob", "§w")',
    'DriverManager.getConnection(url, "sa", "§w")',
    'redis.auth("§t")',
    'setSecret("stripe", "§t")',
    'variable "token" { default = "§h" }',
    "INSERT INTO users (name, password) VALUES ('bob', '§w');",
    'AES_KEY = bytes.fromhex("§h")',
    'SECRET = b"\\x8f\\x12\\xa3\\x44\\x91\\xfe\\x00\\x7c"',
    "define('AUTH_SALT', 'q7Z k3!mXv9@Lt2#Bn8$WcR5^yHd4');",
  ],
  'in commands': [
    'tool --password §w --verbose',
    "tool -Password '§p'",
    'curl -u deploy:§w https://ci.internal/job',
    'curl --user "deploy:§w" https://ci.internal/job',
    'curl -H "X-Api-Key: §h" https://api.corp.net',
    'curl -H "Authorization: Bearer §t" https://api.corp.net',
    "sshpass -p '§p' ssh root@10.0.0.5",
    'mysql -u root -p§w mydb',
    'docker login -u ci -p §w registry.corp.net',
    'ConvertTo-SecureString "§w" -AsPlainText -Force',
    'net user bob §p /add',
    'machine corp.net login bob password §w',
    'aws configure set aws_secret_access_key §t0AbCdEfGhI',
    "echo '§p' | sudo -S apt update",
    'echo "root:§w" | chpasswd',
    'redis-cli -h cache -a §w ping',
    'ldapsearch -D cn=admin -w §w -b dc=corp',
    'smbclient //srv/share -U bob%§w',
    'htpasswd -b .htpasswd bob §w',
    'xfreerdp /u:bob /p:§w /v:host',
    'enable secret §t',
    'username admin password 7 §t',
  ],
  'in addresses': [
    'postgres://app:§w@db.internal:5432/app',
    'redis://:§w@cache:6379/0',
    'https://§t@github.com/org/repo.git',
    'https://api.corp.net/v1?key=§t&page=2',
    'Server=tcp:sql.corp.net;User ID=sa;Password=§p;Encrypt=True',
  ],
  'in sentences': [
    'The password for the staging box is §w.',
    'My password is §w',
    'A short token: §t',
    'The root password was changed from apple to §p yesterday.',
    'You can use §w as the password for the router.',
    'Your new API key for the console: `§t`',
    'Credentials: admin / §p',
    'Log in with admin:§p and look around.',
    'Sign in as backup with the password §p.',
    'login credentials for the demo: demo_user / §p',
    "the passphrase is 'Orchard-Peach77'",
    `My seed phrase is ${'witch collapse practice feed shame open'} ${'despair creek road again ice least'}`,
    'Passwort: §w',
    'La contraseña del servidor es §p',
    'Şifreniz: §w',
    '비밀번호는 §p 입니다',
    '密码是 §p',
    'пароль: §w',
  ],
}

const CLEAN: Readonly<Record<string, readonly string[]>> = {
  'what is filled in later': [
    'password: §{DB_PASSWORD}',
    'apiKey: "{{ .Values.apiKey }}"',
    'token: §{{ secrets.GITHUB_TOKEN }}',
    'API_KEY=<your-api-key>',
    'password = os.environ["DB_PASSWORD"]',
    'const token = await getToken(user.id)',
    'password: self.config.password',
    'password: z.string().min(8)',
    'password = user.newPassword2',
    'pwd: sha256Digest1',
    'password = getpass.getpass("Password: ")',
    'token = options?.apiKey ?? this.key',
    'curl -u "$USER:$PASS" https://api.corp.net',
    'docker login -u $USER -p $PASS',
    "INSERT INTO users (name, password) VALUES ('bob', crypt($1, gen_salt('bf', 12)));",
    'kind: Secret\ndata:\n  pw: {{ .Values.pw }}\n',
    '<password>§{db.password}</password>',
    'login("alice", password)',
    'echo "$PASSWORD" | sudo -S apt update',
    'postgres://$(PGUSER):$(PGPASSWORD)@$(PGHOST)/db',
    'password: !vault |',
    'password: vault:secret/data/app',
    'secret = arn:aws:secretsmanager:eu-west-1:123:secret:prod-db',
    'Authorization: Bearer <token>',
  ],
  'placeholders and examples': [
    'password: "your-password-here"',
    'password: changeme',
    'password: P@ssw0rd',
    'password: ********',
    'OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx',
    'api_key = "1234567890abcdef1234567890abcdef"',
    'AKIAIOSFODNN7EXAMPLE',
    'https://user:pass@example.com',
    'postgresql://postgres:postgres@localhost/test',
    'mongodb://<username>:<password>@cluster0.mongodb.net',
    'curl -u user:password https://api.corp.net',
    `kind: Secret\ndata:\n  pw: ${Buffer.from('your-password-1').toString('base64')}\n`,
    `My seed phrase is ${'abandon '.repeat(11)}about`,
    `Authorization: Basic ${Buffer.from('user:password').toString('base64')}`,
  ],
  'what only looks like a name of a secret': [
    'The max_tokens parameter is 4096.',
    'tokens: 1532',
    'primary_key: user_id',
    'public_key = "§t"',
    'The public key: §t',
    'password_hash = "§h"',
    'cache_key: §t',
    'ROW_KEY=§h',
    'key: §h',
    'MAX_KEY_LENGTH: §h',
    'compass: §t',
    'monkey: §w',
    'author: §w',
    'pass: 12 fail: 3',
    'You can pass `--flag=abc123def` to it.',
    'key = "ArrowDown"',
    '"key": "user:12345:profile"',
    'secretName: my-tls-secret-2',
    'request_id: §u',
    'commit §h',
  ],
  'what is no value': [
    'password: string',
    'password: required',
    'if (password.length < 8) throw new Error("password too short");',
    '<input type="password" id="password1" name="password1" placeholder="Password">',
    'The password must contain at least 8 characters, one number and one symbol.',
    'The password is case-sensitive.',
    'The password is COVID-19 and a year.',
    'secret = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]',
    'The password is stored as a SHA-256 hash.',
    'The token is a JWT signed with RS256.',
    'Your password expires in 30d.',
    'password_encryption = scram-sha-256',
    'token: 10.4.1.2',
    'My seed phrase is the list of words that you have written down and put into a safe',
    'The passphrase is case-sensitive and has 12-character words.',
    'docker run -u 1000:1000 image',
    'login("GET", "/v1/users2")',
    'POST /token.oauth2 HTTP/1.1',
    'Rotate the token PROJ-1234',
    'xfreerdp /v:host-2',
    'key_file = /etc/ssl/private/server.key',
    'password = "$2b$12$KIXQ9d8f7a6b5c4e3d2f1uO8xK2LkdIwHu7ixbzQ9ZpVn0sd9fj3k"',
    'secret: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGrT9x2Qm7Wz4Vb8Nc1Lp6Rt5Ys0Df2Gh9Jk4Qa7',
    'password_regex = r"^(?=.*[A-Z])(?=.*\\d).{8,}$"',
    'token: ZHVtbXkgdGV4dCBvZiBubyB1c2U=',
  ],
}

describe('finds a secret', () => {
  for (const [where, texts] of Object.entries(FOUND)) {
    for (const text of texts) test(`${where}: ${text}`, () => assert.equal(hasSecret(fill(text)), true))
  }
})

describe('leaves alone', () => {
  for (const [what, texts] of Object.entries(CLEAN)) {
    for (const text of texts) test(`${what}: ${text}`, () => assert.equal(hasSecret(fill(text)), false))
  }
})

test('finds a secret wherever it stands in a long text', () => {
  const prose = 'Nothing to see here, only a few words about keys and passwords. '.repeat(2_000)
  assert.equal(hasSecret(prose), false)
  for (const at of [0, 60_000, prose.length]) {
    assert.equal(hasSecret(`${prose.slice(0, at)}\n${fill('token = "§t"')}\n${prose.slice(at)}`), true)
  }
})

test('reads texts in other scripts, emoji and broken surrogates', () => {
  assert.equal(hasSecret('完全に普通の文章です。🔑🔑 \ud800 пароль не нужен.'), false)
  assert.equal(hasSecret(fill('🔑🔑 \ud800 token = “§t” 🔑')), true)
  assert.equal(hasSecret(''), false)
})

test('the examples are answered as shown', async () => {
  for (const { input, output } of secretsDetector.examples) {
    assert.deepEqual(await executeEvaluator(secretsDetector, input, undefined), output)
  }
})
