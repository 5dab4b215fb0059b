import { Context, Effect, Layer, Option } from "effect"
import {
  SettlementNotFound,
  type SettlementReport,
  SETTLEMENTS_DEFAULT,
  type UnresolvedPage,
  type UnresolvedQuery
} from "../../../schemas/payments/settlement/rpc.ts"
import type { SettlementId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import type { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import { AuditLog, type Because } from "../../accounts/administration/AuditLog.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { later, now } from "../../platform/time/now.ts"
import { LEASE_MILLIS } from "./settlement.ts"
import { settlementStatements } from "./settlements.sql.ts"
import { Settlements } from "./Settlements.ts"
import { type ReportRow, unresolvedStatements } from "./unresolvedSettlements.sql.ts"

const reportOf = (row: ReportRow): SettlementReport => ({
  id: row.id,
  kind: row.kind,
  channel: row.channel,
  state: row.state,
  lastFailure: row.code,
  postId: row.post_id,
  commentId: row.comment_id,
  recipientId: row.recipient_id,
  buyerId: row.buyer_id,
  transaction: row.transaction,
  payer: addressOfPublicKey(row.payer_key),
  payTo: addressOfPublicKey(row.pay_to_key),
  amountRaw: row.amount_raw,
  looks: row.attempts,
  createdAt: row.created_at,
  ageSeconds: row.age_seconds,
  nextLookAt: row.due_at
})

/**
 * Settlements without a known outcome, for operators. Only the ledger decides their outcome: nothing here sets a state.
 */
export class UnresolvedSettlements extends Context.Service<
  UnresolvedSettlements,
  {
    /** Lists settlements that are settling or lapsed, oldest first. */
    readonly list: (
      administrator: AdministratorAuthority,
      query: UnresolvedQuery
    ) => Effect.Effect<UnresolvedPage>
    /**
     * Looks at the ledger now, as a worker does when a settlement is due, and records that in the audit log. A settlement
     * that has ended is returned as it is.
     */
    readonly look: (
      administrator: AdministratorAuthority,
      id: SettlementId,
      because: Because
    ) => Effect.Effect<SettlementReport, SettlementNotFound>
  }
>()("pennypress/payments/settlement/UnresolvedSettlements") {
  static readonly layer = Layer.effect(
    UnresolvedSettlements,
    Effect.gen(function* () {
      const repo = yield* unresolvedStatements
      const settlements = yield* settlementStatements
      const { resume } = yield* Settlements
      const auditLog = yield* AuditLog
      const transactions = yield* Transactions

      return UnresolvedSettlements.of({
        list: Effect.fn("UnresolvedSettlements.list")(function* (
          _administrator,
          { cursor: after, limit = SETTLEMENTS_DEFAULT, state }
        ) {
          const rows = yield* repo.list({ state, after, limit: limit + 1, at: yield* now })
          const shown = rows.slice(0, limit)
          const nextCursor = rows.length > limit ? (shown.at(-1)?.id ?? null) : null
          return { settlements: shown.map(reportOf), nextCursor }
        }),

        look: Effect.fn("UnresolvedSettlements.look")(function* (administrator, id, because) {
          const leaseUntil = later(yield* now, LEASE_MILLIS)
          const leased = yield* transactions.run(
            Effect.gen(function* () {
              const row = yield* settlements.lease(id, leaseUntil)
              const action = { action: "payments.settlements.look", subjectId: id, ...because }
              if (Option.isSome(row)) yield* auditLog.record(administrator, action)
              return row
            })
          )
          if (Option.isSome(leased)) yield* resume(leased.value)
          const found = yield* repo.find(id, yield* now)
          return Option.isSome(found)
            ? reportOf(found.value)
            : yield* new SettlementNotFound({ settlementId: id })
        })
      })
    })
  )
}
