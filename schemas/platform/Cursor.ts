import { Schema } from "effect"
import { atMost } from "./Text.ts"

/**
 * The end of a page, as the service wrote it. A cursor of another list, a changed one and an invented one are
 * `invalid`.
 */
export const Cursor = Schema.String.check(atMost(400))
