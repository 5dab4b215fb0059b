/** Number of changed tags that are remembered: those of ten seconds, the life of an answer, with 6,500 a second. */
const TAGS_MAX = 65_536

/**
 * The generation of each tag: the number of its last change. An answer knows the number from before it was made, and
 * is valid while no tag of it has a later one.
 */
export class Generations {
  #now = 0
  /** The least generation of every tag. A forgotten tag counts as changed with the last one that was forgotten. */
  #floor = 0
  /** In the order of their last changes. */
  readonly #byTag = new Map<string, number>()
  /** The number of writes under way. PostgreSQL shows a commit to others a moment before its writer learns of it. */
  readonly #writes = new Map<string, number>()

  /** The number of the last change of any tag. */
  get now(): number {
    return this.#now
  }

  /** Raises the generation of these tags, and begins a write of them. */
  begin(tags: ReadonlyArray<string>): void {
    for (const tag of tags) this.#writes.set(tag, (this.#writes.get(tag) ?? 0) + 1)
    this.raise(tags)
  }

  /** Ends a write of these tags, and raises their generation. */
  end(tags: ReadonlyArray<string>): void {
    for (const tag of tags) {
      const left = (this.#writes.get(tag) ?? 1) - 1
      if (left === 0) this.#writes.delete(tag)
      else this.#writes.set(tag, left)
    }
    this.raise(tags)
  }

  raise(tags: ReadonlyArray<string>): void {
    this.#now++
    for (const tag of tags) {
      this.#byTag.delete(tag)
      this.#byTag.set(tag, this.#now)
    }
    for (const [tag, generation] of this.#byTag) {
      if (this.#byTag.size <= TAGS_MAX) return
      this.#byTag.delete(tag)
      this.#floor = generation
    }
  }

  /** Raises the generation of every tag. */
  raiseAll(): void {
    this.#now++
    this.#floor = this.#now
    this.#byTag.clear()
  }

  /** Returns true if none of these tags has changed since this number. */
  isValid(tags: ReadonlyArray<string>, since: number): boolean {
    return since >= this.#floor && tags.every((tag) => (this.#byTag.get(tag) ?? 0) <= since)
  }

  /** Returns true while a write of one of these tags is under way. */
  isChanging(tags: ReadonlyArray<string>): boolean {
    return tags.some((tag) => this.#writes.has(tag))
  }
}
