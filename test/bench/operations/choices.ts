import { wordOf, WORDS } from "../seed/words.ts"

/** The 200 most frequent words are in too many Posts: readers do not search for them. */
const RARE = 200

/** Random choices of a load, the same in every run. */
export interface Choices {
  readonly oneOf: <A>(all: ReadonlyArray<A>) => A
  /** Returns words that few Posts have. */
  readonly words: (count: number) => string
}

/** Makes the choices of a load from a seeded source. */
export const choicesFrom = (random: () => number): Choices => {
  const rare = () => wordOf(RARE + Math.floor(random() * (WORDS - RARE)))
  return {
    oneOf: (all) => all[Math.floor(random() * all.length)]!,
    words: (count) => Array.from({ length: count }, rare).join(" ")
  }
}
