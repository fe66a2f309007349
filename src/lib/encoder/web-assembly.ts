/** The part of WebAssembly that the encoder needs; the compiler's own description of it comes only with a browser's. */
export interface WebAssemblyRuntime {
  readonly Module: new (code: Uint8Array) => WebAssemblyModule
  readonly Instance: new (module: WebAssemblyModule) => { readonly exports: unknown }
}

/** Compiled code; two instances of it share nothing. */
export type WebAssemblyModule = { readonly kind?: 'module' }

/** The memory of an instance. Growing replaces its buffer. */
export interface WebAssemblyMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** The global of the same name in Node.js. */
export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyRuntime }).WebAssembly
