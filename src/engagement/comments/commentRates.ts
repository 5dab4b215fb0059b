import { quotaUnder, secondsLeft } from "../../platform/rate-limits/countedRows.ts"
import { MINUTE_MILLIS, DAY_MILLIS } from "../../platform/time/now.ts"
import type { AppendFacts, CommentQuotas } from "./AppendsRepo.ts"

/** Maximum number of Comments of an account in a minute and in a day, in any window, wherever it begins. */
const PER_MINUTE = 10
const PER_DAY = 200

/** Returns the quotas under the factor of the operator. */
export const commentQuotas = (factor: number): CommentQuotas => ({
  perMinute: quotaUnder(PER_MINUTE, factor),
  perDay: quotaUnder(PER_DAY, factor)
})

/** Returns the seconds after which the author may comment again; undefined when they may now. */
export const commentWaitSeconds = (
  { day_from, minute_from }: Pick<AppendFacts, "day_from" | "minute_from">,
  at: Date
): number | undefined => {
  const left = Math.max(secondsLeft(minute_from, MINUTE_MILLIS, at), secondsLeft(day_from, DAY_MILLIS, at))
  return left > 0 ? left : undefined
}
