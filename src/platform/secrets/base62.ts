import { bytesToHex } from "@noble/hashes/utils.js"
import { Option } from "effect"

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const PART_DIGITS = 8
const PART = 62n ** BigInt(PART_DIGITS)

/** Returns the digits of the largest value of this number of bytes. */
const widthOf = (bytes: number) => Math.ceil((bytes * 8) / Math.log2(62))

/**
 * Returns bytes as one number in base 62, most significant digit first. The width is that of the largest value of as
 * many bytes.
 */
export const base62 = (bytes: Uint8Array): string => {
  const width = widthOf(bytes.length)
  let value = BigInt(`0x0${bytesToHex(bytes)}`)
  let text = ""
  while (text.length < width) {
    // Divides the large number rarely: a `number` holds eight digits exactly.
    let part = Number(value % PART)
    value /= PART
    for (let digit = 0; digit < PART_DIGITS; digit++) {
      text = DIGITS.charAt(part % 62) + text
      part = Math.floor(part / 62)
    }
  }
  return text.slice(-width)
}

/** Returns the bytes that {@link base62} spells in this text; none for a text that does not spell that many bytes. */
export const bytesOfBase62 = (text: string, length: number): Option.Option<Uint8Array> => {
  if (text.length !== widthOf(length)) return Option.none()
  let value = 0n
  for (const digit of text) {
    const place = DIGITS.indexOf(digit)
    if (place < 0) return Option.none()
    value = value * 62n + BigInt(place)
  }
  if (value >> BigInt(length * 8) !== 0n) return Option.none()
  return Option.some(
    Uint8Array.from({ length }, (_, place) => Number((value >> BigInt((length - 1 - place) * 8)) & 255n))
  )
}

/** Returns the base62 digit of a number from 0 to 61. */
export const base62Digit = (digit: number): string => DIGITS.charAt(digit)
