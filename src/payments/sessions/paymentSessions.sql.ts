import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import {
  type CommentId,
  type OwnerId,
  PaymentSessionId,
  type PostId,
  type SettlementId
} from "../../../schemas/platform/Ids.ts"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { isMissingReference } from "../../platform/sql/missingReference.ts"
import { statements } from "../../platform/sql/statements.ts"
import { saveVersion, versionColumns } from "../settlement/soldVersion.sql.ts"
import { SessionRow } from "./sessionRow.ts"

/** A session to save. */
export interface NewSession {
  readonly id: PaymentSessionId
  readonly kind: "purchase" | "tip"
  readonly postId: PostId | null
  readonly commentId: CommentId | null
  readonly recipientId: OwnerId
  readonly buyerId: OwnerId | null
  readonly keyHash: Uint8Array
  readonly intent: Uint8Array
  readonly tokenHash: Uint8Array
  readonly receiptHash: Uint8Array | null
  readonly payToKey: NanoPublicKey
  readonly payoutRevision: number | null
  readonly baseRaw: bigint
  readonly amountRaw: bigint
  readonly at: Date
  readonly expiresAt: Date
  readonly lateUntil: Date
}

/** The watch over the address of a new session: `id` names the watch unless the address has one. */
export interface NewWatch {
  readonly id: string
  readonly dueAt: Date
}

/** The payment of a session. */
export interface SessionPayment {
  readonly blockHash: BlockHash
  readonly receivedRaw: bigint
  readonly matchedBy: "exact" | "base"
  readonly late: boolean
  readonly settlementId: SettlementId
}

/** The sessions of a payer for a Post: their number, and the one that waits for its payment. */
const OfPayerRow = Schema.Struct({ made: Schema.Int, open_id: Schema.NullOr(PaymentSessionId) })

/** A payer of a Post: an account, or a browser by the hash of its receipt. */
interface Payer {
  readonly postId: PostId
  readonly buyerId: OwnerId | null
  readonly receiptHash: Uint8Array | null
}

const HashRow = Schema.Struct({ hash: BlockHash })

/** Statements over `payment_sessions`. Nothing removes a session. */
export const paymentSessionStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "paymentSessions")

  const columns = sql`
    s.id, s.kind, s.post_id, s.comment_id, s.recipient_id, s.buyer_id, s.intent, s.token_hash, s.receipt_hash,
    encode(s.pay_to_key, 'hex') as pay_to_key, s.payout_revision, s.base_raw, s.amount_raw, s.version_sha256,
    s.state, s.is_live,
    s.created_at, s.expires_at, s.cancelled_at, s.late_until, s.waited_until, s.said_sent_at,
    encode(s.said_payer, 'hex') as said_payer, encode(s.seen_hash, 'hex') as seen_hash,
    encode(s.block_hash, 'hex') as block_hash, s.received_raw, s.matched_by, s.is_late, s.settlement_id,
    array(select encode(d.hash, 'hex') from unnest(s.duplicates) with ordinality d (hash, n) order by d.n)
      as duplicates,
    (select p.id from purchases p where p.settlement_id = s.settlement_id) as purchase_id`

  const isPayer = ({ buyerId, postId, receiptHash }: Payer) => sql`
    kind = 'purchase' and post_id = ${postId} and (receipt_hash = ${receiptHash}::bytea or buyer_id = ${buyerId}::uuid)`

  /** Holds a Post that is for sale at the price of the session, with its version; a tip needs none. */
  const targetOf = ({ baseRaw, kind, postId }: NewSession) =>
    kind === "tip"
      ? sql`select null::bytea as version_sha256`
      : sql`
        select p.id as post_id, ${sql.literal(versionColumns)} from public_posts p
        where p.id = ${postId} and p.enable_paywall and p.price_raw = ${baseRaw.toString()}::numeric for share of p`

  /**
   * Saves a session with the version of the Post that it offers, and has its address watched. Returns `saved`; `taken` when a
   * session has the key already, or a live one the amount; `changed` when the Post has another price by now, or none; `gone`
   * when the target of a tip was deleted meanwhile.
   */
  const insert = Effect.fn("paymentSessions.insert")(
    function* (session: NewSession, watch: NewWatch) {
      const { at, keyHash, lateUntil, payToKey } = session
      const values: Record<string, Statement.Fragment> = {
        id: sql`${session.id}::uuid`,
        kind: sql`${session.kind}::text`,
        post_id: sql`${session.postId}::uuid`,
        comment_id: sql`${session.commentId}::uuid`,
        recipient_id: sql`${session.recipientId}::uuid`,
        buyer_id: sql`${session.buyerId}::uuid`,
        key_hash: sql`${keyHash}::bytea`,
        intent: sql`${session.intent}::bytea`,
        token_hash: sql`${session.tokenHash}::bytea`,
        receipt_hash: sql`${session.receiptHash}::bytea`,
        pay_to_key: sql`${hexToBytes(payToKey)}::bytea`,
        payout_revision: sql`${session.payoutRevision}::integer`,
        base_raw: sql`${session.baseRaw.toString()}::numeric`,
        amount_raw: sql`${session.amountRaw.toString()}::numeric`,
        version_sha256: sql`target.version_sha256`,
        created_at: sql`${at}::timestamptz`,
        expires_at: sql`${session.expiresAt}::timestamptz`,
        late_until: sql`${lateUntil}::timestamptz`
      }
      const [row] = yield* sql<{ readonly is_for_sale: boolean; readonly is_saved: boolean }>`
        with target as materialized (${targetOf(session)}),
        ${session.kind === "tip" ? sql`` : sql`version as (${saveVersion(sql, "target", at)}),`}
        made as (
          insert into payment_sessions (${sql.csv(Object.keys(values).map((column) => sql`${sql(column)}`))})
          select ${sql.csv(Object.values(values))} from target
          on conflict do nothing returning id),
        watched as (
          insert into watched_accounts as w (id, key, active_until, due_at)
          select ${watch.id}::uuid, ${hexToBytes(payToKey)}::bytea, ${lateUntil}::timestamptz, ${watch.dueAt}::timestamptz from made
          on conflict (key) do update set active_until = greatest(w.active_until, excluded.active_until),
            due_at = least(w.due_at, excluded.due_at))
        select exists (select from target) as is_for_sale, exists (select from made) as is_saved`
      if (row?.is_saved) return "saved"
      return row?.is_for_sale ? "taken" : "changed"
    },
    // The Post was deleted between the look at it and this statement.
    Effect.catchIf(isMissingReference, () => Effect.succeed("gone" as const)),
    Effect.orDie
  )

  return {
    insert,

    find: (id: PaymentSessionId) =>
      maybe("find", SessionRow)`select ${columns} from payment_sessions s where s.id = ${id}`,

    ofKey: (keyHash: Uint8Array) =>
      maybe("ofKey", SessionRow)`select ${columns} from payment_sessions s where s.key_hash = ${keyHash}`,

    /**
     * Counts the sessions of a payer for a Post, and returns the one that is offered again: not one at another price than the
     * present one, of another account, or that accepts no payment any more.
     */
    ofPayer: (payer: Payer, baseRaw: bigint, at: Date) => one("ofPayer", OfPayerRow)`
      select count(*)::integer as made,
        (array_agg(id order by created_at desc, id desc) filter (where base_raw = ${baseRaw.toString()}::numeric
          and is_live and (buyer_id is null or buyer_id = ${payer.buyerId}::uuid)
          and (state = 'seen' or (state = 'open' and expires_at > ${at}))))[1] as open_id
      from payment_sessions where ${isPayer(payer)}`,

    /** Gives a session of a browser to the account that signed in there since, so that its payment is the account's. */
    adopt: (id: PaymentSessionId, buyer: OwnerId) => run("adopt")`
      update payment_sessions set buyer_id = ${buyer} where id = ${id} and buyer_id is null and state = 'open'`,

    /**
     * Cancels what waits for a second payment of a payer who has the Post now. A session that is changed at this moment stays
     * as it is.
     */
    cancelOthers: (id: PaymentSessionId, payer: Payer, at: Date) => run("cancelOthers")`
      update payment_sessions set state = 'cancelled', cancelled_at = ${at} where id in (
        select id from payment_sessions where ${isPayer(payer)} and id <> ${id} and state = 'open' and expires_at > ${at}
        for no key update skip locked)`,

    /** Returns the session, and keeps others from changing it until the surrounding transaction ends. */
    lock: (id: PaymentSessionId) => one("lock", SessionRow)`
      select ${columns} from payment_sessions s where s.id = ${id} for no key update of s`,

    /** Returns the live sessions of an address. */
    live: (payToKey: NanoPublicKey) => many("live", SessionRow)`
      select ${columns} from payment_sessions s where s.pay_to_key = ${hexToBytes(payToKey)} and s.is_live`,

    /** Cancels a session that waits for its payment. */
    cancel: (id: PaymentSessionId, at: Date) => run("cancel")`
      update payment_sessions set state = 'cancelled', cancelled_at = ${at}
      where id = ${id} and state = 'open' and expires_at > ${at}`,

    /** Notes until when the holder of a session waits for its payment. */
    wait: (id: PaymentSessionId, until: Date) => run("wait")`
      update payment_sessions set waited_until = ${until} where id = ${id} and is_live and state <> 'paid'`,

    /** Notes that the holder of a session waits, and says that its payment was sent. */
    saySent: (id: PaymentSessionId, payer: NanoPublicKey | null, at: Date) => run("saySent")`
      update payment_sessions set waited_until = ${at}, said_sent_at = ${at},
        said_payer = ${payer === null ? null : hexToBytes(payer)}::bytea
      where id = ${id} and is_live and state <> 'paid'`,

    /** Marks an open session as seen with this unconfirmed block, or one that is seen as open again. */
    see: (id: PaymentSessionId, block: BlockHash | null) =>
      block === null
        ? run("unsee")`
            update payment_sessions set state = 'open', seen_hash = null where id = ${id} and state = 'seen'`
        : run("see")`
            update payment_sessions set state = 'seen', seen_hash = ${hexToBytes(block)}
            where id = ${id} and state in ('open', 'seen')`,

    pay: (
      id: PaymentSessionId,
      { blockHash, late, matchedBy, receivedRaw, settlementId }: SessionPayment
    ) => run("pay")`
      update payment_sessions set state = 'paid', seen_hash = null, block_hash = ${hexToBytes(blockHash)},
        received_raw = ${receivedRaw.toString()}::numeric, matched_by = ${matchedBy}, is_late = ${late},
        settlement_id = ${settlementId}
      where id = ${id}`,

    addDuplicate: (id: PaymentSessionId, block: BlockHash) => run("addDuplicate")`
      update payment_sessions set duplicates = duplicates || ${hexToBytes(block)}::bytea where id = ${id}`,

    /** Returns the blocks among these that paid for something. The ledger may have a refused one by now. */
    used: (blocks: ReadonlyArray<BlockHash>) =>
      blocks.length === 0
        ? Effect.succeed(new Set<BlockHash>())
        : Effect.map(
            many("used", HashRow)`
              select encode(block_hash, 'hex') as hash from settlements
              where block_hash = any(${blocks.map((hash) => hexToBytes(hash))}::bytea[]) and state <> 'refused'`,
            (rows) => new Set(rows.map(({ hash }) => hash))
          ),

    /** Lets unpaid sessions of an author's Posts forget the versions that they offered, which then go with their Posts. */
    forgetUnpaid: (author: OwnerId, limit: number) => changed("forgetUnpaid")`
      update payment_sessions set version_sha256 = null where ctid = any(array(
        select s.ctid from posts p join payment_sessions s on s.post_id = p.id
        where p.owner_id = ${author} and s.state <> 'paid' and not s.is_live and s.version_sha256 is not null
        limit ${limit}))`,

    /** Frees the amounts of an address's sessions that no longer accept late payments. */
    close: (payToKey: NanoPublicKey, at: Date) => run("close")`
      update payment_sessions set is_live = false
      where pay_to_key = ${hexToBytes(payToKey)} and is_live and late_until <= ${at}`
  }
})

/** Forgets what no one paid, for accounts that are deleted. */
export const paymentSessionErasure = Effect.map(paymentSessionStatements, ({ forgetUnpaid }) => ({
  forgetUnpaid
}))
