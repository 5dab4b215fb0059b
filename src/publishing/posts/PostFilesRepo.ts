import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { nextRevision } from "./nextRevision.sql.ts"

/** A file that an author adds to a Post. Its id is that of its upload. */
export interface NewFile {
  readonly id: UploadOperationId
  readonly postId: PostId
  readonly ownerId: OwnerId
  readonly fileName: string
  /** Bytes that the file may have; those that it has once they are received. */
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

const Row = Schema.Struct({ id: Schema.String })

/** Files of Posts: the only SQL that writes `post_attachments`. */
export class PostFilesRepo extends Context.Service<
  PostFilesRepo,
  {
    /** Holds off other changes of a Post until the surrounding transaction ends. */
    readonly lock: (post: PostId) => Effect.Effect<void>
    /** The files of a Post, without those that were removed, and beside the file `name`. */
    readonly of: (post: PostId, name: string) => Effect.Effect<Option.Option<FilesOfPost>>
    readonly insert: (file: NewFile, at: Date) => Effect.Effect<void>
    readonly receive: (id: UploadOperationId, byteSize: number, sha256: Uint8Array) => Effect.Effect<void>
    readonly setReady: (id: UploadOperationId) => Effect.Effect<void>
    /** Marks a ready file as removed. Returns false when there is none. */
    readonly hide: (id: UploadOperationId, at: Date) => Effect.Effect<boolean>
    /** Deletes a file. Returns false when there is none. */
    readonly drop: (id: UploadOperationId) => Effect.Effect<boolean>
    /** Deletes a file that was never for sale. Returns false when there is none. */
    readonly dropUnready: (id: UploadOperationId) => Effect.Effect<boolean>
    readonly exists: (id: UploadOperationId) => Effect.Effect<boolean>
    readonly bump: (post: PostId, at: Date) => Effect.Effect<void>
  }
>()("pennypress/publishing/posts/PostFilesRepo") {
  static readonly layer = Layer.effect(
    PostFilesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { changed, maybe, run } = statements(sql, "PostFilesRepo")

      return PostFilesRepo.of({
        lock: (post) => run("lock")`select from posts where id = ${post} for no key update`,
        of: (post, name) => maybe("of", FilesOfPost)`
          select p.enable_paywall, coalesce(p.paid_content_markdown, '') <> '' as has_paid_text, f.files, f.bytes, f.has_name
          from posts p, lateral (
            select count(*)::int4 as files, coalesce(sum(a.byte_size), 0)::float8 as bytes,
              coalesce(bool_or(lower(a.file_name) = lower(${name}::text)), false) as has_name
            from post_attachments a where a.post_id = p.id and a.removed_at is null) f
          where p.id = ${post}`,
        insert: (file, at) => run("insert")`
          insert into post_attachments (id, post_id, owner_id, file_name, byte_size, state, created_at)
          values (${file.id}, ${file.postId}, ${file.ownerId}, ${file.fileName}, ${file.byteSize}, 'receiving', ${at})`,
        receive: (id, byteSize, sha256) => run("receive")`
          update post_attachments set state = 'pending', byte_size = ${byteSize}, sha256 = ${sha256} where id = ${id}`,
        setReady: (id) => run("setReady")`update post_attachments set state = 'ready' where id = ${id}`,
        hide: (id, at) => changed("hide")`
          update post_attachments set removed_at = ${at} where id = ${id} and state = 'ready' and removed_at is null`,
        drop: (id) => changed("drop")`delete from post_attachments where id = ${id}`,
        dropUnready: (id) => changed("dropUnready")`
          delete from post_attachments where id = ${id} and state <> 'ready'`,
        exists: (id) =>
          Effect.map(maybe("exists", Row)`select id from post_attachments where id = ${id}`, Option.isSome),
        bump: (post, at) => run("bump")`
          update posts p set updated_at = ${nextRevision(sql, at)} where p.id = ${post}`
      })
    })
  )
}
