import { Context, Effect, Layer, Option } from "effect"
import { AccountNotFound, type Moderator } from "../../../schemas/accounts/administration/rpc.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  ModeratorAuthority,
  OperatorOnly,
  type StaffAuthority
} from "../../../schemas/platform/security/moderator.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import type { NamedAccount } from "../owners/owners.sql.ts"
import { AuditLog, type Because } from "./AuditLog.ts"
import { type ModeratorRow, moderatorStatements } from "./moderators.sql.ts"

/** Makes the failure for an account that does not exist. */
export const accountNotFound = (account: NamedAccount) =>
  new AccountNotFound({ handle: "id" in account ? account.id : account.handle })

/** Accounts that administrators made moderators. Each acts in a browser, under its own name. */
export class Moderators extends Context.Service<
  Moderators,
  {
    /** Makes an account a moderator. A repeat changes and records nothing. `handle` is compared in any case. */
    readonly add: (
      administrator: AdministratorAuthority,
      handle: string,
      because: Because
    ) => Effect.Effect<Moderator, AccountNotFound>
    /** Ends the right of an account to moderate. A repeat changes and records nothing. */
    readonly remove: (
      administrator: AdministratorAuthority,
      handle: string,
      because: Because
    ) => Effect.Effect<{ readonly ownerId: OwnerId; readonly handle: string }, AccountNotFound>
    /** Lists the moderators, in the order in which they were added. */
    readonly list: (administrator: AdministratorAuthority) => Effect.Effect<ReadonlyArray<Moderator>>
    /** Returns the authority of a moderator; none for any other account, and for one that is restricted. */
    readonly authorityOf: (browser: BrowserAuthority) => Effect.Effect<Option.Option<ModeratorAuthority>>
    /** Returns true for a moderator whose account is not restricted. It does not prove that the moderator is asking. */
    readonly isActive: (owner: OwnerId) => Effect.Effect<boolean>
    /**
     * Keeps accounts of moderators, also their own, from the actions of moderators. Only the operator judges those who
     * judge others.
     */
    readonly protect: (authority: StaffAuthority, owner: OwnerId) => Effect.Effect<void, OperatorOnly>
  }
>()("pennypress/accounts/administration/Moderators") {
  static readonly layer = Layer.effect(
    Moderators,
    Effect.gen(function* () {
      const moderators = yield* moderatorStatements
      const auditLog = yield* AuditLog
      const transactions = yield* Transactions

      const record = (action: string) =>
        Effect.fnUntraced(function* <Row extends { readonly id: OwnerId; readonly is_changed: boolean }>(
          administrator: AdministratorAuthority,
          handle: string,
          account: Option.Option<Row>,
          because: Because
        ) {
          if (Option.isNone(account)) return yield* new AccountNotFound({ handle })
          const { id, is_changed } = account.value
          if (is_changed) yield* auditLog.record(administrator, { action, subjectId: id, ...because })
          return account.value
        })
      const added = record("moderators.add")
      const removed = record("moderators.remove")

      return Moderators.of({
        add: Effect.fn("Moderators.add")(
          function* (administrator, handle, because) {
            const account = yield* moderators.add(handle, yield* now)
            return moderatorOf(yield* added(administrator, handle, account, because))
          },
          (effect) => transactions.run(effect)
        ),
        remove: Effect.fn("Moderators.remove")(
          function* (administrator, handle, because) {
            const account = yield* moderators.remove(handle)
            const { handle: spelled, id } = yield* removed(administrator, handle, account, because)
            return { ownerId: id, handle: spelled }
          },
          (effect) => transactions.run(effect)
        ),
        list: Effect.fn("Moderators.list")((_administrator) =>
          Effect.map(moderators.list, (rows) => rows.map(moderatorOf))
        ),
        authorityOf: Effect.fn("Moderators.authorityOf")(({ ownerId }) =>
          Effect.map(
            moderators.acting(ownerId),
            Option.map(({ handle }) => ModeratorAuthority.make({ kind: "moderator", ownerId, handle }))
          )
        ),
        isActive: Effect.fn("Moderators.isActive")((owner) =>
          Effect.map(moderators.acting(owner), Option.isSome)
        ),
        protect: Effect.fn("Moderators.protect")(function* (authority, owner) {
          if (authority.kind === "administrator") return
          if (owner === authority.ownerId) return yield* new OperatorOnly({ subject: "own" })
          if (yield* moderators.includes(owner)) return yield* new OperatorOnly({ subject: "moderator" })
        })
      })
    })
  )
}

const moderatorOf = ({ added_at, handle, id, is_restricted }: ModeratorRow): Moderator => ({
  ownerId: id,
  handle,
  isRestricted: is_restricted,
  addedAt: added_at
})
