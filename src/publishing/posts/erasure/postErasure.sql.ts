import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { nextRevision } from "../nextRevision.sql.ts"

const IdRow = Schema.Struct({ id: PostId })

/** Begins the slugs of Posts whose texts are erased. No other slug has a colon, so such a Post is known by it. */
const ERASED = "deleted:"

/** Statements that erase Posts of accounts that are deleted. */
export const postErasureStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, run } = statements(sql, "postErasure")

  return {
    /** Locks some Posts of an owner that are not erased yet, until the surrounding transaction ends. */
    lockSome: (owner: OwnerId, limit: number) =>
      Effect.map(
        many("lockSome", IdRow)`
          select id from posts where owner_id = ${owner} and slug <> ${ERASED} || id::text
          order by id limit ${limit} for update`,
        (rows) => rows.map(({ id }) => id)
      ),

    /**
     * Erases what a Post tells, but its title. `kept` is the version that stays for its buyers; null for a Post without
     * buyers, whose files go as well.
     */
    erase: (id: PostId, kept: Uint8Array | null, at: Date) => run("erase")`
      update posts p set description = '', free_content_markdown = null, paid_content_markdown = null,
        free_content_native = null, paid_content_native = null, free_unsupported = '{}', paid_unsupported = '{}',
        renderer = null, public_html = null, public_headings = null, public_words = null, public_images = null,
        whole_html = null, whole_headings = null, whole_images = null, excerpt = '', slug = ${ERASED} || p.id::text,
        slug_base = null, slug_number = null, canonical_url = null, og_title = null, og_description = null,
        og_image = null, first_image = null, creation_method = null, creation_details = null,
        former_published_at = null, dated_at = null, kept_sha256 = ${kept}::bytea,
        version_files = case when ${kept}::bytea is null then '[]'::jsonb else version_files end,
        updated_at = ${nextRevision(sql, at)}
      where p.id = ${id}`,

    /** Removes the rows of the files of a Post. Their uploads remove the bytes. */
    removeFiles: (id: PostId) => run("removeFiles")`delete from post_attachments where post_id = ${id}`
  }
})
