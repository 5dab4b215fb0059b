import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Mute } from "../../../../schemas/engagement/notifications/Notification.ts"
import type { OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"

const Row = Schema.Struct(Mute.fields)

/** Statements over `post_mutes`, the discussions that an owner has muted. */
export const muteStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe, run } = statements(sql, "mutes")

  return {
    /** Returns none for a Post that the owner cannot see. */
    find: (owner: OwnerId, post: PostId) => maybe("find", Row)`
      select m.post_id is not null as muted
      from posts p left join post_mutes m on m.post_id = p.id and m.owner_id = ${owner}
      where p.id = ${post} and (p.owner_id = ${owner} or m.post_id is not null
        or exists (select from public_posts where public_posts.id = p.id))`,

    add: (owner: OwnerId, post: PostId, at: Date) => run("add")`
      insert into post_mutes (owner_id, post_id, created_at)
      select ${owner}, id, ${at} from posts where id = ${post} for key share on conflict do nothing`,

    remove: (owner: OwnerId, post: PostId) => run("remove")`
      delete from post_mutes where owner_id = ${owner} and post_id = ${post}`
  }
})
