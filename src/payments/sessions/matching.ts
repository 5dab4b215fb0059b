import type { PaymentSessionId } from "../../../schemas/platform/Ids.ts"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { isAttended } from "./cadence.ts"
import { roundedBaseOf } from "./tags.ts"

/** A session with an amount of its own, as far as payments are compared with it. */
export interface LiveSession {
  readonly id: PaymentSessionId
  readonly baseRaw: bigint
  readonly amountRaw: bigint
  readonly createdAt: Date
  /** When it expires, or was cancelled. Exact payments from then on are late. */
  readonly endsAt: Date
  readonly lateUntil: Date
  /** When the last wait of its holder ended, or ends. */
  readonly waitedUntil: Date | null
  /** When its holder last said that the payment was sent. */
  readonly saidSentAt: Date | null
  /** True for a purchase without an account. Only its exact amount pays it. */
  readonly isExactOnly: boolean
  /** The sender that its holder names. */
  readonly saidPayer: NanoPublicKey | null
  /** The block that paid it. */
  readonly paidBy: BlockHash | null
  /** The unconfirmed block that is taken for its payment. */
  readonly seenBlock: BlockHash | null
  readonly duplicates: ReadonlyArray<BlockHash>
}

/** A block that sends to the address of the sessions. */
export interface Hit {
  readonly hash: BlockHash
  readonly payer: NanoPublicKey
  readonly amountRaw: bigint
  /** The ledger's time of the block; the present when the ledger does not know one. */
  readonly at: Date
  /** The present. */
  readonly lookedAt: Date
}

export type Match<Session> =
  | {
      readonly kind: "pays"
      readonly session: Session
      readonly matchedBy: "exact" | "base"
      readonly late: boolean
    }
  | { readonly kind: "duplicate"; readonly session: Session }

/** Ledgers know whole seconds. */
const wholeSecond = (moment: Date) => Math.floor(moment.getTime() / 1000) * 1000

/** The maximum time by which the clock of a node may be behind ours. */
export const CLOCK_SKEW_MILLIS = 3_600_000

/** Returns true when the block is not older than the session. An older one paid for something else. */
const isSince = ({ createdAt }: LiveSession, { at }: Hit, skewMillis = 0) =>
  at.getTime() >= wholeSecond(createdAt) - skewMillis

const exactly = <Session extends LiveSession>(hit: Hit, session: Session): Match<Session> | undefined => {
  // Its tag is not older than the session, so the clock must be wrong.
  if (!isSince(session, hit, CLOCK_SKEW_MILLIS) || hit.at >= session.lateUntil) return undefined
  if (session.paidBy === null)
    return { kind: "pays", session, matchedBy: "exact", late: hit.at >= session.endsAt }
  const isKnown = session.paidBy === hit.hash || session.duplicates.includes(hit.hash)
  return isKnown ? undefined : { kind: "duplicate", session }
}

/**
 * Returns true if a moment is after a block. The time of a block in whole seconds is the beginning of its second, and the
 * moment must be after the end.
 */
const isAfter = (moment: Date, { at }: Hit) =>
  moment.getTime() >= at.getTime() + (wholeSecond(at) === at.getTime() ? 1000 : 0)

/**
 * Returns true while the holder of a session waits, and has said after the block that this sender sent its payment. A
 * holder who says so in advance waits for the money of strangers.
 */
const isAwaited = (session: LiveSession, hit: Hit) =>
  !session.isExactOnly &&
  session.saidSentAt !== null &&
  isAfter(session.saidSentAt, hit) &&
  isAttended(session.waitedUntil, hit.lookedAt) &&
  (session.saidPayer === null || session.saidPayer === hit.payer)

/**
 * Finds the one session of a base that a payment without its tag can mean. An author gets other payments of the same
 * amount, so the holder has to wait for this one. Late sessions accept only exact payments, and so do purchases without an
 * account, because the service could not tell who took another person's payment for theirs.
 */
const byBase = <Session extends LiveSession>(
  hit: Hit,
  sessions: ReadonlyArray<Session>
): Match<Session> | undefined => {
  const base = roundedBaseOf(hit.amountRaw)
  if (base === undefined) return undefined
  const candidates = sessions.filter(
    (session) =>
      session.baseRaw === base && session.paidBy === null && isSince(session, hit) && hit.at < session.endsAt
  )
  const [only, ...others] = candidates
  const awaited = only !== undefined && others.length === 0 && isAwaited(only, hit) ? only : undefined
  const meant = candidates.find(({ seenBlock }) => seenBlock === hit.hash) ?? awaited
  return meant === undefined ? undefined : { kind: "pays", session: meant, matchedBy: "base", late: false }
}

/**
 * Returns the live session of an address that a block pays. At most one live session has an amount. Returns undefined
 * for a payment that fits no session, or several.
 */
export const matchOf = <Session extends LiveSession>(
  hit: Hit,
  sessions: ReadonlyArray<Session>
): Match<Session> | undefined => {
  const session = sessions.find(({ amountRaw }) => amountRaw === hit.amountRaw)
  return session === undefined ? byBase(hit, sessions) : exactly(hit, session)
}
