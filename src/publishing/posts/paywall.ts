import { Option, Result } from "effect"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { agreedPrice, parsePriceXno, priceMessage } from "../../../schemas/platform/Nano.ts"
import type { PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"

/** The paywall of a Post. */
export interface Paywall {
  /** True if the author's last choice for `enablePaywall` is true. */
  readonly paywall_requested: boolean
  /** True if the paywall is effective: readers without a purchase see only the free section. */
  readonly enable_paywall: boolean
  /** Raw units; null without an effective paywall. */
  readonly price_raw: string | null
}

const DIGITS = /^(0|[1-9][0-9]{0,79})$/

/** Returns the price that a patch names, or undefined when it names none. */
const namedPrice = ({ priceRaw, priceXno }: PostPatch): Result.Result<string | undefined, FieldError> => {
  if (typeof priceRaw !== "string" && typeof priceXno !== "string") return Result.succeed(undefined)
  if (typeof priceRaw === "string" && !DIGITS.test(priceRaw)) {
    const message = "Send priceRaw as a whole number of raw units"
    return Result.fail({ field: "priceRaw", code: "invalid", message })
  }
  const agreed = agreedPrice({
    priceXno: priceXno ?? undefined,
    priceRaw: typeof priceRaw === "string" ? BigInt(priceRaw) : undefined
  })
  if (Result.isSuccess(agreed)) return Result.succeed(Option.getOrThrow(agreed.success).toString())
  const isXno = typeof priceXno === "string" && Result.isFailure(parsePriceXno(priceXno))
  const field = isXno || typeof priceRaw !== "string" ? "priceXno" : "priceRaw"
  const code = agreed.failure.reason === "too_many_decimals" ? "out_of_range" : agreed.failure.reason
  return Result.fail({ field, code, message: priceMessage(agreed.failure) })
}

/**
 * Returns the paywall of a Post after a patch. Without paid content a requested paywall is treated as false and has no
 * price (spec 4.3.1, 4.3.2). It is effective again as soon as the author writes paid content, unless a patch says
 * `enablePaywall: false`: no other edit makes text public that was written as paid. A patch that names neither the
 * paywall nor the paid section keeps the paywall, also over a section that lost its only image (spec 3.2.6).
 */
export const paywallOf = (
  current: Paywall,
  patch: PostPatch,
  hasPaidContent: boolean
): Result.Result<Paywall, FieldError> => {
  const paywall_requested = patch.enablePaywall ?? current.paywall_requested
  const isNamed = patch.enablePaywall !== undefined || patch.paidContentMarkdown !== undefined
  const enable_paywall = isNamed ? paywall_requested && hasPaidContent : current.enable_paywall
  if (!enable_paywall) return Result.succeed({ paywall_requested, enable_paywall, price_raw: null })
  const isCleared = patch.priceRaw === null || patch.priceXno === null
  const kept = isCleared ? null : current.price_raw
  return Result.map(namedPrice(patch), (price) => ({
    paywall_requested,
    enable_paywall,
    price_raw: price ?? kept
  }))
}
