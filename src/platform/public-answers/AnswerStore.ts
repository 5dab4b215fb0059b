import type { LimitName } from "../../../schemas/platform/rate-limits/limits.ts"
import type { Coding } from "../ports/AnswerBytes.ts"

/** An answer that anyone may see, ready to be sent. */
export interface PublicAnswer {
  /** The template of its path, for metrics. */
  readonly route: string
  /** The limit that a request for it counts against. */
  readonly limit: LimitName
  readonly contentType: string
  readonly body: Uint8Array
  /** A digest of the body, without quotes. */
  readonly digest: string
  /** Headers in addition to those of every answer: `vary` and `cache-control` among them. */
  readonly headers: Readonly<Record<string, string>>
  /** True when all codings share one ETag, which is weak then. */
  readonly isWeak: boolean
  /** Other media types of its URL, for clients that prefer one of them to this answer. */
  readonly otherTypes: ReadonlyArray<string>
  /** The things that it shows. A change of one of them ends the answer. */
  tags: ReadonlyArray<string>
  /** The body in other codings, once a client accepted them. Copies of an answer share it, and it tells answers apart. */
  readonly coded: Map<Coding, Uint8Array>
}

/** A tag with the answers that have it. They share its text, because a list has a hundred tags. */
interface Tagged {
  readonly tag: string
  readonly answers: Set<Kept>
}

/** An answer in the store. */
interface Kept {
  readonly answer: PublicAnswer
  readonly key: string
  /** Targets of requests that have this answer. */
  readonly urls: Array<string>
  /** Time after which it is made again, in milliseconds. */
  readonly until: number
  /** True when lists have more now: it is sent only while the database is unavailable. */
  isSurpassed: boolean
  bytes: number
}

/** Maximum number of spellings of one request that are found without decoding it. */
const URLS_MAX = 8

/** Approximate memory of an entry, without its bytes and tags. */
const ENTRY_BYTES = 1_024

/** Approximate memory of a tag of an entry. */
const TAG_BYTES = 64

/** Keeps answers up to a number of bytes. The one that was read least recently goes first. */
export class AnswerStore {
  readonly #bytesMax: number
  /** In the order of their last reads. */
  readonly #byKey = new Map<string, Kept>()
  readonly #byUrl = new Map<string, Kept>()
  readonly #byTag = new Map<string, Tagged>()
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

  /** Finds an answer by the canonical form of its request. A surpassed one is only found as a stand-in. */
  find(key: string, now: number, isStandIn = false): PublicAnswer | undefined {
    return this.#read(this.#byKey.get(key), now, isStandIn)
  }

  /** Finds an answer by the target of a request that had it before. */
  findUrl(url: string, now: number, isStandIn = false): PublicAnswer | undefined {
    return this.#read(this.#byUrl.get(url), now, isStandIn)
  }

  /** Returns true while this very answer is kept under the key. */
  has(key: string, { coded }: PublicAnswer): boolean {
    return this.#byKey.get(key)?.answer.coded === coded
  }

  /** Returns true when some answer may stand in at this time. */
  hasStandIn(now: number): boolean {
    for (const { until } of this.#byKey.values()) if (until > now) return true
    return false
  }

  put(key: string, answer: PublicAnswer, until: number, isSurpassed = false): void {
    const before = this.#byKey.get(key)
    if (before !== undefined) this.#remove(before)
    const bytes = ENTRY_BYTES + TAG_BYTES * answer.tags.length + answer.body.byteLength
    const kept: Kept = { answer, key, until, urls: [], isSurpassed, bytes }
    this.#byKey.set(key, kept)
    answer.tags = answer.tags.map((tag) => this.#tagged(tag, kept))
    this.#grow(bytes)
    if (before?.answer.digest === answer.digest) this.#take(before.answer, key, answer)
  }

  /**
   * Takes over the codings of the previous answer when its body is the same. Compression costs as much as the answer.
   */
  #take({ coded }: PublicAnswer, key: string, answer: PublicAnswer): void {
    for (const [coding, bytes] of coded) this.addCoded(key, answer, coding, bytes)
  }

  /** Lets a target find the answer of a key, if that is still here. */
  alias(url: string, key: string): void {
    const kept = this.#byKey.get(key)
    if (kept === undefined || kept.urls.length >= URLS_MAX || kept.urls.includes(url)) return
    kept.urls.push(url)
    this.#byUrl.set(url, kept)
    kept.bytes += 2 * url.length
    this.#grow(2 * url.length)
  }

  /** Adds a coding of an answer's body, if the answer is still here. */
  addCoded(key: string, answer: PublicAnswer, coding: Coding, bytes: Uint8Array): void {
    const kept = this.#byKey.get(key)
    if (kept?.answer.coded !== answer.coded || answer.coded.has(coding)) return
    answer.coded.set(coding, bytes)
    kept.bytes += bytes.byteLength
    this.#grow(bytes.byteLength)
  }

  /** Removes the answers that show one of these. */
  drop(tags: Iterable<string>): void {
    for (const tag of tags) for (const kept of this.#byTag.get(tag)?.answers ?? []) this.#remove(kept)
  }

  /** Keeps the answers that show one of these for stand-ins alone. */
  surpass(tags: Iterable<string>): void {
    for (const tag of tags) for (const kept of this.#byTag.get(tag)?.answers ?? []) kept.isSurpassed = true
  }

  remove(key: string): void {
    const kept = this.#byKey.get(key)
    if (kept !== undefined) this.#remove(kept)
  }

  clear(): void {
    this.#byKey.clear()
    this.#byUrl.clear()
    this.#byTag.clear()
    this.#bytes = 0
  }

  /** Adds an answer to a tag, and returns the text that all its answers share. */
  #tagged(tag: string, kept: Kept): string {
    const tagged = this.#byTag.get(tag) ?? { tag, answers: new Set() }
    this.#byTag.set(tagged.tag, tagged)
    tagged.answers.add(kept)
    return tagged.tag
  }

  #read(kept: Kept | undefined, now: number, isStandIn: boolean): PublicAnswer | undefined {
    // An answer whose time has ended stays for its codings until it is replaced, or its room is needed.
    if (kept === undefined || kept.until <= now || (kept.isSurpassed && !isStandIn)) return undefined
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
      tagged?.answers.delete(kept)
      if (tagged?.answers.size === 0) this.#byTag.delete(tag)
    }
  }
}
