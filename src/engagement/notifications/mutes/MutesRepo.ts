import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Mute } from "../../../../schemas/engagement/notifications/Notification.ts"
import type { OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"

const Row = Schema.Struct(Mute.fields)

/** Posts whose discussion an owner has muted. */
export class MutesRepo extends Context.Service<
  MutesRepo,
  {
    /** Returns none for a Post that the owner cannot see. */
    readonly find: (owner: OwnerId, post: PostId) => Effect.Effect<Option.Option<Mute>>
    readonly add: (owner: OwnerId, post: PostId, at: Date) => Effect.Effect<void>
    readonly remove: (owner: OwnerId, post: PostId) => Effect.Effect<void>
  }
>()("pennypress/engagement/notifications/mutes/MutesRepo") {
  static readonly layer = Layer.effect(
    MutesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { maybe, run } = statements(sql, "MutesRepo")

      return MutesRepo.of({
        find: (owner, post) => maybe("find", Row)`
          select m.post_id is not null as muted
          from posts p left join post_mutes m on m.post_id = p.id and m.owner_id = ${owner}
          where p.id = ${post} and (p.status = 'published' or p.owner_id = ${owner} or m.post_id is not null)`,

        add: (owner, post, at) => run("add")`
          insert into post_mutes (owner_id, post_id, created_at)
          select ${owner}, id, ${at} from posts where id = ${post} for key share on conflict do nothing`,

        remove: (owner, post) => run("remove")`
          delete from post_mutes where owner_id = ${owner} and post_id = ${post}`
      })
    })
  )
}
