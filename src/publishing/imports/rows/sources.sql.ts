import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import { statements } from "../../../platform/sql/statements.ts"

/** A source with the Post that an import made of it. */
const SourceRow = Schema.Struct({
  source_key: Schema.String,
  post_id: PostId,
  revision: Timestamp,
  sha256: Schema.String,
  written_sha256: Schema.String,
  /** The revision that the Post has now; null once it is deleted. */
  current: Schema.NullOr(Timestamp),
  slug: Schema.NullOr(Schema.String)
})
export type SourceRow = typeof SourceRow.Type

interface Source {
  readonly owner: OwnerId
  readonly sourceKey: string
  readonly postId: PostId
  readonly revision: Timestamp
  readonly sha256: string
  readonly writtenSha256: string
}

/** Statements over `import_sources`: the Posts that imports made, by their sources. */
export const sourceStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, run } = statements(sql, "importSources")
  return {
    find: (owner: OwnerId, keys: ReadonlyArray<string>) => many("find", SourceRow)`
      select s.source_key, s.post_id, wire_time(s.revision) as revision, s.sha256, s.written_sha256,
        wire_time(p.updated_at) as current, p.slug
      from import_sources s left join posts p on p.id = s.post_id
      where s.owner_id = ${owner} and s.source_key = any(${keys}::text[])`,

    save: (it: Source) => run("save")`
      insert into import_sources (owner_id, source_key, post_id, revision, sha256, written_sha256)
      values (${it.owner}, ${it.sourceKey}, ${it.postId}, ${it.revision}::timestamptz, ${it.sha256}, ${it.writtenSha256})
      on conflict (owner_id, source_key) do update
      set post_id = excluded.post_id, revision = excluded.revision, sha256 = excluded.sha256,
        written_sha256 = excluded.written_sha256`,

    /** Lets a source count as changed: its Post does not have all of it. */
    reopen: (owner: OwnerId, sourceKey: string) => run("reopen")`
      update import_sources set sha256 = '' where owner_id = ${owner} and source_key = ${sourceKey}`,

    forget: (owner: OwnerId, postId: PostId) => run("forget")`
      delete from import_sources where owner_id = ${owner} and post_id = ${postId}`,

    /** Forgets sources of a deleted account. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from import_sources where ctid = any(array(
        select ctid from import_sources where owner_id = ${owner} limit ${limit}))`
  }
})
