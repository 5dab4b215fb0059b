import { Schema } from "effect"

/** The end of a gift that the next page tells of: no reader more, or none at all. */
export const GiftEnd = Schema.Literals(["closed", "ended"])
export type GiftEnd = typeof GiftEnd.Type
