import { Context } from "effect"
import { JSON_VALUES_MAX } from "./jsonBounds.ts"

const KIBIBYTE = 1024

/** Bytes of a JSON body that an operation without an annotation reads: 16 KiB. */
export const SMALL_BODY_BYTES_MAX = 16 * KIBIBYTE

/** Maximum number of bytes of an operation's JSON body; the answer to a larger one is a 413. */
export const BodyBytesMax = Context.Reference<number>("pennypress/schemas/platform/BodyBytesMax", {
  defaultValue: () => SMALL_BODY_BYTES_MAX
})

/** Returns the annotation of an operation whose largest valid body needs more than 16 KiB. */
export const bodyKibibytesMax = (kibibytes: number) => Context.make(BodyBytesMax, kibibytes * KIBIBYTE)

/** Maximum number of members and elements of an operation's JSON body; the answer to more is a 422. */
export const BodyValuesMax = Context.Reference<number>("pennypress/schemas/platform/BodyValuesMax", {
  defaultValue: () => JSON_VALUES_MAX
})

/** Returns the annotation of an operation whose largest valid body has more members and elements than others. */
export const bodyValuesMax = (values: number) => Context.make(BodyValuesMax, values)
