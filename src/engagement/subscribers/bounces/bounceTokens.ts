import { Effect, Option, Schema } from "effect"
import { Hex } from "effect/encoding"
import { SubscriberId } from "../../../../schemas/platform/Ids.ts"
import { Pepper } from "../../../platform/ports/Pepper.ts"

/** Bytes of the MAC of a token. The part of an address before the `@` has 64 bytes, and the token takes 48 of them. */
const MAC_BYTES = 8

const TOKEN = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})([\da-f]{16})$/

const decodeId = Schema.decodeUnknownOption(SubscriberId)

const textOf = (id: SubscriberId) => `bounce ${id}`

const macOf = (hash: Uint8Array) => Hex.encode(hash.subarray(0, MAC_BYTES))

/**
 * Makes the functions over the tokens of envelopes: the id of a reader and a MAC, in digits that keep their meaning in any case.
 * Only servers that carry a reader's mail see the token of that reader.
 */
export const makeBounceTokens = Effect.map(Pepper, (pepper) => ({
  /** Returns the token of a reader. */
  tokenOf: (id: SubscriberId) =>
    Effect.map(pepper.hash(textOf(id)), (hash) => `${id.replaceAll("-", "")}${macOf(hash)}`),
  /** Returns the reader of a token; none for one that this service did not make. */
  readerOf: Effect.fnUntraced(function* (token: string) {
    const [, ...parts] = TOKEN.exec(token) ?? []
    const id = decodeId(parts.slice(0, 5).join("-"))
    if (Option.isNone(id)) return Option.none()
    const hashes = yield* pepper.hashes(textOf(id.value))
    return hashes.some((hash) => macOf(hash) === parts[5]) ? id : Option.none()
  })
}))
