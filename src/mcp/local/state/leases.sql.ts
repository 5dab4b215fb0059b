import { Effect } from "effect"
import type { Transaction } from "../ports/StateStore.ts"

/**
 * Milliseconds for which a process may work on something alone, without a sign of life. They are few, so that the next
 * process soon goes on after one that was killed.
 */
export const LEASE_MILLIS = 5_000

/** Repeats a sign of life for as long as a work goes on. */
export const keptAlive =
  <E1, R1>(signOfLife: Effect.Effect<unknown, E1, R1>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | R1> =>
    Effect.raceFirst(work, signOfLife.pipe(Effect.ignore, Effect.delay(LEASE_MILLIS / 2), Effect.forever))

/** Returns the whole seconds until a lease ends that another process has. */
export const secondsUntil = (tx: Transaction, endsAt: number): number =>
  Math.max(1, Math.ceil((endsAt - tx.now) / 1_000))

/** Takes a lease for an owner, or renews the owner's own. Returns false while another owner has it. */
export const takeLease = (tx: Transaction, name: string, owner: string): boolean =>
  tx.run(
    `insert into leases (name, owner, ends_at) values (?, ?, ?)
     on conflict (name) do update set owner = excluded.owner, ends_at = excluded.ends_at
     where leases.owner = excluded.owner or leases.ends_at <= ?`,
    name,
    owner,
    tx.now + LEASE_MILLIS,
    tx.now
  ) === 1

/** Returns the seconds until the lease of another owner ends. */
export const secondsOfLease = (tx: Transaction, name: string): number =>
  secondsUntil(tx, Number(tx.first(`select ends_at from leases where name = ?`, name)?.["ends_at"] ?? tx.now))

/** Renews the lease of an owner who still has it. */
export const renewLease = (tx: Transaction, name: string, owner: string): void => {
  tx.run(`update leases set ends_at = ? where name = ? and owner = ?`, tx.now + LEASE_MILLIS, name, owner)
}

/** Returns true while an owner has a lease. */
export const hasLease = (tx: Transaction, name: string, owner: string): boolean =>
  tx.first(`select 1 from leases where name = ? and owner = ? and ends_at > ?`, name, owner, tx.now) !==
  undefined

/** Ends the lease of an owner; that of another one stays. */
export const endLease = (tx: Transaction, name: string, owner: string): void => {
  tx.run(`delete from leases where name = ? and owner = ?`, name, owner)
}
