/**
 * Things that transactions of this process are about to change. PostgreSQL shows a commit to other statements a moment
 * before this process hears of it. An answer from before the commit must not reach readers who may have seen its
 * result.
 */
export class ChangesUnderWay {
  readonly #counts = new Map<string, number>()

  begin(tags: ReadonlyArray<string>): void {
    for (const tag of tags) this.#counts.set(tag, (this.#counts.get(tag) ?? 0) + 1)
  }

  end(tags: ReadonlyArray<string>): void {
    for (const tag of tags) {
      const left = (this.#counts.get(tag) ?? 1) - 1
      if (left === 0) this.#counts.delete(tag)
      else this.#counts.set(tag, left)
    }
  }

  /** Returns true when one of these things is about to change. */
  includeAny(tags: ReadonlyArray<string>): boolean {
    return this.#counts.size > 0 && tags.some((tag) => this.#counts.has(tag))
  }
}
