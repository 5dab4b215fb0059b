import type { SqlClient, Statement } from "effect/sql"

/** Columns of `posts p` that make a version. */
export const versionColumns = `
  p.version_sha256, p.title, p.description, p.free_content_markdown, p.paid_content_markdown, p.creation_method,
  p.creation_details, p.language, p.version_files`

/**
 * Saves the version of a Post that a relation has, with the id of the Post as `post_id`, unless it is there already. The
 * relation holds the Post, so that the version is the one that is accepted.
 */
export const saveVersion = (sql: SqlClient.SqlClient, relation: string, at: Date): Statement.Fragment => sql`
  insert into sold_versions (post_id, sha256, title, description, free_content_markdown, paid_content_markdown,
    creation_method, creation_details, language, attachments, created_at)
  select post_id, version_sha256, title, description, free_content_markdown, paid_content_markdown, creation_method,
    creation_details, language, version_files, ${at}::timestamptz
  from ${sql(relation)} on conflict do nothing`

/** The condition that a version has the row of `post_attachments f`. */
export const hasFile = (sql: SqlClient.SqlClient, version = "v"): Statement.Fragment =>
  sql`${sql(version)}.attachments @> jsonb_build_array(jsonb_build_object('id', f.id))`
