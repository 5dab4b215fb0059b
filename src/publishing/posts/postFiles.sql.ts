import { Effect, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { OwnerId, PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { nextRevision } from "./nextRevision.sql.ts"

/** A file that an author adds to a Post. Its id is that of its upload. */
export interface NewFile {
  readonly id: UploadOperationId
  readonly postId: PostId
  readonly ownerId: OwnerId
  readonly fileName: string
  /** Maximum number of bytes of the file; once they are received, their actual number. */
  readonly byteSize: number
}

/** The facts by which a Post takes a file. */
const FilesOfPost = Schema.Struct({
  enable_paywall: Schema.Boolean,
  has_paid_text: Schema.Boolean,
  files: Schema.Int,
  bytes: Schema.Finite,
  has_name: Schema.Boolean
})
export type FilesOfPost = typeof FilesOfPost.Type

/** A removed file that was kept for readers. */
const KeptFile = Schema.Struct({ id: UploadOperationId, post_id: PostId, owner_id: OwnerId })
export type KeptFile = typeof KeptFile.Type

/** Number of removed files that a sweep looks at. */
const KEPT_MAX = 100

const IdRow = Schema.Struct({ id: Schema.String })

/** A file whose bytes are durable. */
interface ReceivedPostFile {
  readonly id: UploadOperationId
  readonly byteSize: number
  readonly sha256: Uint8Array
}

/** Statements over `post_attachments`: the only SQL that writes it. Every change gives the Post a new revision. */
export const postFileStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, run } = statements(sql, "postFiles")

  const isForSale = sql`p.enable_paywall and coalesce(p.paid_content_markdown, '') <> ''`

  const filesOf = (name: string) => sql`lateral (
    select count(*)::int4 as files, coalesce(sum(a.byte_size), 0)::float8 as bytes,
      coalesce(bool_or(lower(a.file_name) = lower(${name}::text)), false) as has_name
    from post_attachments a where a.post_id = p.id and a.removed_at is null) f`

  const inserted = (file: NewFile, at: Date) => sql`
    insert into post_attachments as a (id, post_id, owner_id, file_name, byte_size, state, created_at)
    select ${file.id}::uuid, p.id, ${file.ownerId}::uuid, ${file.fileName}, ${file.byteSize}::integer, 'receiving',
      ${at}::timestamptz`

  /** The files of the version of `posts p` without the changed one, and with it. */
  const others = sql`(
    select coalesce(jsonb_agg(f), '[]') from jsonb_array_elements(p.version_files) f where f ->> 'id' <> changed.id::text)`
  const all = sql`${others} || jsonb_build_object('id', changed.id, 'fileName', changed.file_name,
    'byteSize', changed.byte_size, 'sha256', encode(changed.sha256, 'hex'))`

  /** Gives the Post of a changed file a new revision, and its version these files. */
  const revised = (change: Statement.Fragment, at: Date, files = sql`p.version_files`) => sql`
    with changed as (${change} returning a.post_id, a.id, a.file_name, a.byte_size, a.sha256)
    update posts p set updated_at = ${nextRevision(sql, at)}, version_files = ${files}
    from changed where p.id = changed.post_id`

  return {
    /** Returns the facts by which a Post takes a file of this name. Removed files do not count. */
    of: (post: PostId, name: string) => maybe("of", FilesOfPost)`
      select p.enable_paywall, coalesce(p.paid_content_markdown, '') <> '' as has_paid_text, f.files, f.bytes, f.has_name
      from posts p, ${filesOf(name)} where p.id = ${post}`,

    exists: (id: UploadOperationId) =>
      Effect.map(maybe("exists", IdRow)`select id from post_attachments where id = ${id}`, Option.isSome),

    add: (file: NewFile, at: Date) =>
      run("add")`${revised(sql`${inserted(file, at)} from posts p where p.id = ${file.postId}`, at)}`,

    /** Records the bytes of a file. Returns false when its Post is not for sale. */
    receive: ({ byteSize, id, sha256 }: ReceivedPostFile, at: Date) =>
      changed("receive")`${revised(
        sql`update post_attachments a set state = 'pending', byte_size = ${byteSize}, sha256 = ${sha256}
          from posts p where a.id = ${id} and p.id = a.post_id and ${isForSale}`,
        at,
        all
      )}`,

    setReady: (id: UploadOperationId, at: Date) =>
      run("setReady")`${revised(sql`update post_attachments a set state = 'ready' where id = ${id}`, at)}`,

    /** Marks a ready file as removed, and kept until then; null for good. Returns false when there is none. */
    hide: (id: UploadOperationId, at: Date, until: Date | null) =>
      changed("hide")`${revised(
        sql`update post_attachments a set removed_at = ${at}, kept_until = ${until}
          where id = ${id} and state = 'ready' and removed_at is null`,
        at,
        others
      )}`,

    /** Keeps a removed file until then. */
    keep: (id: UploadOperationId, until: Date | null) => run("keep")`
      update post_attachments set kept_until = ${until} where id = ${id} and removed_at is not null`,

    /** Returns removed files that are not kept any longer than that. */
    keptUntil: (at: Date) => many("keptUntil", KeptFile)`
      select a.id, a.post_id, p.owner_id from post_attachments a join posts p on p.id = a.post_id
      where a.kept_until <= ${at} order by a.kept_until limit ${KEPT_MAX}`,

    drop: (id: UploadOperationId, at: Date) =>
      run("drop")`${revised(sql`delete from post_attachments a where id = ${id}`, at, others)}`,

    /** Deletes a file that was never for sale. */
    dropUnready: (id: UploadOperationId, at: Date) =>
      run("dropUnready")`${revised(
        sql`delete from post_attachments a where id = ${id} and state <> 'ready'`,
        at,
        others
      )}`
  }
})
