import type { Operation } from "../operation.ts"
import type { Seed } from "../seed/seed.ts"
import { randomFrom } from "../seed/words.ts"
import { choicesFrom } from "./choices.ts"
import { deskOf } from "./desk.ts"
import { engagementOf } from "./engagement.ts"
import { publication } from "./publication.ts"
import { purchasesOf } from "./purchases.ts"
import { readsOf } from "./reads.ts"
import { uploadOf } from "./uploads.ts"
import { writesOf } from "./writes.ts"

/** Makes the operations that are measured, in the order of the table. */
export const operationsOf = async (seed: Seed): Promise<ReadonlyArray<Operation>> => {
  const choices = choicesFrom(randomFrom(42))
  return [
    ...readsOf(seed, choices),
    ...writesOf(seed, choices),
    ...engagementOf(seed, choices),
    ...deskOf(),
    await uploadOf(seed),
    ...purchasesOf(seed),
    publication(seed)
  ]
}
