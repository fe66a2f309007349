import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls'
import { defined } from '../../lib/defined.ts'
import type { Logger } from '../../ports/logger.ts'

/** The files of a certificate, as PEM. */
export interface TlsFiles {
  /** The certificate and whatever leads from it to its authority. */
  readonly certFile: string
  readonly keyFile: string
  /** Authorities of clients. When it is given, only clients with a certificate of theirs are let in. */
  readonly clientCaFile?: string
}

/** Options of a TLS server. */
export interface TlsOptions extends SecureContextOptions {
  readonly requestCert: boolean
  readonly rejectUnauthorized: boolean
}

/** How often the files are looked at. Tools that renew certificates do so days before the old one ends. */
const CHECK_MS = 5_000

/**
 * The certificate of the listeners. Files that have changed are taken over while connections stay open; what cannot be used is
 * reported, and the certificate before it stays. Contents are compared and not dates: Kubernetes replaces directories
 * by links, and a certificate is complete only when its key is there too.
 */
export class TlsCertificates {
  readonly #files: TlsFiles
  readonly #logger: Logger
  readonly #servers = new Set<Pick<Server, 'setSecureContext'>>()
  #options: TlsOptions
  /** The contents that were looked at last, whether they could be used or not. */
  #seen: string
  #timer: NodeJS.Timeout | undefined

  /** Reads the files; throws with the setting's file name when they cannot be used. */
  constructor(files: TlsFiles, logger: Logger) {
    this.#files = files
    this.#logger = logger
    const contents = pathsOf(files).map((path) => readFileSync(path, 'utf8'))
    this.#options = optionsOf(contents, files)
    this.#seen = contents.join()
  }

  /** Options of a new server. */
  current(): TlsOptions {
    return this.#options
  }

  /** Gives a server every later certificate too. */
  serve(server: Pick<Server, 'setSecureContext'>): void {
    this.#servers.add(server)
  }

  /** Looks at the files from time to time, until it is closed. */
  watch(): void {
    this.#timer = setInterval(() => void this.reload(), CHECK_MS).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Takes over what the files hold now. */
  async reload(): Promise<void> {
    try {
      const contents = await Promise.all(pathsOf(this.#files).map((path) => readFile(path, 'utf8')))
      if (contents.join() === this.#seen) return
      this.#seen = contents.join()
      this.#options = optionsOf(contents, this.#files)
      for (const server of this.#servers) server.setSecureContext(this.#options)
      this.#logger.info({ file: this.#files.certFile }, 'the TLS certificate was replaced')
    } catch (error) {
      this.#logger.error({ err: error }, 'the new TLS certificate cannot be used; the old one stays')
    }
  }
}

function pathsOf({ certFile, keyFile, clientCaFile }: TlsFiles): string[] {
  return [certFile, keyFile, ...(clientCaFile === undefined ? [] : [clientCaFile])]
}

function optionsOf([cert = '', key = '', ca]: readonly string[], files: TlsFiles): TlsOptions {
  const options: TlsOptions = {
    cert,
    key,
    ...defined({ ca }),
    minVersion: 'TLSv1.2',
    requestCert: ca !== undefined,
    rejectUnauthorized: ca !== undefined,
  }
  try {
    createSecureContext(options)
  } catch (error) {
    const reason = (error as Error).message
    throw new Error(`${files.certFile} and ${files.keyFile} are not a certificate and its key: ${reason}`)
  }
  return options
}
