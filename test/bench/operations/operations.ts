import type { Operation } from "../operation.ts"
import type { Seed } from "../seed/seed.ts"
import { randomFrom, wordOf, WORDS } from "../seed/words.ts"
import { engagementOf } from "./engagement.ts"
import { publication } from "./publication.ts"
import { purchasesOf } from "./purchases.ts"
import { readsOf } from "./reads.ts"
import { uploadOf } from "./uploads.ts"
import { writesOf } from "./writes.ts"

/** The 200 most frequent words are in too many Posts: readers do not search for them. */
const RARE = 200

/** Random choices of a load, the same in every run. */
export interface Choices {
  readonly oneOf: <A>(all: ReadonlyArray<A>) => A
  /** Returns words that few Posts have. */
  readonly words: (count: number) => string
}

const choicesFrom = (random: () => number): Choices => {
  const rare = () => wordOf(RARE + Math.floor(random() * (WORDS - RARE)))
  return {
    oneOf: (all) => all[Math.floor(random() * all.length)]!,
    words: (count) => Array.from({ length: count }, rare).join(" ")
  }
}

/** Makes the operations that are measured, in the order of the table. */
export const operationsOf = async (seed: Seed): Promise<ReadonlyArray<Operation>> => {
  const choices = choicesFrom(randomFrom(42))
  return [
    ...readsOf(seed, choices),
    ...writesOf(seed, choices),
    ...engagementOf(seed, choices),
    await uploadOf(seed),
    ...purchasesOf(seed),
    publication(seed)
  ]
}
