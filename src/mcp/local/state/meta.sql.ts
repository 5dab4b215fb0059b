import type { Transaction } from "../ports/StateStore.ts"

/** Names of single values. */
export type MetaName = "origin" | "version" | "installation" | "last-seen" | "nano-rpc"

/** Returns a single value. */
export const readMeta = (tx: Transaction, name: MetaName): string | undefined => {
  const value = tx.first(`select value from meta where name = ?`, name)?.["value"]
  return typeof value === "string" ? value : undefined
}

/** Saves a single value. */
export const saveMeta = (tx: Transaction, name: MetaName, value: string): void => {
  tx.run(
    `insert into meta (name, value) values (?, ?) on conflict (name) do update set value = excluded.value`,
    name,
    value
  )
}
