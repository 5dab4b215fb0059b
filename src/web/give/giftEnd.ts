import { Schema } from "effect"

/** The end of a gift that the next page reports: no new readers, or no readers at all. */
export const GiftEnd = Schema.Literals(["closed", "ended"])
export type GiftEnd = typeof GiftEnd.Type
