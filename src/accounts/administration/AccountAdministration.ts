import { Context, Effect, Layer, Option } from "effect"
import { AccountNotFound } from "../../../schemas/accounts/administration/rpc.ts"
import type { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { Owners } from "../owners/Owners.ts"
import { AuditLog, type Because } from "./AuditLog.ts"

/** An account after an administrator's action. */
export interface AdministeredAccount {
  readonly ownerId: OwnerId
  readonly handle: string
  readonly authorKind: AuthorKind
}

/** Changes to accounts that only an administrator makes. */
export class AccountAdministration extends Context.Service<
  AccountAdministration,
  {
    /**
     * Sets the author kind of an account back to `human` (spec 3.4b), and records the reason. A repeat changes and
     * records nothing. `handle` is compared in any case.
     */
    readonly removeAgentLabel: (
      administrator: AdministratorAuthority,
      handle: string,
      because: Because
    ) => Effect.Effect<AdministeredAccount, AccountNotFound>
  }
>()("pennypress/accounts/administration/AccountAdministration") {
  static readonly layer = Layer.effect(
    AccountAdministration,
    Effect.gen(function* () {
      const owners = yield* Owners
      const auditLog = yield* AuditLog
      const transactions = yield* Transactions

      return AccountAdministration.of({
        removeAgentLabel: Effect.fn("AccountAdministration.removeAgentLabel")(
          function* (administrator, handle, because) {
            const account = yield* owners.removeAgentLabel(handle)
            if (Option.isNone(account)) return yield* new AccountNotFound({ handle })
            const { handle: spelled, id, isChanged } = account.value
            if (isChanged) {
              const action = { action: "accounts.removeAgentLabel", subjectId: id, ...because }
              yield* auditLog.record(administrator, action)
            }
            return { ownerId: id, handle: spelled, authorKind: "human" as const }
          },
          (effect) => transactions.run(effect)
        )
      })
    })
  )
}
