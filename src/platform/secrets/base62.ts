const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Bytes as one number in base 62, most significant digit first, as wide as the largest value of that many bytes. */
export const base62 = (bytes: Uint8Array): string => {
  const width = Math.ceil((bytes.length * 8) / Math.log2(62))
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  let text = ""
  for (let i = 0; i < width; i++) {
    text = DIGITS.charAt(Number(value % 62n)) + text
    value /= 62n
  }
  return text
}

/** One base62 digit, for a number from 0 to 61. */
export const base62Digit = (digit: number): string => DIGITS.charAt(digit)
