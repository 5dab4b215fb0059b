import { Context, Effect, Layer, Option } from "effect"
import type { AccountNotFound } from "../../../schemas/accounts/administration/rpc.ts"
import type { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { OperatorOnly, StaffAuthority } from "../../../schemas/platform/security/moderator.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import type { NamedAccount } from "../owners/owners.sql.ts"
import { Owners } from "../owners/Owners.ts"
import { type Account, accountStatements } from "./accounts.sql.ts"
import { AuditLog, type Because } from "./AuditLog.ts"
import { accountNotFound, Moderators } from "./Moderators.ts"

/** An account after an administrator's action. */
export interface AdministeredAccount {
  readonly ownerId: OwnerId
  readonly handle: string
  readonly authorKind: AuthorKind
}

/** Accounts as administrators and moderators find and change them. */
export class AccountAdministration extends Context.Service<
  AccountAdministration,
  {
    /**
     * Sets the author kind of an account back to `human` (spec 3.4b), and records the reason. A repeat changes and
     * records nothing. A moderator does this to no moderator.
     */
    readonly removeAgentLabel: (
      authority: StaffAuthority,
      account: NamedAccount,
      because: Because
    ) => Effect.Effect<AdministeredAccount, AccountNotFound | OperatorOnly>
    readonly find: (authority: StaffAuthority, account: NamedAccount) => Effect.Effect<Option.Option<Account>>
  }
>()("pennypress/accounts/administration/AccountAdministration") {
  static readonly layer = Layer.effect(
    AccountAdministration,
    Effect.gen(function* () {
      const owners = yield* Owners
      const accounts = yield* accountStatements
      const auditLog = yield* AuditLog
      const moderators = yield* Moderators
      const transactions = yield* Transactions

      return AccountAdministration.of({
        removeAgentLabel: Effect.fn("AccountAdministration.removeAgentLabel")(
          function* (authority, account, because) {
            const changed = yield* owners.removeAgentLabel(account)
            if (Option.isNone(changed)) return yield* accountNotFound(account)
            const { handle: spelled, id, isChanged } = changed.value
            yield* moderators.protect(authority, id)
            if (isChanged) {
              const action = { action: "accounts.removeAgentLabel", subjectId: id, ...because }
              yield* auditLog.record(authority, action)
            }
            return { ownerId: id, handle: spelled, authorKind: "human" as const }
          },
          (effect) => transactions.run(effect)
        ),
        find: Effect.fn("AccountAdministration.find")((_authority, account) => accounts.find(account))
      })
    })
  )
}
