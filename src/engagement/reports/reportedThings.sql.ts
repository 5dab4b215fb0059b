import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorKind, SocialLink } from "../../../schemas/accounts/profile/Profile.ts"
import { OwnerId, PostId, type ReportId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

/** The target of a report, with its author. The columns of other kinds are null. */
const ThingRow = Schema.Struct({
  kind: Schema.Literals(["post", "comment", "account"]),
  owner_id: OwnerId,
  handle: Schema.String,
  name: Schema.String,
  author_kind: AuthorKind,
  avatar_url: Schema.NullOr(Schema.String),
  header_image_url: Schema.NullOr(Schema.String),
  bio: Schema.NullOr(Schema.String),
  location: Schema.NullOr(Schema.String),
  social_links: Schema.Array(SocialLink),
  since: Timestamp,
  post_id: Schema.NullOr(PostId),
  title: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  slug: Schema.NullOr(Schema.String),
  free: Schema.NullOr(Schema.String),
  paid: Schema.NullOr(Schema.String),
  /** Null for a post that is not for sale. */
  price_raw: Schema.NullOr(Schema.String),
  picture: Schema.NullOr(Schema.String),
  content: Schema.NullOr(Schema.String)
})
export type ThingRow = typeof ThingRow.Type

/**
 * The condition that moderators read the sections of the reported post `p`: readers see it, or the report `r` is unresolved. An
 * old report opens no draft.
 */
export const arePostsOpen = `(r.resolved_at is null
  or exists (select from public_posts where public_posts.id = p.id offset 0))`

/** Statements over what readers reported. */
export const reportedThingStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "reportedThings")

  const areOpen = sql.literal(`c.id is null and ${arePostsOpen}`)

  return {
    /** Returns the target of a report. A post that is not open has none of its sections. */
    of: (id: ReportId) => maybe("of", ThingRow)`
      select r.target_kind as kind,
        a.id as owner_id, a.handle, a.name, a.author_kind, a.avatar_url, a.header_image_url, a.bio, a.location, a.social_links,
        wire_time(coalesce(c.created_at, p.published_at, p.created_at, a.created_at)) as since,
        p.id as post_id, p.title, p.description, p.language, p.slug,
        case when ${areOpen} then p.free_content_markdown end as free,
        case when ${areOpen} then p.paid_content_markdown end as paid,
        p.price_raw::text as price_raw, p.og_image as picture, c.content
      from reports r
      join owners a on a.id = r.author_id
      left join comments c on r.target_kind = 'comment' and c.id = r.target_id
      left join posts p on p.id = case r.target_kind when 'post' then r.target_id else c.post_id end
      where r.id = ${id}`
  }
})
