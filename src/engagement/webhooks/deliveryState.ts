import type { FailureCode } from "../../../schemas/engagement/webhooks/Webhook.ts"
import type { OutsideFailure, PostAnswer } from "../../platform/ports/OutsideHttp.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Waits after each failure of a delivery, before jitter. The failure after the last one gives it up. */
export const WAITS_MILLIS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR
]

/** Rests of a webhook whose server gave no answer, by their number in a row; the last one stays. */
const RESTS_MILLIS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE]

/** The longest time for which a server is obeyed that asks to come again later. */
const RETRY_AFTER_MAX_MILLIS = HOUR

/** The owner is notified of a webhook that fails for this time, at this many attempts. */
const TOLD_AFTER_MILLIS = HOUR
const TOLD_AFTER_FAILURES = 3

/** The outcome of one attempt. `code` is null for a success, and `status` without an answer. */
export interface Outcome {
  readonly code: FailureCode | null
  readonly status: number | null
  /** The time that the server asked for; 0 for none. */
  readonly retryAfterMillis: number
}

/** Returns the milliseconds of a `Retry-After`: seconds, or a date. */
const retryAfterOf = (text: string | undefined, at: Date): number => {
  if (text === undefined) return 0
  const millis = /^[0-9]{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - at.getTime()
  return Number.isNaN(millis) ? 0 : Math.min(Math.max(millis, 0), RETRY_AFTER_MAX_MILLIS)
}

const codeOf = (status: number): FailureCode | null => {
  if (status >= 200 && status < 300) return null
  if (status === 410) return "gone"
  return status >= 300 && status < 400 ? "redirect" : "http_status"
}

/** Returns the outcome of an attempt that got an answer at this moment. */
export const outcomeOfAnswer = ({ retryAfter, status }: PostAnswer, at: Date): Outcome => ({
  code: codeOf(status),
  status,
  retryAfterMillis: status === 429 || status === 503 ? retryAfterOf(retryAfter, at) : 0
})

const reasons: Readonly<Record<OutsideFailure["reason"], FailureCode>> = {
  address_not_public: "address_not_public",
  connection: "connection",
  protocol: "protocol",
  redirects: "redirect",
  timeout: "timeout",
  tls: "tls",
  too_large: "protocol"
}

/** Returns the outcome of an attempt that got no answer. */
export const outcomeOfFailure = ({ reason }: OutsideFailure): Outcome => ({
  code: reasons[reason],
  status: null,
  retryAfterMillis: 0
})

/** The state of a delivery after an attempt. A wait ends up to a fifth earlier, but not before `leastMillis`. */
export type NextState =
  | { readonly state: "cancelled" | "delivered" | "failed" }
  | { readonly state: "waiting"; readonly waitMillis: number; readonly leastMillis: number }

/** Returns what becomes of a delivery with these failures before the attempt, in its present schedule. */
export const afterAttempt = (failures: number, { code, retryAfterMillis }: Outcome): NextState => {
  if (code === null) return { state: "delivered" }
  if (code === "gone") return { state: "cancelled" }
  const waitMillis = WAITS_MILLIS[failures]
  if (waitMillis === undefined) return { state: "failed" }
  return {
    state: "waiting",
    waitMillis: Math.max(waitMillis, retryAfterMillis),
    leastMillis: retryAfterMillis
  }
}

/** Returns the rest of a webhook whose server gave no answer, after these rests in a row. */
export const restMillis = (rests: number): number =>
  RESTS_MILLIS[Math.min(rests, RESTS_MILLIS.length - 1)] ?? 0

/** The state of a webhook after an attempt that failed. */
export interface Health {
  readonly failingSince: Date
  /** Failures since then. */
  readonly failures: number
  readonly isTold: boolean
  readonly lastSuccessAt: Date | null
}

/**
 * Returns what a failure means for the webhook. It is turned off when its server is gone, or when a delivery is given up and
 * nothing arrived since its event. Its owner is notified once.
 */
export const consequenceOf = (
  health: Health,
  next: NextState,
  eventAt: Date,
  at: Date
): "gone" | "failing" | "tell" | undefined => {
  if (next.state === "cancelled") return "gone"
  const { failingSince, failures, isTold, lastSuccessAt } = health
  if (next.state === "failed" && (lastSuccessAt === null || lastSuccessAt <= eventAt)) return "failing"
  const isLong = at.getTime() - failingSince.getTime() >= TOLD_AFTER_MILLIS
  return isLong && failures >= TOLD_AFTER_FAILURES && !isTold ? "tell" : undefined
}
