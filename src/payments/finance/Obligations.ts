import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { NothingOwed } from "../../../schemas/payments/finance/errors.ts"
import type { Obligation, Obligations as ObligationList } from "../../../schemas/payments/finance/Finance.ts"
import {
  ObligationBlockMismatch,
  ObligationBlockUnconfirmed,
  ObligationLedgerAway,
  ObligationNotFound,
  ObligationNotOwed
} from "../../../schemas/payments/finance/rpc.ts"
import { NotFound, RevisionConflict } from "../../../schemas/platform/errors/common.ts"
import type { ObligationId } from "../../../schemas/platform/Ids.ts"
import { publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import type { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { AuditLog, type Because } from "../../accounts/administration/AuditLog.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { Notices } from "../../publishing/posts/Notices.ts"
import { Payees } from "../settlement/Payees.ts"
import { obligationOf } from "./obligation.ts"
import { obligationStatements } from "./obligations.sql.ts"

/**
 * Obligations of the platform: money that it collected from authors beyond their fees. The operator pays from a wallet
 * of their own, and records the block.
 */
export class Obligations extends Context.Service<
  Obligations,
  {
    readonly list: (owner: OwnerAuthority) => Effect.Effect<ObligationList>
    /** Turns a negative fee account into an obligation, and sets the account to zero. */
    readonly claim: (owner: OwnerAuthority) => Effect.Effect<Obligation, NothingOwed>
    /**
     * Binds an unpaid obligation to the payout address of this revision, which must be the current one. Saving a new
     * address alone never binds a blocked obligation (spec 2.4).
     */
    readonly bind: (
      owner: OwnerAuthority,
      id: ObligationId,
      revision: number
    ) => Effect.Effect<Obligation, NotFound | RevisionConflict>
    /** Lists unpaid obligations in a state, oldest first. */
    readonly waiting: (
      administrator: AdministratorAuthority,
      query: { readonly state: "owed" | "blocked"; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<Obligation>>
    /** Records that a block of the ledger paid an obligation. A repeat with the same block gets the same answer. */
    readonly pay: (
      administrator: AdministratorAuthority,
      id: ObligationId,
      block: BlockHash,
      because: Because
    ) => Effect.Effect<
      Obligation,
      | ObligationNotFound
      | ObligationNotOwed
      | ObligationBlockMismatch
      | ObligationBlockUnconfirmed
      | ObligationLedgerAway
    >
  }
>()("pennypress/payments/finance/Obligations") {
  static readonly layer = Layer.effect(
    Obligations,
    Effect.gen(function* () {
      const repo = yield* obligationStatements
      const payees = yield* Payees
      const notices = yield* Notices
      const auditLog = yield* AuditLog
      const ledger = yield* NanoLedger
      const random = yield* SecureRandom.SecureRandom
      const transactions = yield* Transactions

      const find = Effect.fnUntraced(function* (id: ObligationId) {
        const row = yield* repo.find(id)
        return Option.isSome(row)
          ? obligationOf(row.value)
          : yield* new ObligationNotFound({ obligationId: id })
      })

      /** Fails unless the block is a send of exactly this amount to the bound address, and confirmed. */
      const check = Effect.fnUntraced(function* (
        { amountRaw, boundAddress, id }: Obligation,
        hash: BlockHash
      ) {
        const found = yield* Effect.mapError(
          ledger.block(hash),
          () => new ObligationLedgerAway({ obligationId: id })
        )
        const isPaid =
          boundAddress !== null &&
          Option.exists(
            found,
            (block) =>
              block.subtype === "send" &&
              block.link === publicKeyOfAddress(boundAddress).toUpperCase() &&
              block.amountRaw === BigInt(amountRaw)
          )
        if (Option.isSome(found) && !isPaid) return yield* new ObligationBlockMismatch({ obligationId: id })
        if (!Option.exists(found, ({ isConfirmed }) => isConfirmed))
          return yield* new ObligationBlockUnconfirmed({ obligationId: id })
      })

      return Obligations.of({
        list: Effect.fn("Obligations.list")(function* ({ ownerId }) {
          return { data: (yield* repo.list(ownerId)).map(obligationOf) }
        }),

        claim: Effect.fn("Obligations.claim")(
          function* ({ ownerId }) {
            const amountRaw = yield* payees.takeNegative(ownerId)
            if (amountRaw <= 0n) return yield* new NothingOwed()
            const at = yield* now
            const row = yield* repo.insert(ownerId, { id: yield* random.uuidV7(), amountRaw, at })
            if (row.state === "blocked") {
              yield* notices.accountIssue({ ownerId, code: "obligation_blocked", cause: row.id, at })
            }
            return obligationOf(row)
          },
          (effect) => transactions.run(effect)
        ),

        bind: Effect.fn("Obligations.bind")(function* ({ ownerId }, id, revision) {
          const bound = yield* repo.bind(ownerId, id, revision)
          if (Option.isNone(bound)) return yield* new NotFound()
          const { is_bound, payout_revision } = bound.value
          // The obligation may be paid already, or the account may have no address.
          if (!is_bound)
            return yield* payout_revision === revision
              ? new RevisionConflict()
              : RevisionConflict.with(payout_revision)
          return yield* Effect.mapError(find(id), () => new NotFound())
        }),

        waiting: Effect.fn("Obligations.waiting")(function* (_administrator, { limit, state }) {
          return (yield* repo.waiting(state, limit)).map(obligationOf)
        }),

        pay: Effect.fn("Obligations.pay")(function* (administrator, id, block, because) {
          const isPaidBy = ({ state, transaction }: Obligation) =>
            transaction === block || state === "owed"
              ? Effect.succeed(transaction === block)
              : Effect.fail(new ObligationNotOwed({ obligationId: id, state }))
          const obligation = yield* find(id)
          if (yield* isPaidBy(obligation)) return obligation
          yield* check(obligation, block)
          const at = yield* now
          return yield* transactions.run(
            Effect.gen(function* () {
              yield* repo.hold(block)
              const current = yield* find(id)
              if (yield* isPaidBy(current)) return current
              if (!(yield* repo.pay(id, block, at))) {
                return yield* new ObligationBlockMismatch({ obligationId: id })
              }
              const action = { action: "payments.obligations.pay", subjectId: id, ...because }
              yield* auditLog.record(administrator, action)
              return yield* find(id)
            })
          )
        })
      })
    })
  )
}
