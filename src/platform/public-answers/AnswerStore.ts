import type { Coding } from "../ports/AnswerBytes.ts"

/** An answer that anyone may see, ready to be sent. */
export interface PublicAnswer {
  /** The template of its path, for metrics. */
  readonly route: string
  readonly contentType: string
  readonly body: Uint8Array
  /** A digest of the body, without quotes. */
  readonly digest: string
  /** The things that it shows. A change of one of them ends it. */
  readonly tags: ReadonlyArray<string>
  /** The body in other codings, once a client accepted them. */
  readonly coded: Map<Coding, Uint8Array>
}

/** An answer in the store. */
interface Kept {
  readonly answer: PublicAnswer
  readonly key: string
  /** Targets of requests that have this answer. */
  readonly urls: Set<string>
  /** Time after which it is made anew, in milliseconds. */
  readonly until: number
  bytes: number
}

/** Spellings of one request that are found without decoding it. */
const URLS_MAX = 8

/** Memory of an entry beside its bytes, about. */
const ENTRY_BYTES = 1_024

/** Keeps answers up to a number of bytes. The one that was read least recently goes first. */
export class AnswerStore {
  readonly #bytesMax: number
  /** In the order of their last reads. */
  readonly #byKey = new Map<string, Kept>()
  readonly #byUrl = new Map<string, Kept>()
  readonly #byTag = new Map<string, Set<Kept>>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#byKey.size
  }

  /** Finds an answer by the canonical form of its request. */
  find(key: string, now: number): PublicAnswer | undefined {
    return this.#read(this.#byKey.get(key), now)
  }

  /** Finds an answer by the target of a request that had it before. */
  findUrl(url: string, now: number): PublicAnswer | undefined {
    return this.#read(this.#byUrl.get(url), now)
  }

  /** Returns true while this very answer is kept under the key. */
  has(key: string, answer: PublicAnswer): boolean {
    return this.#byKey.get(key)?.answer === answer
  }

  put(key: string, answer: PublicAnswer, until: number): void {
    const before = this.#byKey.get(key)
    if (before !== undefined) this.#remove(before)
    const kept: Kept = { answer, key, until, urls: new Set(), bytes: ENTRY_BYTES + answer.body.byteLength }
    this.#byKey.set(key, kept)
    for (const tag of answer.tags) {
      const tagged = this.#byTag.get(tag) ?? new Set()
      this.#byTag.set(tag, tagged.add(kept))
    }
    this.#grow(kept.bytes)
  }

  /** Lets a target find the answer of a key, if that is still here. */
  alias(url: string, key: string): void {
    const kept = this.#byKey.get(key)
    if (kept === undefined || kept.urls.size >= URLS_MAX || kept.urls.has(url)) return
    kept.urls.add(url)
    this.#byUrl.set(url, kept)
    kept.bytes += 2 * url.length
    this.#grow(2 * url.length)
  }

  /** Adds a coding of an answer's body, if the answer is still here. */
  addCoded(key: string, answer: PublicAnswer, coding: Coding, bytes: Uint8Array): void {
    const kept = this.#byKey.get(key)
    if (kept?.answer !== answer || answer.coded.has(coding)) return
    answer.coded.set(coding, bytes)
    kept.bytes += bytes.byteLength
    this.#grow(bytes.byteLength)
  }

  /** Removes the answers that show one of these. */
  drop(tags: Iterable<string>): void {
    for (const tag of tags) for (const kept of this.#byTag.get(tag) ?? []) this.#remove(kept)
  }

  clear(): void {
    this.#byKey.clear()
    this.#byUrl.clear()
    this.#byTag.clear()
    this.#bytes = 0
  }

  #read(kept: Kept | undefined, now: number): PublicAnswer | undefined {
    if (kept === undefined) return undefined
    if (kept.until <= now) {
      this.#remove(kept)
      return undefined
    }
    this.#byKey.delete(kept.key)
    this.#byKey.set(kept.key, kept)
    return kept.answer
  }

  #grow(bytes: number): void {
    this.#bytes += bytes
    for (const kept of this.#byKey.values()) {
      if (this.#bytes <= this.#bytesMax) return
      this.#remove(kept)
    }
  }

  #remove(kept: Kept): void {
    this.#bytes -= kept.bytes
    this.#byKey.delete(kept.key)
    for (const url of kept.urls) this.#byUrl.delete(url)
    for (const tag of kept.answer.tags) {
      const tagged = this.#byTag.get(tag)
      tagged?.delete(kept)
      if (tagged?.size === 0) this.#byTag.delete(tag)
    }
  }
}
