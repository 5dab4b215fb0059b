import { DAY_MILLIS, MINUTE_MILLIS } from "../../platform/time/now.ts"

/** The lease of a settlement. A request that waits for the outcome holds it while it waits. */
export const LEASE_MILLIS = 15_000
/** Maximum time to generate the work of one block. Servers are asked one after the other, 20 seconds each. */
export const WORK_MILLIS = 60_000
/** The lease of a settlement while its work is generated. */
export const WORK_LEASE_MILLIS = WORK_MILLIS + LEASE_MILLIS
/** A request waits for the end of a settlement this long: many clients wait no longer. */
export const WAIT_MILLIS = 10_000

const HOUR_MILLIS = 60 * MINUTE_MILLIS

/** From this age on a settlement is looked at once an hour. */
const SLOW_FROM_MILLIS = 15 * MINUTE_MILLIS
/** A settlement of this age lapses. */
export const LAPSE_MILLIS = 7 * DAY_MILLIS
/** Refused settlements are kept so long. */
export const REFUSED_KEPT_MILLIS = 30 * DAY_MILLIS
/** Lapsed settlements are looked at once a day: a block may be confirmed at any time. */
export const LAPSED_EVERY_MILLIS = DAY_MILLIS

/** The minimum time between two looks that waiting requests ask for. */
export const ASKED_LOOK_MILLIS = 1000

const FIRST_MILLIS = 500

/**
 * Returns the time until the next look: as long as the block has been on its way, 0.5, 1, 2, 4 … 60 seconds, and hourly
 * after 15 minutes.
 */
export const nextLookMillis = (ageMillis: number): number =>
  ageMillis >= SLOW_FROM_MILLIS ? HOUR_MILLIS : Math.min(Math.max(ageMillis, FIRST_MILLIS), MINUTE_MILLIS)
