/** A mail with a code that was not sent again. */
export interface UnsentMail {
  /** `recent` when its reader was mailed a code a moment ago, and `mailbox` when the mailbox got too many mails. */
  readonly reason: "recent" | "mailbox"
  /** Seconds until another one can be requested. */
  readonly waitSeconds: number
}

/** The longest window of a limit by mailbox. An address with another time is not ours. */
const WAIT_SECONDS_MAX = 3_600

/** Returns the query of a page that says so. It names a moment, so that a reload does not begin the wait again. */
export const unsentQuery = ({ reason, waitSeconds }: UnsentMail, at: Date): string =>
  `?${reason}=${at.getTime() + waitSeconds * 1000}`

/** Reads such a query; undefined without one. */
export const unsentIn = (query: URLSearchParams, at: Date): UnsentMail | undefined => {
  for (const reason of ["recent", "mailbox"] as const) {
    const until = query.get(reason) ?? ""
    if (!/^\d{1,15}$/.test(until)) continue
    const waitSeconds = Math.max(0, Math.ceil((Number(until) - at.getTime()) / 1000))
    if (waitSeconds <= WAIT_SECONDS_MAX) return { reason, waitSeconds }
  }
  return undefined
}

/** Returns a wait in words. */
export const waitInWords = (seconds: number): string => {
  if (seconds === 1) return "one second"
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}
