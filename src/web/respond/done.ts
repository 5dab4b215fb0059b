import { Schema } from "effect"

/** The outcome of a form that the next page reports. */
export const Done = Schema.Literals(["sent", "deleted", "reported", "saved"])
export type Done = typeof Done.Type
