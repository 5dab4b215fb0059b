const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/**
 * Returns bytes as one number in base 62, most significant digit first. The width is that of the largest value of as
 * many bytes.
 */
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

/** Returns the base62 digit of a number from 0 to 61. */
export const base62Digit = (digit: number): string => DIGITS.charAt(digit)
