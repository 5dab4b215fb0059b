import { LRUCache } from "lru-cache"
import type { LimitName } from "../../../schemas/platform/rate-limits/limits.ts"
import type { Coding } from "../ports/AnswerBytes.ts"
import type { Generations } from "./Generations.ts"
import type { Given } from "./ReadCounter.ts"

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
  readonly tags: ReadonlyArray<string>
  /** The Posts whose text it has; undefined without any. */
  readonly given: Given | undefined
  /** The body in other codings, once a client accepted them. */
  readonly coded: Map<Coding, Uint8Array>
}

interface Entry {
  readonly answer: PublicAnswer
  /** The generation from before it was made. */
  readonly since: number
  /** Time after which it is made again, in milliseconds. */
  readonly until: number
  /** The generation at which it was last valid. While it is the present one, no tag has changed. */
  validAt: number
}

/** Approximate memory of an entry, without its bytes and tags. */
const ENTRY_BYTES = 1_024

/** Approximate memory of a tag of an entry. */
const TAG_BYTES = 128

/** The part of the memory that remembers the targets of requests. */
const TARGETS_PART = 1 / 16

const bytesOf = ({ answer: { body, coded, tags } }: Entry, key: string) => {
  let bytes = ENTRY_BYTES + 2 * key.length + TAG_BYTES * tags.length + body.byteLength
  for (const { byteLength } of coded.values()) bytes += byteLength
  return bytes
}

/**
 * Keeps answers up to a number of bytes. The one that was read least recently goes first. One that is no longer valid
 * stays for its codings until it is replaced, or its room is needed.
 */
export class AnswerStore {
  readonly #generations: Generations
  readonly #answers: LRUCache<string, Entry>
  /** Keys of the answers by the targets of requests that had them. */
  readonly #keys: LRUCache<string, string>

  constructor(bytesMax: number, generations: Generations) {
    const ofTargets = Math.ceil(bytesMax * TARGETS_PART)
    this.#generations = generations
    this.#answers = new LRUCache({ maxSize: Math.max(1, bytesMax - ofTargets), sizeCalculation: bytesOf })
    this.#keys = new LRUCache({
      maxSize: Math.max(1, ofTargets),
      sizeCalculation: (key, target) => TAG_BYTES + 2 * (key.length + target.length)
    })
  }

  get bytes(): number {
    return this.#answers.calculatedSize + this.#keys.calculatedSize
  }

  /** Finds a valid answer by the canonical form of its request. */
  find(key: string, now: number): PublicAnswer | undefined {
    const entry = this.#answers.get(key)
    if (entry === undefined || entry.until <= now) return undefined
    if (entry.validAt !== this.#generations.now) {
      if (!this.#generations.isValid(entry.answer.tags, entry.since)) return undefined
      entry.validAt = this.#generations.now
    }
    return entry.answer
  }

  /** Finds a valid answer by the target of a request that had it before. */
  findTarget(target: string, now: number): PublicAnswer | undefined {
    const key = this.#keys.get(target)
    return key === undefined ? undefined : this.find(key, now)
  }

  /** Lets a target find the answer of a key, if that is still here. */
  addTarget(target: string, key: string): void {
    if (this.#answers.has(key)) this.#keys.set(target, key)
  }

  /**
   * Keeps an answer whose making began at a generation, unless something that it shows has changed since or is changing.
   * It takes over the codings of the previous answer with the same body: compression costs as much as the answer.
   */
  put(key: string, answer: PublicAnswer, since: number, until: number): void {
    const generations = this.#generations
    if (!generations.isValid(answer.tags, since) || generations.isChanging(answer.tags)) return
    const before = this.#answers.peek(key)?.answer
    if (before?.digest === answer.digest)
      for (const [coding, bytes] of before.coded) answer.coded.set(coding, bytes)
    this.#answers.set(key, { answer, since, until, validAt: generations.now })
  }

  /** Returns true while this very answer is kept under the key. */
  has(key: string, answer: PublicAnswer): boolean {
    return this.#answers.peek(key)?.answer === answer
  }

  /** Adds a coding of an answer's body, if the answer is still here. */
  addCoded(key: string, answer: PublicAnswer, coding: Coding, bytes: Uint8Array): void {
    const entry = this.#answers.peek(key)
    if (entry?.answer !== answer || answer.coded.has(coding)) return
    answer.coded.set(coding, bytes)
    // Another entry, because the size of the same one is not calculated again.
    this.#answers.set(key, { ...entry })
  }
}
