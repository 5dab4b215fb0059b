import { Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { OwnerId, PurchaseId, SettlementId } from "../../../schemas/platform/Ids.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import type { Claim as WorkClaim } from "../../platform/work/lease.ts"
import type { Claim } from "./claim.sql.ts"
import { type BlockTaken, makeCommits } from "./commit.ts"
import type { ConfirmedPayment } from "./confirmed.sql.ts"
import { measureBacklog } from "./metrics.ts"
import { makeOutcomes } from "./outcomes.ts"
import type { PaymentTarget } from "./PaymentTarget.ts"
import { makeSentBlocks } from "./sentBlocks.ts"
import { LEASE_MILLIS } from "./settlement.ts"
import { type Settlement, settlementOf, type SettlementRow } from "./settlementRow.ts"
import { type Payer, type Repeat, settlementStatements } from "./settlements.sql.ts"

/** Refused settlements are kept so long. */
const REFUSED_KEPT_MILLIS = 30 * DAY_MILLIS

/** Kind of the work that carries settlements on. */
export const SETTLEMENTS = "settlements"
/** Kind of the work that generates the missing proof of work of their blocks, and carries them on. */
export const MISSING_WORK = "missing_work"

/**
 * A claim that found no place. `already` means that another request was faster: the block, the quote or the Post has a settlement,
 * which the caller looks for again.
 */
export class ClaimRefused extends Schema.TaggedError<ClaimRefused>()("ClaimRefused", {
  reason: Schema.Literals(["terms_changed", "withdrawn", "free", "previous_in_flight", "already"])
}) {}

/** Payments of one payer for one target, past and present. */
export interface Earlier {
  /** The settlement of this very block, for any target: compare it. Never a refused one. */
  readonly byBlock: Option.Option<Settlement>
  /**
   * The settlement that is under way for the account or its wallet, or for the wallet that signed if that request or this one is
   * anonymous.
   */
  readonly settling: Option.Option<Settlement>
  /** The settled one of the same payers. Tips have none: another one is another tip. */
  readonly settled: Option.Option<Settlement>
}

/**
 * Settlements: blocks of the ledger, and the things that they pay. A claim is saved before its block is sent. From then
 * on this process or another completes it in every case: the network confirms the block, or never can.
 */
export class Settlements extends Context.Service<
  Settlements,
  {
    /** Finds the settlement of a payment identifier, with the hash of its payload. */
    readonly ofIdentifier: (
      target: PaymentTarget,
      identifier: string
    ) => Effect.Effect<Option.Option<Settlement & { readonly payloadHash: Uint8Array | null }>>
    /**
     * Finds the settlement of a quote. One that was refused leaves the quote free, and is found for a repeat of the very
     * payment alone.
     */
    readonly ofQuote: (
      target: PaymentTarget,
      quoteHash: Uint8Array,
      repeat?: Repeat
    ) => Effect.Effect<Option.Option<Settlement>>
    /** Returns, in one statement, the settlements of this block, this wallet and this owner for this target. */
    readonly earlier: (target: PaymentTarget, payer: Payer) => Effect.Effect<Earlier>
    /** Saves that a block will be sent. The caller has the first lease: it carries the settlement through. */
    readonly claim: (claim: Claim) => Effect.Effect<Settlement, ClaimRefused>
    /**
     * Publishes the block of a claim and waits at most 10 seconds for the outcome. If the caller disconnects or gets no
     * outcome, the workers get the lease.
     */
    readonly carryThrough: (id: SettlementId) => Effect.Effect<Settlement>
    /** Waits at most 10 seconds for the outcome of a settlement that another caller carries. */
    readonly awaitEnd: (id: SettlementId) => Effect.Effect<Settlement>
    /** Settles a payment that is confirmed already, in the caller's transaction if there is one. */
    readonly settleConfirmed: (payment: ConfirmedPayment) => Effect.Effect<Settlement, BlockTaken>
    /**
     * Adds a purchase without an account to an account, which then has it as if it had paid itself. A repeat succeeds.
     * Returns false when the account has the Post by another purchase, or another account has this one.
     */
    readonly adopt: (purchase: PurchaseId, owner: OwnerId) => Effect.Effect<boolean>
    /** Claims settlements that are due and whose blocks have their work. */
    readonly claimDue: (claim: WorkClaim) => Effect.Effect<ReadonlyArray<SettlementRow>>
    /** Claims settlements that are due and whose blocks lack their work. */
    readonly claimWithoutWork: (claim: WorkClaim) => Effect.Effect<ReadonlyArray<SettlementRow>>
    /** Looks at the ledger for a settlement under its lease, and ends it or makes it due again. */
    readonly resume: (row: SettlementRow) => Effect.Effect<void>
    /** Gives a lease back, so that another worker goes on at once. */
    readonly giveBack: (row: SettlementRow) => Effect.Effect<void>
    /** Removes refused settlements after 30 days, and counts those without an outcome. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/payments/settlement/Settlements") {
  static readonly layer = Layer.effect(
    Settlements,
    Effect.gen(function* () {
      const repo = yield* settlementStatements
      const ledger = yield* NanoLedger
      const { bell: bellOf } = yield* Doorbells
      const bell = bellOf(SETTLEMENTS)
      const workBell = bellOf(MISSING_WORK)
      const random = yield* SecureRandom.SecureRandom
      const { platformFeeAddress, platformFeeBps } = yield* Settings
      const platformAddress = platformFeeBps > 0 ? (platformFeeAddress ?? null) : null
      const commits = yield* makeCommits

      const sentBlocks = yield* makeSentBlocks(
        ledger,
        Effect.fnUntraced(function* (hash) {
          if (yield* repo.makeDue(hash, yield* now)) yield* Effect.andThen(bell.ring, workBell.ring)
        })
      )
      const { awaitEnd, carryThrough, giveBack, resume } = yield* makeOutcomes({
        commits,
        sentBlocks,
        bell,
        workBell
      })

      const refusal = Effect.fnUntraced(function* (claim: Claim) {
        const it = yield* repo.obstacle(claim, platformAddress)
        if (it.is_known) return new ClaimRefused({ reason: "already" })
        if (!it.is_open) return new ClaimRefused({ reason: "withdrawn" })
        if (it.is_free) return new ClaimRefused({ reason: "free" })
        if (!it.has_terms) return new ClaimRefused({ reason: "terms_changed" })
        return new ClaimRefused({ reason: it.is_previous_in_flight ? "previous_in_flight" : "already" })
      })

      return Settlements.of({
        ofIdentifier: Effect.fn("Settlements.ofIdentifier")(function* (target, identifier) {
          return Option.map(yield* repo.ofIdentifier(target, identifier), (row) => ({
            ...settlementOf(row),
            payloadHash: row.payload_hash
          }))
        }),

        ofQuote: Effect.fn("Settlements.ofQuote")(function* (target, quoteHash, repeat) {
          return Option.map(yield* repo.ofQuote(target, quoteHash, repeat), settlementOf)
        }),

        earlier: Effect.fn("Settlements.earlier")(function* (target, payer) {
          const rows = yield* repo.earlier(target, payer)
          const first = (is: (row: (typeof rows)[number]) => boolean) =>
            Option.map(Option.fromUndefinedOr(rows.find(is)), settlementOf)
          const ofPayer = (state: Settlement["state"]) =>
            Option.orElse(
              first((row) => row.is_by_owner && row.state === state),
              () => first((row) => row.is_by_wallet && row.state === state)
            )
          return {
            byBlock: first((row) => row.is_block),
            settling: ofPayer("settling"),
            settled: ofPayer("settled")
          }
        }),

        claim: Effect.fn("Settlements.claim")(function* (claim) {
          const at = yield* now
          const claimed = yield* repo.claim(claim, {
            id: yield* random.uuidV7(),
            at,
            leaseUntil: later(at, LEASE_MILLIS),
            platformAddress
          })
          return Option.isSome(claimed) ? settlementOf(claimed.value) : yield* yield* refusal(claim)
        }),

        carryThrough,
        awaitEnd,
        resume,
        giveBack,
        adopt: Effect.fn("Settlements.adopt")(repo.adopt),
        claimDue: repo.claimDue,
        claimWithoutWork: repo.claimWithoutWork,

        settleConfirmed: Effect.fn("Settlements.settleConfirmed")(function* (payment) {
          const settled = yield* commits.settleConfirmed(payment)
          yield* sentBlocks.ring(settled.blockHash)
          return settled
        }),

        sweep: Effect.gen(function* () {
          yield* repo.removeRefused(later(yield* now, -REFUSED_KEPT_MILLIS))
          yield* measureBacklog(yield* repo.backlog)
        }).pipe(Effect.withSpan("Settlements.sweep"))
      })
    })
  )
}
