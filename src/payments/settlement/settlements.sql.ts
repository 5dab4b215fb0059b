import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CommentId, OwnerId, SettlementId } from "../../../schemas/platform/Ids.ts"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import type { BlockHash, BlockWork } from "../../../schemas/platform/NanoBlock.ts"
import { statements } from "../../platform/sql/statements.ts"
import { type Claim as WorkClaim, leases, type Lease, type WorkQueue } from "../../platform/work/lease.ts"
import { adoptStatement } from "./adopt.sql.ts"
import { type Claim, claimStatement, obstacleStatement } from "./claim.sql.ts"
import { commitStatements } from "./commit.sql.ts"
import type { Look } from "./settlement.ts"
import { settlementColumns, SettlementRow } from "./settlementRow.ts"

type PaymentTarget = Claim["target"]

/** The payer of a request, and the block that it brought. */
export interface Payer {
  readonly blockHash: BlockHash
  readonly payerKey: NanoPublicKey
  readonly buyerId: OwnerId | null
  /** Distinguishes an identical tip that is still settling from a different one. */
  readonly amountRaw?: bigint
}

/** A payment that may repeat one that was refused. */
export interface Repeat {
  /** Null when the block of the payment has no hash. */
  readonly blockHash: BlockHash | null
  /** SHA-256 of the payload's canonical JSON. */
  readonly payloadHash: Uint8Array
}

const EarlierRow = SettlementRow.pipe(
  Schema.fieldsAssign({
    is_block: Schema.Boolean,
    is_by_owner: Schema.Boolean,
    is_by_wallet: Schema.Boolean
  })
)

const BacklogRow = Schema.Struct({ unresolved: Schema.Int, oldest_settling: Schema.NullOr(Schema.Date) })

/** Number of refused settlements that are removed at a time. */
const REMOVED_MAX = 1000

const targetIdOf = (target: PaymentTarget): CommentId | string =>
  target.kind === "purchase" ? target.postId : (target.commentId ?? target.postId ?? target.recipientId)

const LACKS_WORK = "block ->> 'work' is null and made_work is null"

/** The settlements whose blocks have their work, and those whose blocks lack it. */
export const settlementQueue: WorkQueue = {
  table: "settlements",
  condition: `due_at is not null and not (${LACKS_WORK})`
}
export const missingWorkQueue: WorkQueue = {
  table: "settlements",
  condition: `due_at is not null and ${LACKS_WORK}`
}

/** Statements over `settlements`, and what the commit makes of them. */
export const settlementStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "settlements")
  const { due, held, leased } = leases(sql, settlementQueue)
  const columns = sql.literal(settlementColumns)
  const { holdPost, insertSettled, sellVersion, settle } = commitStatements(sql)
  const bytes = (hex: string) => sql`decode(${hex}, 'hex')`

  return {
    claim: claimStatement(sql),
    holdPost,
    insertSettled,
    sellVersion,
    settle,

    find: (id: SettlementId) =>
      maybe("find", SettlementRow)`select ${columns} from settlements s where s.id = ${id}`,

    ofIdentifier: (target: PaymentTarget, identifier: string) => maybe("ofIdentifier", SettlementRow)`
      select ${columns} from settlements s
      where s.target_id = ${targetIdOf(target)} and s.kind = ${target.kind} and s.payment_identifier = ${identifier}
        and s.state <> 'refused'`,

    // A quote has at most one settlement that was not refused, which comes first.
    ofQuote: (target: PaymentTarget, quoteHash: Uint8Array, repeat?: Repeat) => maybe(
      "ofQuote",
      SettlementRow
    )`
      with found as materialized (
        select id from settlements where quote_hash = ${quoteHash} and state <> 'refused'
        union all select id from settlements
          where block_hash = decode(${repeat?.blockHash ?? null}::text, 'hex') and quote_hash = ${quoteHash}
            and payload_hash = ${repeat?.payloadHash ?? null}::bytea and state = 'refused'
      )
      select ${columns} from found join settlements s on s.id = found.id
      where s.target_id = ${targetIdOf(target)} and s.kind = ${target.kind} order by s.state = 'refused' limit 1`,

    earlier: (target: PaymentTarget, { amountRaw, blockHash, buyerId, payerKey }: Payer) => {
      const wallet = sql`(select wallet_public_key from owners where id = ${buyerId}::uuid)`
      const isThis =
        target.kind === "purchase"
          ? sql`s.kind = 'purchase' and s.state in ('settling', 'settled')`
          : sql`s.kind = 'tip' and s.state = 'settling' and s.target_id = ${targetIdOf(target)}
              and s.amount_raw = ${String(amountRaw ?? 0n)}::numeric`
      // Written out, because no index serves a comparison that treats nulls as equal.
      const isOfPost = target.postId === null ? sql`post_id is null` : sql`post_id = ${target.postId}`
      return many("earlier", EarlierRow)`
        with found as materialized (
          select id from settlements where block_hash = ${bytes(blockHash)} and state <> 'refused'
          union select id from settlements where payer_key = ${bytes(payerKey)} and ${isOfPost}
          union select id from settlements where payer_key = ${wallet} and ${isOfPost}
          union select id from settlements where buyer_id = ${buyerId}::uuid and ${isOfPost}
        )
        select * from (
          select ${columns}, s.block_hash = ${bytes(blockHash)} as is_block,
            s.kind = 'purchase' and ${isThis} and (s.buyer_id is not distinct from ${buyerId}::uuid or s.payer_key is not distinct from ${wallet})
              and ${buyerId}::uuid is not null as is_by_owner,
            ${isThis} and s.payer_key = ${bytes(payerKey)}
              and (s.buyer_id is null or ${buyerId}::uuid is null) as is_by_wallet
          from found join settlements s on s.id = found.id where s.state <> 'refused') seen
        where is_block or is_by_owner or is_by_wallet order by is_duplicate, created_at`
    },

    /** Says why a claim found no place. */
    obstacle: obstacleStatement(sql),

    /** Takes the lease of an unresolved settlement, even from another holder. */
    lease: (id: SettlementId, until: Date) => maybe("lease", SettlementRow)`
      update settlements s set due_at = ${until}, attempts = attempts + 1, looked_at = null
      where s.id = ${id} and s.due_at is not null returning ${columns}`,

    /** Claims settlements that are due and whose blocks have their work. */
    claimDue: (claim: WorkClaim) => many("claimDue", SettlementRow)`
      with ${due(claim)}
      update settlements s set ${leased(claim)}, looked_at = null from due where s.id = due.id returning ${columns}`,

    /** Claims settlements that are due and whose blocks lack their work. */
    claimWithoutWork: (claim: WorkClaim) => many("claimWithoutWork", SettlementRow)`
      with ${leases(sql, missingWorkQueue).due(claim)}
      update settlements s set ${leased(claim)}, looked_at = null from due where s.id = due.id returning ${columns}`,

    /** Prolongs a lease that has not ended. */
    prolong: (lease: Lease, at: Date, until: Date) => changed("prolong")`
      update settlements set due_at = ${until} where ${held(lease)} and due_at > ${at}`,

    /** Makes a settlement due at a moment, under its lease, and saves what a look found that did not end it. */
    release: (lease: Lease, dueAt: Date, look?: Look) => changed("release")`
      update settlements set due_at = ${dueAt}, code = coalesce(${look?.code ?? null}::text, code),
        looked_at = ${look?.at ?? null}::timestamptz, sent_at = coalesce(${look?.sentAt ?? null}::timestamptz, sent_at)
      where ${held(lease)} and due_at is not null`,

    /** Makes an unresolved settlement due unless it has a lease, or was looked at after `before`. */
    askForLook: (id: SettlementId, at: Date, before: Date) => changed("askForLook")`
      update settlements set due_at = ${at} where id = ${id} and due_at > ${at} and looked_at <= ${before}`,

    /** Makes an unresolved settlement due, even under a lease. */
    makeDue: (hash: BlockHash, at: Date) => changed("makeDue")`
      update settlements set due_at = ${at} where block_hash = ${bytes(hash)} and due_at > ${at}`,

    /** Keeps work that a server generated, or drops it, so that it is generated again. */
    saveWork: (id: SettlementId, work: BlockWork | null) => run("saveWork")`
      update settlements set made_work = ${work}::text where id = ${id} and due_at is not null`,

    /** Ends a settlement whose block can never be confirmed. */
    refuse: (id: SettlementId, code: string) => changed("refuse")`
      update settlements set state = 'refused', code = ${code}, due_at = null where id = ${id} and state = 'settling'`,

    /** Gives up on a settlement, which is looked at rarely from now on. */
    lapse: (id: SettlementId, at: Date, dueAt: Date) => changed("lapse")`
      update settlements set state = 'lapsed', due_at = ${dueAt}, looked_at = ${at} where id = ${id} and state = 'settling'`,

    /** Gives a purchase without an account to one. Returns false when that has the Post already, or another has this one. */
    adopt: adoptStatement(sql),

    backlog: one("backlog", BacklogRow)`
      select count(*)::integer as unresolved, min(created_at) filter (where state = 'settling') as oldest_settling
      from settlements where due_at is not null`,

    /** Removes refused settlements that were made before a moment. */
    removeRefused: (before: Date) => run("removeRefused")`
      delete from settlements where id in (
        select id from settlements where state = 'refused' and created_at < ${before}
        limit ${REMOVED_MAX} for update skip locked)`
  }
})
