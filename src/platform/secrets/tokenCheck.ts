import { Redacted } from "effect"
import { Mac } from "effect/crypto"
import { hashOf } from "./Secrets.ts"

/**
 * Makes the function that compares a presented token with that of the operator, in constant time. Without a token of the
 * operator, no presented one is right.
 */
export const makeTokenCheck = (expected: Redacted.Redacted | undefined) => {
  const hash = expected === undefined ? undefined : hashOf(expected)
  return (presented: string | undefined): boolean =>
    hash !== undefined &&
    presented !== undefined &&
    Mac.timingSafeEqual(hash, hashOf(Redacted.make(presented)))
}
