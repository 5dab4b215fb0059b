interface Entry<A> {
  readonly value: A
  readonly bytes: number
}

/** Keeps values up to a number of bytes. The one that was read least recently goes first. */
export class LeastRecent<A> {
  readonly #bytesMax: number
  /** In the order of their last reads. */
  readonly #entries = new Map<string, Entry<A>>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: string): A | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Keeps a value. One that is larger than all the room is not kept. */
  set(key: string, value: A, bytes: number): void {
    this.delete(key)
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bytesMax) return
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }
}
