import { MINUTE_MILLIS } from "../../platform/time/now.ts"

/** A session waits this long for its payment. */
export const OPEN_MILLIS = 15 * MINUTE_MILLIS
/** Then its exact amount still counts for a day. */
export const LATE_MILLIS = 24 * 60 * MINUTE_MILLIS

/** Wallets pay within minutes of the session: looks are frequent then, and rare afterwards. */
const FRESH_MILLIS = 2 * MINUTE_MILLIS
const FRESH_SECONDS = 2
const OPEN_SECONDS = 10
const LATE_SECONDS = 300

/** A holder whose last wait ended within this time still waits. The page of a checkout in a hidden tab pauses for as long. */
const ATTENDED_MILLIS = 30_000

/** Returns true while the holder of a session waits for its payment. */
export const isAttended = (waitedUntil: Date | null, at: Date): boolean =>
  waitedUntil !== null && at.getTime() - waitedUntil.getTime() <= ATTENDED_MILLIS

/** Seconds between two looks at the ledger for a session. A paid one may be paid twice, so its looks stay as frequent. */
export const lookSeconds = (
  { createdAt, expiresAt }: { readonly createdAt: Date; readonly expiresAt: Date },
  at: Date
): number => {
  if (at >= expiresAt) return LATE_SECONDS
  return at.getTime() - createdAt.getTime() < FRESH_MILLIS ? FRESH_SECONDS : OPEN_SECONDS
}
