import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { isRestricted } from "../../accounts/owners/owners.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isPublished } from "../../publishing/posts/publications.sql.ts"

const GiftPostRow = Schema.Struct({
  id: PostId,
  title: Schema.String,
  slug: Schema.String,
  handle: Schema.String,
  is_for_sale: Schema.Boolean
})
export type GiftPostRow = typeof GiftPostRow.Type

/** A slice of the Posts of an owner. */
interface Slice {
  readonly after: PostId | undefined
  readonly limit: number
}

/** Statements that read Posts that their authors can give away. */
export const giftPostStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe } = statements(sql, "giftPosts")
  // An author's own Posts with drafts: conditions of one owner, and not a look at `public_posts` for each Post.
  const isForSale = sql.literal(`(${isPublished("p")} and p.enable_paywall and not ${isRestricted("o")})`)
  const columns = sql`p.id, p.title, p.slug, o.handle, ${isForSale} as is_for_sale`

  return {
    post: (owner: OwnerId, id: PostId) => maybe("post", GiftPostRow)`
      select ${columns} from posts p join owners o on o.id = p.owner_id
      where p.id = ${id} and p.owner_id = ${owner}`,

    /** Returns the newest Posts of an owner that are for sale or have gifts, and one beyond the slice when there are more. */
    posts: (owner: OwnerId, { after, limit }: Slice) => {
      const isNext =
        after === undefined
          ? sql`true`
          : sql`(p.created_at, p.id) < (select created_at, id from posts where id = ${after} and owner_id = ${owner})`
      // With the offset, gifts are looked up by their Post, and never read as a whole.
      return many("posts", GiftPostRow)`
        select ${columns} from posts p join owners o on o.id = p.owner_id
        where p.owner_id = ${owner} and ${isNext}
          and (${isForSale} or exists (select from gifts g where g.post_id = p.id offset 0))
        order by p.created_at desc, p.id desc limit ${limit + 1}`
    }
  }
})
