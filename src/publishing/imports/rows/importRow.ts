import { Schema, Struct } from "effect"
import { ApiKeyId, ImportId, OwnerId } from "../../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import {
  ApplyRequest,
  type Import,
  ImportFailureCode,
  ImportKind,
  ImportOptions,
  ImportSite,
  type ImportState,
  PublishItemsRequest
} from "../../../../schemas/publishing/imports/Import.ts"
import { isWorking } from "./importState.ts"

/** The numbers that are known of an import, with the lines of all reports. */
export const Counts = Schema.Struct({
  items: Schema.Int,
  new: Schema.Int,
  update: Schema.Int,
  unchanged: Schema.Int,
  conflict: Schema.Int,
  skipped: Schema.Int,
  refused: Schema.Int,
  lost: Schema.Int,
  changed: Schema.Int,
  lines: Schema.Int
})
export type Counts = typeof Counts.Type

export const noCounts: Counts = {
  items: 0,
  new: 0,
  update: 0,
  unchanged: 0,
  conflict: 0,
  skipped: 0,
  refused: 0,
  lost: 0,
  changed: 0,
  lines: 0
}

/** Hosts of pictures that an import counts, at most. Pictures of further ones count together. */
export const HOSTS_COUNTED_MAX = 300

/** The pictures of an import, with the hosts of those that are elsewhere. A file chooses the hosts, so they are no keys. */
export const Images = Schema.Struct({
  inArchive: Schema.Int,
  remote: Schema.Int,
  hosts: Schema.Array(Schema.Tuple([Schema.String, Schema.Int])),
  /** Pictures of hosts that are not counted. */
  elsewhere: Schema.Int,
  admitted: Schema.Int,
  failed: Schema.Int
})
export type Images = typeof Images.Type

export const noImages: Images = { inArchive: 0, remote: 0, hosts: [], elsewhere: 0, admitted: 0, failed: 0 }

/** The members of a request that the worker needs. The items have their task in their own rows. */
export const ApplyChoices = ApplyRequest.mapFields(Struct.omit(["items"]))
export type ApplyChoices = typeof ApplyChoices.Type

export const PublishChoices = PublishItemsRequest.mapFields(Struct.omit(["items"]))
export type PublishChoices = typeof PublishChoices.Type

/** The work of an import that is applying, as its author asked for it. */
export const Action = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("apply"), choices: ApplyChoices }),
  Schema.Struct({ kind: Schema.Literal("publish"), choices: PublishChoices })
])
export type Action = typeof Action.Type

const ImportError = Schema.Struct({ code: ImportFailureCode, message: Schema.String, at: Timestamp })
export type ImportError = typeof ImportError.Type

/**
 * States that a row has. One that is `failing` or `cancelling` has ended for its author, and what was stored for it is being
 * removed. One that is `removing` is gone.
 */
const RowState = Schema.Literals([
  "awaiting_file",
  "reading",
  "review",
  "applying",
  "done",
  "failed",
  "cancelled",
  "failing",
  "cancelling",
  "removing"
])
export type RowState = typeof RowState.Type

/** Returns the state as an author sees it. No statement of an author returns an import that is being removed. */
export const stateOf = ({ state }: { readonly state: RowState }): ImportState => {
  if (state === "failing") return "failed"
  return state === "cancelling" || state === "removing" ? "cancelled" : state
}

/** An import as its row has it. */
export const ImportRow = Schema.Struct({
  id: ImportId,
  owner_id: OwnerId,
  state: RowState,
  kind: Schema.NullOr(ImportKind),
  file_name: Schema.String,
  byte_size: Schema.Int,
  received: Schema.Int,
  sha256: Schema.NullOr(Schema.String),
  options: Schema.fromJsonString(
    Schema.Struct({ ...ImportOptions.fields, kind: Schema.optionalKey(ImportKind) })
  ),
  site: Schema.NullOr(Schema.fromJsonString(ImportSite)),
  counts: Schema.fromJsonString(Counts),
  images: Schema.fromJsonString(Images),
  action: Schema.NullOr(Schema.fromJsonString(Action)),
  api_key_id: Schema.NullOr(ApiKeyId),
  done: Schema.Int,
  total: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.fromJsonString(ImportError)),
  created_at: Timestamp,
  began_at: Schema.Date,
  read_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp),
  expires_at: Timestamp,
  attempts: Schema.Int
})
export type ImportRow = typeof ImportRow.Type

/** A claimed import: the members that are the service's own, so that no file can make a claim of others fail. */
export const ClaimedImport = Schema.Struct({ id: ImportId, state: RowState, attempts: Schema.Int })
export type ClaimedImport = typeof ClaimedImport.Type

/** The columns of an {@link ImportRow}. */
export const importColumns = `
  i.id, i.owner_id, i.state, i.kind, i.file_name, i.byte_size::float8 as byte_size, i.received::float8 as received,
  i.sha256, i.options::text as options, i.site::text as site, i.counts::text as counts, i.images::text as images,
  i.action::text as action, i.api_key_id, i.done, i.total, i.error::text as error, wire_time(i.created_at) as created_at,
  i.began_at, wire_time(i.read_at) as read_at, wire_time(i.finished_at) as finished_at,
  wire_time(i.expires_at) as expires_at, i.attempts`

/** Seconds after which a caller looks at an import that works. */
const RETRY_SECONDS = 3

/** Hosts of pictures that an answer names, at most. */
const HOSTS_SHOWN_MAX = 20

const progressOf = (row: ImportRow): Import["progress"] => {
  if (row.state === "awaiting_file") return { phase: "file", done: row.received, total: row.byte_size }
  const phase = row.action?.kind ?? "reading"
  return { phase, done: row.done, total: row.total }
}

/** Returns an import as its author sees it. */
export const importOf = (row: ImportRow): Import => {
  const { lines: _, ...counts } = row.counts
  const { kind: _kind, ...options } = row.options
  const { elsewhere: _elsewhere, ...images } = row.images
  const hosts = images.hosts
    .map(([host, count]) => ({ host, count }))
    .toSorted((one, other) => other.count - one.count || (one.host < other.host ? -1 : 1))
    .slice(0, HOSTS_SHOWN_MAX)
  const state = stateOf(row)
  return {
    id: row.id,
    state,
    kind: row.kind,
    fileName: row.file_name,
    byteSize: row.byte_size,
    received: row.received,
    sha256: row.sha256,
    options,
    site: row.site ?? { title: null, url: null, language: null },
    counts,
    images: { ...images, hosts },
    progress: progressOf(row),
    error: row.error,
    createdAt: row.created_at,
    readAt: row.read_at,
    finishedAt: row.finished_at,
    expiresAt: row.expires_at,
    ...(isWorking(state) ? { retryAfterSeconds: RETRY_SECONDS } : {})
  }
}
