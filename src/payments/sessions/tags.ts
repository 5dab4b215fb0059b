import { PRICE_STEP_RAW } from "../../../schemas/platform/Nano.ts"

/** Prices and tips are multiples of 10^24 raw, so that the low digits of an amount are free for a tag below this. */
const TAG_END = 10n ** 9n

/** The least and the greatest tag. */
export const TAG_MIN = 1
export const TAG_MAX = Number(TAG_END) - 1

/** Amounts by which wallets and exchanges round: a payment within this of a base may be meant for it. */
const ROUNDING_RAW = 10n ** 18n

/** Returns the amount that a session asks for. */
export const taggedAmount = (baseRaw: bigint, tag: number): bigint => baseRaw + BigInt(tag)

/**
 * Returns the base to which a payment without a tag was rounded: the nearest multiple of 10^24 raw, at most 10^18 raw
 * away. Undefined for an amount with a tag, and for one near no base.
 */
export const roundedBaseOf = (amountRaw: bigint): bigint | undefined => {
  const low = amountRaw % PRICE_STEP_RAW
  if (low > 0n && low < TAG_END) return undefined
  if (low <= ROUNDING_RAW) return amountRaw - low
  const missing = PRICE_STEP_RAW - low
  return missing <= ROUNDING_RAW ? amountRaw + missing : undefined
}
