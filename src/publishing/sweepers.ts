import { Effect } from "effect"
import { Uploads } from "./uploads/Uploads.ts"

/** The services of the wing whose rows expire. */
export const sweepers = Effect.all([Uploads])
