import type { Transaction } from "../ports/StateStore.ts"

/** Milliseconds for which a process may work on something alone, without a sign of life. */
export const LEASE_MILLIS = 60_000

/** Takes a lease for an owner, or renews the owner's own. Returns false while another owner has it. */
export const takeLease = (
  tx: Transaction,
  name: string,
  owner: string,
  millis: number = LEASE_MILLIS
): boolean =>
  tx.run(
    `insert into leases (name, owner, ends_at) values (?, ?, ?)
     on conflict (name) do update set owner = excluded.owner, ends_at = excluded.ends_at
     where leases.owner = excluded.owner or leases.ends_at <= ?`,
    name,
    owner,
    tx.now + millis,
    tx.now
  ) === 1

/** Returns true while an owner has a lease. */
export const hasLease = (tx: Transaction, name: string, owner: string): boolean =>
  tx.first(`select 1 from leases where name = ? and owner = ? and ends_at > ?`, name, owner, tx.now) !==
  undefined

/** Ends the lease of an owner; that of another one stays. */
export const endLease = (tx: Transaction, name: string, owner: string): void => {
  tx.run(`delete from leases where name = ? and owner = ?`, name, owner)
}
