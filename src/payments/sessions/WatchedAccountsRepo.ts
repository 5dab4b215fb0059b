import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { statements } from "../../platform/sql/statements.ts"
import { type Claim, leases } from "../../platform/work/lease.ts"

/** An address to look at, under a lease that ends at `due_at`. */
export const WatchedAccount = Schema.Struct({
  id: Schema.String,
  attempts: Schema.Int,
  key: NanoPublicKey,
  active_until: Schema.Date,
  due_at: Schema.Date,
  swept_at: Schema.NullOr(Schema.Date)
})
export type WatchedAccount = typeof WatchedAccount.Type

const KeyRow = Schema.Struct({ key: NanoPublicKey })

/** The addresses with live sessions. The insertion of a session makes their rows. */
export class WatchedAccountsRepo extends Context.Service<
  WatchedAccountsRepo,
  {
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<WatchedAccount>>
    /**
     * Ends the lease and sets the time of the next look, or an earlier one if a new session requested it meanwhile.
     * `sweptAt` is the beginning of a look over all live sessions; null keeps it.
     */
    readonly release: (
      account: WatchedAccount,
      at: Date,
      dueAt: Date,
      sweptAt: Date | null
    ) => Effect.Effect<void>
    /** Makes an address due unless it has a lease, or was looked at after `before`. */
    readonly askForLook: (key: NanoPublicKey, at: Date, before: Date) => Effect.Effect<boolean>
    /** Ends the watch of an address unless it has a session again. */
    readonly remove: (account: WatchedAccount, at: Date) => Effect.Effect<void>
    /** Returns the keys of all watched addresses. */
    readonly keys: Effect.Effect<ReadonlyArray<NanoPublicKey>>
  }
>()("pennypress/payments/sessions/WatchedAccountsRepo") {
  static readonly layer = Layer.effect(
    WatchedAccountsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { changed, many, run } = statements(sql, "WatchedAccountsRepo")
      const { due, held, leased } = leases(sql, "watched_accounts")
      const keys = many("keys", KeyRow)`select encode(key, 'hex') as key from watched_accounts`

      return WatchedAccountsRepo.of({
        claim: (claim) => many("claim", WatchedAccount)`
          with ${due(claim)}
          update watched_accounts w set ${leased(claim)}, looked_at = null from due where w.id = due.id
          returning w.id, w.attempts, encode(w.key, 'hex') as key, w.active_until, w.due_at, w.swept_at`,

        release: (account, at, dueAt, sweptAt) => run("release")`
          update watched_accounts set looked_at = ${at}, swept_at = coalesce(${sweptAt}::timestamptz, swept_at),
            due_at = case when due_at = ${account.due_at} then ${dueAt} else least(due_at, ${dueAt}) end
          where ${held(account)}`,

        askForLook: (key, at, before) => changed("askForLook")`
          update watched_accounts set due_at = ${at}
          where key = decode(${key}, 'hex') and due_at > ${at} and looked_at <= ${before}`,

        remove: (account, at) =>
          run("remove")`delete from watched_accounts where ${held(account)} and active_until <= ${at}`,

        keys: Effect.map(keys, (rows) => rows.map(({ key }) => key))
      })
    })
  )
}
