import { DAY_MILLIS, later, MINUTE_MILLIS } from "../../platform/time/now.ts"
import type { SettlementRow } from "./settlementRow.ts"

/** The lease of a settlement. Its holder prolongs it, so another process goes on soon after a holder that died. */
export const LEASE_MILLIS = 5_000
/** Maximum time of one look at the ledger. */
export const LOOK_PATIENCE_MILLIS = 15_000
/** Maximum time to generate the work of one block. Servers are asked one after the other, 20 seconds each. */
export const WORK_MILLIS = 60_000
/** Maximum time of a look that generates work first. */
export const WORK_PATIENCE_MILLIS = WORK_MILLIS + LOOK_PATIENCE_MILLIS

/** A settlement of this age lapses. */
const LAPSE_MILLIS = 7 * DAY_MILLIS
/** Lapsed settlements are looked at once a day: a block may be confirmed at any time. */
const LAPSED_EVERY_MILLIS = DAY_MILLIS
/** A block is looked at after half a second at first, and once an hour after it has been on its way for 15 minutes. */
const FIRST_LOOK_MILLIS = 500
const SLOW_FROM_MILLIS = 15 * MINUTE_MILLIS
const SLOW_LOOK_MILLIS = 60 * MINUTE_MILLIS
/** The minimum time between two looks that waiting requests ask for. */
export const ASKED_LOOK_MILLIS = 1000

/** A settlement as its transitions read it. */
export type Settling = Pick<
  SettlementRow,
  "state" | "block" | "made_work" | "created_at" | "looked_at" | "sent_at"
>

/**
 * The reason why the outcome is not known yet. The others are refusals that another node, or the same node later, may
 * not repeat.
 */
export type WaitCode = "unconfirmed" | "ledger_unavailable" | "work_unavailable" | "fork" | "gap" | "other"

/**
 * The ledger's word on a block: it is confirmed, it can never be, or that is not known yet. A missing or doubtful
 * answer is `waiting`, so that a payment with an unknown outcome is never refused. `sent` waits too: the ledger has just
 * taken the block. If the ledger refuses work that the service generated, it is generated again, because the payer has no
 * part in it.
 */
export type Verdict =
  | { readonly type: "confirmed" }
  | { readonly type: "refused"; readonly code: string }
  | { readonly type: "work_refused" }
  | { readonly type: "sent" }
  | { readonly type: "waiting"; readonly code: WaitCode }

/** Something that happens to a settlement after its claim. */
export type Event =
  | Verdict
  /** A worker has looked, and the verdict did not end the settlement. */
  | { readonly type: "undecided"; readonly verdict: Verdict; readonly at: Date }
  /** A request or a worker gives its lease back. The ledger took the block at `sentAt`, if it did. */
  | { readonly type: "given_back"; readonly at: Date; readonly sentAt?: Date | undefined }
  /** A request waits for the outcome. */
  | { readonly type: "awaited"; readonly at: Date }

/** A look at the ledger that did not end a settlement. */
export interface Look {
  readonly at: Date
  /** The time at which the ledger took the block. */
  readonly sentAt?: Date | undefined
  /** The reason why the outcome is not known, for administrators. */
  readonly code?: string
}

/** The change that an event makes. */
export type Change =
  /** The payment has bought its thing, with all that follows. */
  | { readonly to: "settled" }
  /** The quote, the wallet and the thing are free again. */
  | { readonly to: "refused"; readonly code: string }
  /** The buyer learns that the payment has no outcome. It is still looked at. */
  | { readonly to: "lapsed"; readonly at: Date; readonly dueAt: Date }
  /** It stays as it is, without a lease, until the next look. */
  | { readonly to: "due"; readonly dueAt: Date; readonly look: Look }
  /** It is due now, unless it has a lease or was looked at after `lookedBefore`. */
  | { readonly to: "asked"; readonly at: Date; readonly lookedBefore: Date }
  /** Its work is generated again. */
  | { readonly to: "without_work" }

/** Returns true for a settlement without an outcome. A block that has lapsed may still be confirmed. */
export const isOpen = ({ state }: Pick<Settling, "state">) => state === "settling" || state === "lapsed"

/** Returns true for a block that cannot be published before a server has made its work. */
export const lacksWork = ({ block, made_work }: Pick<Settling, "block" | "made_work">) =>
  block !== null && block.work === null && made_work === null

/** Returns the reason that administrators see for a payment without an outcome. */
const codeOf = (verdict: Verdict) => {
  if (verdict.type === "sent") return "unconfirmed"
  return "code" in verdict ? verdict.code : "work"
}

/**
 * Returns the time until the next look: as long as the block has been on its way, 0.5, 1, 2, 4 … 60 seconds, and hourly
 * after 15 minutes.
 */
const nextLookMillis = (ageMillis: number): number =>
  ageMillis >= SLOW_FROM_MILLIS
    ? SLOW_LOOK_MILLIS
    : Math.min(Math.max(ageMillis, FIRST_LOOK_MILLIS), MINUTE_MILLIS)

const undecided = ({ created_at, sent_at, state }: Settling, verdict: Verdict, at: Date): Change => {
  const millisSince = (moment: Date) => at.getTime() - moment.getTime()
  const sentAt = verdict.type === "sent" ? at : undefined
  const look = { at, sentAt, code: codeOf(verdict) }
  const lapsedDueAt = later(at, LAPSED_EVERY_MILLIS)
  if (state === "lapsed") return { to: "due", dueAt: lapsedDueAt, look }
  if (millisSince(created_at) >= LAPSE_MILLIS) return { to: "lapsed", at, dueAt: lapsedDueAt }
  return { to: "due", dueAt: later(at, nextLookMillis(millisSince(sentAt ?? sent_at ?? created_at))), look }
}

/** Work that is missing takes the time that it takes. A settlement that was not looked at is under its first lease. */
const awaited = (settlement: Settling, at: Date): Change | undefined => {
  const lookedBefore = later(at, -ASKED_LOOK_MILLIS)
  const { looked_at } = settlement
  return lacksWork(settlement) || looked_at === null || looked_at > lookedBefore
    ? undefined
    : { to: "asked", at, lookedBefore }
}

/**
 * Returns the change that an event makes, or undefined when it changes nothing. This is the whole state machine from the
 * claim to the end. The claim itself, which may begin a refused settlement again, is one statement over the thing that is
 * sold. So is money that is confirmed before it has a settlement.
 */
export const transition = (settlement: Settling, event: Event): Change | undefined => {
  if (!isOpen(settlement)) return undefined
  switch (event.type) {
    case "confirmed":
      return { to: "settled" }
    case "refused":
      // A refusal after the lapse comes too late: the buyer knows the outcome, and the block stays taken.
      return settlement.state === "settling" ? { to: "refused", code: event.code } : undefined
    case "work_refused":
      return { to: "without_work" }
    case "sent":
    case "waiting":
      return undefined
    case "undecided":
      return undecided(settlement, event.verdict, event.at)
    case "given_back":
      return { to: "due", dueAt: event.at, look: { at: event.at, sentAt: event.sentAt } }
    case "awaited":
      return awaited(settlement, event.at)
  }
}
