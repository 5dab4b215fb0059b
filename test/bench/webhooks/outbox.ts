import type { Database } from "../database.ts"

/** Rows that one statement writes. */
const WRITTEN_MAX = 10_000

/**
 * Records events of the authors with webhooks, as many of each: publications of their posts, and comments on them, each
 * with a comment of its own.
 */
export const fillOutbox = async (database: Database, count: number) => {
  for (let from = 0; from < count; from += WRITTEN_MAX)
    await database.rows(
      `with listened as (
        select p.id as post_id, p.owner_id, row_number() over (order by p.owner_id) - 1 as place, count(*) over () as total
        from (select distinct on (owner_id) id, owner_id from posts
          where owner_id in (select owner_id from webhooks) order by owner_id, id) p),
      made as (
        select gen_random_uuid() as id, gen_random_uuid() as comment_id, n, l.post_id, l.owner_id
        from generate_series($1::int, $2::int) n join listened l on l.place = n % l.total),
      written as (
        insert into comments
          (id, post_id, author_id, content, thread_root_id, depth, created_at, idempotency_key, intent, by_agent)
        select comment_id, post_id, owner_id, repeat('A few words about pennies. ', 8), comment_id, 0, localtimestamp,
          comment_id::text, '', false
        from made where n % 2 = 0)
      insert into events (id, created_at, owner_id, type, subject_id, data, due_at)
      select id, localtimestamp, owner_id, case when n % 2 = 0 then 'comment.created' else 'post.published' end,
        case when n % 2 = 0 then comment_id else post_id end,
        case when n % 2 = 0 then jsonb_build_object('postId', post_id)
          else '{"isFirst": false, "isScheduled": false}'::jsonb end,
        localtimestamp
      from made`,
      [from, Math.min(from + WRITTEN_MAX, count) - 1]
    )
}

/** Returns how many events have got their numbers. */
export const numberedEvents = async (database: Database) => {
  const [row] = await database.rows<{ readonly count: number }>(
    "select coalesce(sum(last_sequence), 0)::int4 as count from event_listeners"
  )
  return row?.count ?? 0
}
