import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import { statements } from "../../platform/sql/statements.ts"
import { now } from "../../platform/time/now.ts"

/** An action of an administrator, such as `accounts.removeAgentLabel`, and its subject. */
export interface AdministratorAction {
  readonly action: string
  readonly subjectId: string
  readonly reason: string
}

/** The record of what administrators did, to whom, when and why. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Records an action, in the transaction that does it. */
    readonly record: (
      administrator: AdministratorAuthority,
      action: AdministratorAction
    ) => Effect.Effect<void>
  }
>()("pennypress/accounts/administration/AuditLog") {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const { run } = statements(sql, "AuditLog")

      return AuditLog.of({
        record: Effect.fnUntraced(function* (_administrator, { action, reason, subjectId }) {
          yield* run("record")`
            insert into administrator_actions (id, action, subject_id, reason, created_at)
            values (${yield* random.uuidV7()}, ${action}, ${subjectId}, ${reason}, ${yield* now})`
        })
      })
    })
  )
}
