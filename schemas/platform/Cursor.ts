import { Schema } from "effect"
import { atMost } from "./Text.ts"

/** The end of a page, as the service wrote it. Another list, a changed text and a made-up one are `invalid`. */
export const Cursor = Schema.String.check(atMost(400))
