import assert from 'node:assert/strict'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../../../tests/support/postgres-server.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { SELF_SIGNED } from '../../../tests/support/self-signed.ts'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { checkServer } from './connect-at-start.ts'
import { openPostgresStorage } from './postgres-storage.ts'

const PASSWORD = 'hush-4711'

/** Signed by itself like the server's, for the same names, but it is not the server's. */
const OTHER_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUDCZDsY/oKJS3tz9/dxI8NwcILhIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTIxMTcyMVoYDzIxMjYxMDIy
MjExNzIxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASWpPsC2lo6ti4dQaLCgE99EPURP8VdLciENR+MsTSeGAP9TSNkKwAI
E6EZmUVT6U7RvfEXYj00dkcpaoGs2br2o28wbTAdBgNVHQ4EFgQUZ7cDUhz5df68
pEDJx7VyLZu+ejEwHwYDVR0jBBgwFoAUZ7cDUhz5df68pEDJx7VyLZu+ejEwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAIZsuSzTd0/bEQu2WhQ65/mqOzm6v42QdHzKEKPJxXbFAiEA
gWEjXtss/CG2+W2hDCPPoOXr6RiJlqAWPACvQUmOfE8=
-----END CERTIFICATE-----`

const directory = temporaryDirectory()
let server: PostgresServer

async function open(url: string): Promise<void> {
  const storage = await openPostgresStorage({
    ...{
      url,
      connectionsMax: 2,
      statementMsMax: 300_000,
      connectMsMax: 300_000,
      logger: recordingLogger([]),
    },
  })
  await storage.system.ping()
  await storage.close()
}

/** The error message of a start that fails. */
async function faultOf(url: string): Promise<string> {
  try {
    await open(url)
  } catch (error) {
    const said = error as Error
    assert.doesNotMatch(`${said.stack}${JSON.stringify(said)}${String(said.cause)}`, new RegExp(PASSWORD))
    return said.message
  }
  return 'no fault'
}

function urlWith(
  parameters: Readonly<Record<string, string>>,
  user = 'guarded',
  password = PASSWORD,
): string {
  const url = new URL(server.url)
  url.username = user
  url.password = password
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

function write(name: string, text: string): string {
  const file = path.join(directory, name)
  writeFileSync(file, text)
  return file
}

before(async () => {
  chmodSync(directory, 0o755)
  const [cert, key] = [write('server.crt', SELF_SIGNED.cert), write('server.key', SELF_SIGNED.key)]
  chmodSync(key, 0o600)
  if (process.getuid?.() === 0) chownSync(key, 65_534, 65_534)
  const rules = write('hba.conf', 'host all guarded all scram-sha-256\nhost all postgres all trust\n')
  chmodSync(rules, 0o644)
  server = await startPostgres({
    isDurable: false,
    settings: { ssl: 'on', ssl_cert_file: cert, ssl_key_file: key, hba_file: rules },
  })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`CREATE ROLE guarded SUPERUSER LOGIN PASSWORD '${PASSWORD}'`)
  await client.end()
})

after(() => server?.stop())

describe('the first connection', () => {
  test('checks the certificate of the server against the authority that is named', async () => {
    const authority = write('authority.crt', SELF_SIGNED.cert)
    await open(urlWith({ sslmode: 'verify-full', sslrootcert: authority }))
  })

  test('refuses a server whose certificate comes from somebody else', async () => {
    const other = write('other.crt', OTHER_CERTIFICATE)
    const fault = await faultOf(urlWith({ sslmode: 'verify-full', sslrootcert: other }))
    assert.match(fault, /^cannot connect to the database that ASSAY_DATABASE_URL names: .*certificate/)
  })

  test('checks certificates also with sslmode=require, as strictly as with verify-full', async () => {
    assert.match(await faultOf(urlWith({ sslmode: 'require' })), /ASSAY_DATABASE_URL names: .*certificate/)
    await open(urlWith({ sslmode: 'no-verify' }))
  })

  test('says which file of certificates is not there', async () => {
    const fault = await faultOf(urlWith({ sslmode: 'verify-full', sslrootcert: '/nowhere/authority.crt' }))
    assert.match(fault, /ASSAY_DATABASE_URL names: ENOENT.*\/nowhere\/authority\.crt/)
  })

  test('says that a password is wrong, and never prints one', async () => {
    assert.match(
      await faultOf(urlWith({}, 'guarded', `not-${PASSWORD}`)),
      /^cannot connect to the database that ASSAY_DATABASE_URL names: password authentication failed for user "guarded"/,
    )
  })

  test('says that nobody listens there, that there is no such database, that it is no URL', async () => {
    const named = /^cannot connect to the database that ASSAY_DATABASE_URL names: /
    assert.match(await faultOf(`postgres://guarded:${PASSWORD}@127.0.0.1:1/assay`), named)
    assert.match(await faultOf(urlWith({}).replace('/postgres', '/nothing')), /"nothing" does not exist/)
    assert.match(await faultOf(`postgres://guarded:${PASSWORD}@127.0.0.1:x/assay`), /names: Invalid URL/)
  })

  test('refuses a server that is too old, and a database that cannot hold every text', async () => {
    const server = (number: number, encoding: string) => ({
      query: async () => ({ rows: [{ number, version: '14.9', encoding }] }),
    })
    const check = (number: number, encoding: string) =>
      checkServer(server(number, encoding) as unknown as pg.Client)
    await assert.rejects(check(140_009, 'UTF8'), /is PostgreSQL 14\.9; version 15 or newer is needed/)
    await assert.rejects(check(150_000, 'SQL_ASCII'), /has the encoding SQL_ASCII; UTF8 is needed/)
    await check(150_000, 'UTF8')
  })
})
