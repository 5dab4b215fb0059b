import type { SqlClient, Statement } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { WantedSlug } from "./slug.ts"

/**
 * Selects `slug, base, number` for a new or changed Post. The next free number is the end of an index; `tried` skips
 * the numbers that other writes have taken meanwhile.
 */
export const slugColumns = (
  sql: SqlClient.SqlClient,
  ownerId: OwnerId,
  slug: WantedSlug,
  tried: number
): Statement.Fragment => {
  if ("chosen" in slug)
    return sql`select ${slug.chosen}::text as slug, null::text as base, null::integer as number`
  return sql`
    select case when number = 1 then ${slug.base} else ${slug.base} || '-' || number end as slug,
      ${slug.base}::text as base, number
    from (
      select coalesce(max(slug_number), 0) + 1 + ${tried}::integer as number from posts
      where owner_id = ${ownerId} and slug_base = ${slug.base}) as next`
}
