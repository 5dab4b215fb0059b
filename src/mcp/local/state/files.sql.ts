import { Schema } from "effect"
import type { Transaction } from "../ports/StateStore.ts"

const FileRow = Schema.Struct({
  path: Schema.String,
  byte_size: Schema.Finite,
  sha256: Schema.String
})

/** A file that was downloaded. */
export interface DownloadedFile {
  readonly path: string
  readonly byteSize: number
  readonly sha256: string
}

const decode = Schema.decodeUnknownSync(FileRow)

/** Returns the download of an attachment. */
export const readDownload = (tx: Transaction, attachmentId: string): DownloadedFile | undefined => {
  const found = tx.first(`select * from files where kind = 'download' and subject_id = ?`, attachmentId)
  if (found === undefined) return undefined
  const { byte_size: byteSize, path, sha256 } = decode(found)
  return { path, byteSize, sha256 }
}

/** Saves the download of an attachment. It replaces an earlier one. */
export const saveDownload = (
  tx: Transaction,
  attachmentId: string,
  { byteSize, path, sha256 }: DownloadedFile
): void => {
  tx.run(
    `insert into files (path, kind, subject_id, byte_size, sha256, saved_at) values (?, 'download', ?, ?, ?, ?)
     on conflict (path) do update set byte_size = excluded.byte_size, sha256 = excluded.sha256,
       saved_at = excluded.saved_at`,
    path,
    attachmentId,
    byteSize,
    sha256,
    tx.now
  )
}
