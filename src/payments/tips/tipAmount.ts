import { Option, Result } from "effect"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { agreedPrice, parsePriceXno, type PriceRefusal, xnoOfRaw } from "../../../schemas/platform/Nano.ts"

const DIGITS = /^(0|[1-9][0-9]{0,79})$/

const messageOf = (refusal: PriceRefusal) => {
  switch (refusal.reason) {
    case "invalid":
      return "Send amountXno as a plain decimal number of XNO such as 0.25"
    case "mismatch":
      return "Send one of amountRaw and amountXno, or the same amount in both: these differ"
    case "out_of_range":
      return `Tip 0.00001 to 9999 XNO; the nearest amount is ${xnoOfRaw(refusal.nearestRaw)} XNO`
    case "too_many_decimals":
      return `Tip an amount of at most 6 decimals; the nearest is ${xnoOfRaw(refusal.nearestRaw)} XNO (${refusal.nearestRaw} raw)`
  }
}

/** Returns the one amount that a tip names, under the bounds of prices (spec 8). */
export const tipAmountOf = ({
  amountRaw,
  amountXno
}: {
  readonly amountRaw?: string
  readonly amountXno?: string
}): Result.Result<bigint, FieldError> => {
  if (amountRaw === undefined && amountXno === undefined)
    return Result.fail({ field: "amountRaw", code: "required", message: "Add amountRaw or amountXno" })
  if (amountRaw !== undefined && !DIGITS.test(amountRaw)) {
    const message = "Send amountRaw as a whole number of raw units"
    return Result.fail({ field: "amountRaw", code: "invalid", message })
  }
  const agreed = agreedPrice({
    priceXno: amountXno,
    priceRaw: amountRaw === undefined ? undefined : BigInt(amountRaw)
  })
  if (Result.isSuccess(agreed)) return Result.succeed(Option.getOrThrow(agreed.success))
  const isXno = amountXno !== undefined && Result.isFailure(parsePriceXno(amountXno))
  const field = isXno || amountRaw === undefined ? "amountXno" : "amountRaw"
  const code = agreed.failure.reason === "too_many_decimals" ? "out_of_range" : agreed.failure.reason
  return Result.fail({ field, code, message: messageOf(agreed.failure) })
}
