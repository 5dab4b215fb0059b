import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { statements } from "../../platform/sql/statements.ts"
import { type Claim, leases, type WorkQueue } from "../../platform/work/lease.ts"

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

export const watchedAccountQueue: WorkQueue = { table: "watched_accounts" }

/** Statements over the addresses with live sessions. The insertion of a session makes their rows. */
export const watchedAccountStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, run } = statements(sql, "watchedAccounts")
  const { due, held, leased } = leases(sql, watchedAccountQueue)
  const keys = many("keys", KeyRow)`select encode(key, 'hex') as key from watched_accounts`

  return {
    claim: (claim: Claim) => many("claim", WatchedAccount)`
      with ${due(claim)}
      update watched_accounts w set ${leased(claim)}, looked_at = null from due where w.id = due.id
      returning w.id, w.attempts, encode(w.key, 'hex') as key, w.active_until, w.due_at, w.swept_at`,

    /**
     * Ends the lease and sets the time of the next look, or an earlier one if a new session requested it meanwhile.
     * `sweptAt` is the beginning of a look over all live sessions; null keeps it.
     */
    release: (account: WatchedAccount, at: Date, dueAt: Date, sweptAt: Date | null) => run("release")`
      update watched_accounts set looked_at = ${at}, swept_at = coalesce(${sweptAt}::timestamptz, swept_at),
        due_at = case when due_at = ${account.due_at} then ${dueAt} else least(due_at, ${dueAt}) end
      where ${held(account)}`,

    /** Makes an address due unless it has a lease, or was looked at after `before`. */
    askForLook: (key: NanoPublicKey, at: Date, before: Date) => changed("askForLook")`
      update watched_accounts set due_at = ${at}
      where key = decode(${key}, 'hex') and due_at > ${at} and looked_at <= ${before}`,

    /** Ends the watch of an address unless it has a session again. */
    remove: (account: WatchedAccount, at: Date) =>
      run("remove")`delete from watched_accounts where ${held(account)} and active_until <= ${at}`,

    /** Returns the keys of all watched addresses. */
    keys: Effect.map(keys, (rows) => rows.map(({ key }) => key))
  }
})
