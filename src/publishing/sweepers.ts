import { Effect } from "effect"
import { WordFrequencies } from "./discovery/WordFrequencies.ts"
import { Uploads } from "./uploads/Uploads.ts"

/** The services of the wing whose rows expire, or follow others. */
export const sweepers = Effect.all([Uploads, WordFrequencies])
