import { createHash } from "node:crypto"

/** A version of a Post, as its digest covers it. */
export interface Version {
  readonly title: string
  readonly free: string | null
  readonly paid: string | null
  readonly files: ReadonlyArray<{ readonly id: string; readonly sha256: string }>
}

/** Computes the digest of a version as a buyer does, by what the documentation says of it. */
export const versionSha256 = ({ files, free, paid, title }: Version): string => {
  const byId = files.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const canonical = { files: byId.map(({ id, sha256 }) => ({ id, sha256 })), free, paid, title }
  return createHash("sha256").update(JSON.stringify(canonical), "utf8").digest("hex")
}
