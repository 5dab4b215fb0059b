import { Context, Effect, Layer, Option } from "effect"
import { addressOfPublicKey, type NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { type LedgerBlock, type LedgerUnavailable, NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { later, now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import type { Claim } from "../../platform/work/lease.ts"
import { ASKED_LOOK_MILLIS } from "../settlement/settlement.ts"
import { Settlements } from "../settlement/Settlements.ts"
import { isAttended, lookSeconds } from "./cadence.ts"
import { CLOCK_SKEW_MILLIS, type Hit, type Match, matchOf } from "./matching.ts"
import { paymentSessionStatements } from "./paymentSessions.sql.ts"
import { liveSessionOf } from "./sessionRow.ts"
import { type WatchedAccount, watchedAccountStatements } from "./watchedAccounts.sql.ts"

/** Kind of the work that looks at addresses. */
export const WATCHED_ACCOUNTS = "watched_accounts"

type Live = ReturnType<typeof liveSessionOf>

/**
 * Time between two looks over all live sessions of an address. Looks in between are for those that have not expired, or
 * whose holder waits.
 */
const FULL_LOOK_MILLIS = 300_000

/** The minimum wait after a look that the ledger did not answer. */
const AWAY_MILLIS = 10_000

/** Finds payments of sessions on the ledger, and settles them. Every step may be repeated, by several processes at the same time. */
export class Watching extends Context.Service<
  Watching,
  {
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<WatchedAccount>>
    /** Looks once at what was sent to an address, closes sessions whose time is over, and sets the next look. */
    readonly look: (account: WatchedAccount) => Effect.Effect<void>
    /** Settles a block that the ledger reported, if it pays a session of this address. */
    readonly notice: (key: NanoPublicKey, block: LedgerBlock) => Effect.Effect<void>
    /** Asks the workers for a look at an address, for a request that waits: at most once a second. */
    readonly askForLook: (key: NanoPublicKey) => Effect.Effect<void>
    /** Returns the keys of all watched addresses. */
    readonly keys: Effect.Effect<ReadonlyArray<NanoPublicKey>>
  }
>()("pennypress/payments/sessions/Watching") {
  static readonly layer = Layer.effect(
    Watching,
    Effect.gen(function* () {
      const repo = yield* paymentSessionStatements
      const accounts = yield* watchedAccountStatements
      const ledger = yield* NanoLedger
      const settlements = yield* Settlements
      const transactions = yield* Transactions
      const { ring } = (yield* Doorbells).bell(WATCHED_ACCOUNTS)

      /** Returns the live sessions of an address. */
      const liveSessions = (key: NanoPublicKey) =>
        Effect.map(repo.live(key), (rows) => rows.map(liveSessionOf))

      /** Settles the payment of one session in one transaction. Returns false for a block that pays for something else. */
      const settle = Effect.fnUntraced(
        function* ({ session, ...match }: Match<Live>, block: LedgerBlock) {
          // Another process may have settled it, or another payment of it, since it was read.
          const row = yield* repo.lock(session.id)
          if (row.block_hash === block.hash || row.duplicates.includes(block.hash)) return
          const isDuplicate = row.state === "paid"
          const settlement = yield* settlements.settleConfirmed({
            channel: "session",
            sessionId: row.id,
            target:
              row.kind === "purchase" && row.post_id !== null
                ? { kind: "purchase", postId: row.post_id }
                : {
                    kind: "tip",
                    postId: row.post_id,
                    commentId: row.comment_id,
                    recipientId: row.recipient_id
                  },
            block,
            amountRaw: block.amountRaw,
            baseRaw: row.base_raw,
            payTo: addressOfPublicKey(row.pay_to_key),
            payoutRevision: row.payout_revision,
            buyerId: row.buyer_id,
            late: match.kind === "pays" && match.late,
            version: row.version_sha256,
            isDuplicate,
            receiptHash: isDuplicate ? null : row.receipt_hash
          })
          if (isDuplicate) return yield* repo.addDuplicate(row.id, block.hash)
          yield* repo.pay(row.id, {
            blockHash: block.hash,
            receivedRaw: block.amountRaw,
            matchedBy: match.kind === "pays" ? match.matchedBy : "exact",
            late: match.kind === "pays" && match.late,
            settlementId: settlement.id
          })
          if (row.kind === "purchase" && row.post_id !== null) {
            const payer = { postId: row.post_id, buyerId: row.buyer_id, receiptHash: row.receipt_hash }
            yield* repo.cancelOthers(row.id, payer, yield* now)
          }
        },
        (effect) => transactions.run(effect),
        // An x402 payment of the same amount, for one.
        Effect.catchTag("BlockTaken", () => Effect.void)
      )

      const hitOf = ({ account, amountRaw, hash, ledgerTime }: LedgerBlock, at: Date): Hit => ({
        hash,
        payer: account,
        amountRaw,
        at: ledgerTime === null || ledgerTime > at ? at : ledgerTime,
        lookedAt: at
      })

      /** Reads a block again, and settles it or marks its session as seen. */
      const take = Effect.fnUntraced(function* (
        key: NanoPublicKey,
        hash: BlockHash,
        sessions: ReadonlyArray<Live>,
        at: Date
      ) {
        const block = Option.getOrUndefined(yield* ledger.block(hash))
        const isToKey = block?.subtype === "send" && block.link.toLowerCase() === key
        const match = block !== undefined && isToKey ? matchOf(hitOf(block, at), sessions) : undefined
        if (block === undefined || match === undefined) return
        if (block.isConfirmed) return yield* settle(match, block)
        if (match.kind === "pays" && match.session.seenBlock !== hash) yield* repo.see(match.session.id, hash)
      })

      /**
       * Takes the blocks that may pay one of the sessions, oldest first, because each changes what the next one
       * matches.
       */
      const takeAll = Effect.fnUntraced(function* (
        key: NanoPublicKey,
        blocks: ReadonlyArray<LedgerBlock>,
        live: ReadonlyArray<Live>,
        at: Date
      ) {
        const matching = blocks.filter((block) => matchOf(hitOf(block, at), live) !== undefined)
        const used = yield* repo.used(matching.map(({ hash }) => hash))
        let sessions = live
        for (const block of matching.toReversed()) {
          const match = used.has(block.hash) ? undefined : matchOf(hitOf(block, at), sessions)
          if (match === undefined) continue
          yield* take(key, block.hash, sessions, at)
          const now = Option.map(yield* repo.find(match.session.id), liveSessionOf)
          sessions = sessions.map((it) => (it.id === match.session.id ? Option.getOrElse(now, () => it) : it))
        }
        return sessions
      })

      /** Opens sessions again whose unconfirmed block the ledger has dropped. */
      const unsee = Effect.fnUntraced(function* (
        sessions: ReadonlyArray<Live>,
        there: ReadonlyArray<LedgerBlock>
      ) {
        for (const { id, seenBlock } of sessions) {
          if (seenBlock === null || there.some(({ hash }) => hash === seenBlock)) continue
          if (Option.isNone(yield* ledger.block(seenBlock))) yield* repo.see(id, null)
        }
      })

      const nextLook = (sessions: ReadonlyArray<Live>, at: Date) =>
        Math.min(
          FULL_LOOK_MILLIS,
          ...sessions.map(
            ({ row }) => 1_000 * lookSeconds({ createdAt: row.created_at, expiresAt: row.expires_at }, at)
          )
        )

      const sinceOf = (sessions: ReadonlyArray<Live>) =>
        sessions.reduce<Date | undefined>(
          (oldest, { createdAt }) => (oldest === undefined || createdAt < oldest ? createdAt : oldest),
          undefined
        )

      const lookAt = Effect.fnUntraced(function* (account: WatchedAccount, at: Date) {
        const { key } = account
        const live = yield* liveSessions(key)
        const isFull = account.swept_at === null || at >= later(account.swept_at, FULL_LOOK_MILLIS)
        const since = sinceOf(
          isFull ? live : live.filter(({ row }) => row.expires_at > at || isAttended(row.waited_until, at))
        )
        if (since === undefined) return { sessions: live, isFull }
        const blocks = yield* ledger.incoming(key, later(since, -CLOCK_SKEW_MILLIS))
        const sessions = yield* takeAll(key, blocks, live, at)
        yield* unsee(sessions, blocks)
        return { sessions, isFull }
      })

      const look = Effect.fn("Watching.look")(function* (account: WatchedAccount) {
        const at = yield* now
        const looked = yield* lookAt(account, at).pipe(
          Effect.catchTag("LedgerUnavailable", (away: LedgerUnavailable) =>
            Effect.as(Effect.logDebug("Could not ask the ledger about a watched address", away), undefined)
          )
        )
        if (looked === undefined) return yield* accounts.release(account, at, later(at, AWAY_MILLIS), null)
        const { isFull, sessions } = looked
        // Only after a look over all of them, so that a payment that came in time is matched first.
        if (isFull && sessions.some(({ lateUntil }) => lateUntil <= at)) yield* repo.close(account.key, at)
        if (account.active_until <= at && isFull) return yield* accounts.remove(account, at)
        yield* accounts.release(account, at, later(at, nextLook(sessions, at)), isFull ? at : null)
      })

      const notice = Effect.fn("Watching.notice")(
        function* (key: NanoPublicKey, block: LedgerBlock) {
          const at = yield* now
          yield* takeAll(key, [block], yield* liveSessions(key), at)
        },
        // The next look finds it.
        Effect.catchTag("LedgerUnavailable", () => Effect.void)
      )

      const askForLook = Effect.fn("Watching.askForLook")(function* (key: NanoPublicKey) {
        const at = yield* now
        if (yield* accounts.askForLook(key, at, later(at, -ASKED_LOOK_MILLIS))) yield* ring
      })

      return Watching.of({ claim: accounts.claim, look, notice, askForLook, keys: accounts.keys })
    })
  )
}
