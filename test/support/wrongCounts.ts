import type { SqlClient } from "effect/sql"

/**
 * Returns the counters that differ from a recount, in one snapshot: of each owner, of each category, of Posts for sale, and of all
 * published Posts. Every published Post, and no other, must also have the kind of its author.
 */
export const wrongCounts = (sql: SqlClient.SqlClient) => sql`
  with published as (select * from posts where status = 'published'),
  counters as (
    select 'owner ' || o.id as counter, published_post_count as counted,
      (select count(*) from published where owner_id = o.id) as recounted
    from owners o
    union all
    select 'category ' || c.id,
      (select coalesce(sum(by_category[c.id]), 0) from published_post_counts),
      (select count(*) from published where c.id in (primary_category_id, secondary_category_id))
    from categories c
    union all
    select 'for sale', (select sum(for_sale) from published_post_counts),
      (select count(*) from published where enable_paywall)
    union all
    select 'all',
      (select sum(posts) from published_post_counts),
      (select count(*) from published)
    union all
    select 'kinds', (select count(*) from post_author_kinds), (select count(*) from published)
    union all
    select 'right kinds',
      (select count(*) from post_author_kinds k
        join published p on p.id = k.post_id and p.owner_id = k.owner_id and p.published_at = k.published_at
        join owners o on o.id = p.owner_id and o.author_kind = k.author_kind),
      (select count(*) from published)
  )
  select * from counters where counted is distinct from recounted`
