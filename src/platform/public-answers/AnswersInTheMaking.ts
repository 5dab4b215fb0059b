import { Deferred } from "effect"
import type { PublicAnswer } from "./AnswerStore.ts"

/** The kinds of a change: another form of a thing, or more of it. */
export type Happening = "changed" | "added"

/** An answer that is being made, once for all callers who ask meanwhile. */
export interface Making {
  readonly answer: Deferred.Deferred<PublicAnswer, unknown>
  /** Things that changed since it began: it may show them as they were before. */
  readonly changed: Set<string>
  /** Things that more was added to since. */
  readonly added: Set<string>
}

/** Stands for every thing that an answer may show. */
const EVERYTHING = "*"

/** The answers that are being made, and what happened to the things that they show. */
export class AnswersInTheMaking {
  /** Those that a new reader may share. */
  readonly #shared = new Map<string, Making>()
  readonly #all = new Set<Making>()

  /** Returns the answer of a key that a new reader may wait for. */
  shared(key: string): Making | undefined {
    return this.#shared.get(key)
  }

  begin(key: string): Making {
    const made: Making = { answer: Deferred.makeUnsafe(), changed: new Set(), added: new Set() }
    this.#shared.set(key, made)
    this.#all.add(made)
    return made
  }

  end(key: string, made: Making): void {
    this.#all.delete(made)
    if (this.#shared.get(key) === made) this.#shared.delete(key)
  }

  /** Notes that things changed, or that more was added to them: everything without tags. */
  note(what: Happening, tags: ReadonlyArray<string> = [EVERYTHING]): void {
    for (const made of this.#all) for (const tag of tags) made[what].add(tag)
    this.#shared.clear()
  }
}

/** Returns true if one of these things, or everything, is among what happened. */
export const concerns = (happened: ReadonlySet<string>, { tags }: PublicAnswer) =>
  happened.has(EVERYTHING) || tags.some((tag) => happened.has(tag))
