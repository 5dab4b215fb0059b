import { Schema } from "effect"

/** The end of a form that the next page tells of. */
export const Done = Schema.Literals(["sent", "deleted", "reported", "saved"])
export type Done = typeof Done.Type
