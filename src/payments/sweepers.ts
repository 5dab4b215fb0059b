import { Effect } from "effect"
import { Settlements } from "./settlement/Settlements.ts"

/** The services of the wing whose rows expire. */
export const sweepers = Effect.all([Settlements])
