import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"

/** A Comment to insert: at a tick of a microsecond, under an earlier one by its place (or as a root). */
interface Inserted {
  readonly tick: number
  readonly parent: number
  readonly hidden: boolean
}

/** Inserts Comments of the author of a Post. Returns them in the order of readers. */
export const insertComments = Effect.fnUntraced(function* (postId: string, said: ReadonlyArray<Inserted>) {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const rows: Array<
    { id: string; root: string; depth: number; parent: string | null } & Pick<Inserted, "hidden" | "tick">
  > = []
  for (const { hidden, parent, tick } of said) {
    const id = yield* random.uuidV4()
    const above = rows[parent]
    rows.push(
      above === undefined || above.depth === 4
        ? { id, tick, hidden, root: id, depth: 0, parent: null }
        : { id, tick, hidden, root: above.root, depth: above.depth + 1, parent: above.id }
    )
  }
  yield* sql`
    insert into comments (id, post_id, author_id, content, parent_comment_id, reply_target_comment_id, thread_root_id,
      depth, created_at, hidden_by_moderator_at, idempotency_key, intent, by_agent)
    select it.id, p.id, p.owner_id, 'x', it.parent, it.parent, it.root, it.depth,
      timestamptz '2026-01-01 00:00:00Z' + it.tick * interval '1 microsecond',
      case when it.hidden then timestamptz '2026-01-01 00:00:00Z' end, it.id::text, '', false
    from posts p, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as it(id uuid, root uuid, depth integer, parent uuid, hidden boolean, tick integer)
    where p.id = ${postId}`
  return rows.toSorted((a, b) => a.tick - b.tick || (a.id < b.id ? -1 : 1))
})
