import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { Hex } from "effect/encoding"

/** Returns a value of JSON with the members of its objects in order, so that equal values are equal texts. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`
}

/** Returns the SHA-256 of a text in hexadecimal digits. */
export const sha256Hex = Effect.fnUntraced(function* (text: string) {
  const digest = yield* Digest.Digest
  return Hex.encode(yield* digest.digest(Digest.sha256, new TextEncoder().encode(text)))
})
