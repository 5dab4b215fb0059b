import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Option, Redacted } from "effect"
import { GiftId } from "../../../schemas/platform/Ids.ts"
import { base62, bytesOfBase62 } from "../../platform/secrets/base62.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"

/** `ppg_<id>_<secret>`: the bytes of the id, and 32 random ones, in base62. */
const FORM = /^ppg_([0-9A-Za-z]{22})_([0-9A-Za-z]{43})$/

const ID_BYTES = 16

/** A gift as its token names it. */
interface NamedGift {
  readonly id: GiftId
  readonly secretHash: Uint8Array
}

const idOf = (bytes: Uint8Array) =>
  GiftId.make(bytesToHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"))

/** Returns the token of a gift. */
export const giftTokenOf = (id: GiftId, secret: string): Redacted.Redacted =>
  Redacted.make(`ppg_${base62(hexToBytes(id.replaceAll("-", "")))}_${secret}`)

/** Reads a token; none for a text of another form. */
export const readGiftToken = (token: Redacted.Redacted): Option.Option<NamedGift> => {
  const [, id = "", secret = ""] = FORM.exec(Redacted.value(token)) ?? []
  return Option.map(bytesOfBase62(id, ID_BYTES), (bytes) => ({
    id: idOf(bytes),
    secretHash: hashOf(Redacted.make(secret))
  }))
}
