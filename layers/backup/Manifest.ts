import { Schema } from "effect"
import { ObjectKey } from "../../src/platform/ports/ObjectStorage.ts"

/** A file of a backup: its size in bytes, and its SHA-256 in hex. */
const File = Schema.Struct({ key: ObjectKey, bytes: Schema.Int, sha256: Schema.String })
export type File = typeof File.Type

/** The rows of a table, one JSON object a line, compressed with gzip. */
const Table = Schema.Struct({ name: Schema.String, rows: Schema.Int, file: File })
export type Table = typeof Table.Type

/** The list of everything in a backup. It is written last: a backup without it was cut off. */
export const Manifest = Schema.Struct({
  /** Form of this list and of the files. */
  format: Schema.Literal(1),
  release: Schema.String,
  /** The newest migration of the database. */
  migration: Schema.Int,
  /** The moment of the database, in UTC. */
  takenAt: Schema.String,
  tables: Schema.Array(Table),
  /** A gzip file with one line of JSON for each object: `{"key": …, "bytes": …, "sha256": …, "contentType": …}`. */
  objects: File,
  objectCount: Schema.Int,
  /** Tells whether a secret is that of the service: an HMAC of a fixed text under it. It does not give the secret away. */
  secretFingerprint: Schema.String,
  hasSecret: Schema.Boolean
})
export type Manifest = typeof Manifest.Type

/** A line of the list of objects. */
export const StoredFile = Schema.Struct({ ...File.fields, contentType: Schema.String })
export type StoredFile = typeof StoredFile.Type

const NAME = /^\d{4}-\d{2}-\d{2}t\d{2}-\d{2}-\d{2}z-[0-9a-f]{4}$/

/** Returns the beginning of the names of backups of this second: names sort by time. */
export const momentOf = (at: Date) => `${at.toISOString().slice(0, 19).replaceAll(":", "-").toLowerCase()}z`

/** Returns the name of a backup. Two random bytes tell apart those that begin in one second. */
export const nameOf = (at: Date, random: Uint8Array) =>
  `${momentOf(at)}-${Buffer.from(random).toString("hex")}`

export const isName = (text: string) => NAME.test(text)

/** The keys of a backup. */
export const keysOf = (name: string) => ({
  manifest: ObjectKey.make(`${name}/manifest.json`),
  table: (table: string) => ObjectKey.make(`${name}/database/${table}.jsonl.gz`),
  objects: ObjectKey.make(`${name}/objects.jsonl.gz`),
  object: (key: ObjectKey) => ObjectKey.make(`${name}/objects/${key}`),
  secret: ObjectKey.make(`${name}/server-secret`),
  /** Written first. A store of images that shows it contains the place of the backups. */
  begun: ObjectKey.make(`${name}/begun`)
})
