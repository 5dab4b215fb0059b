import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { FANOUTS } from "../../../src/engagement/notifications/fanout/fanouts.sql.ts"
import { NOTIFICATION_MAILS } from "../../../src/engagement/notifications/mails/mailsDue.sql.ts"
import {
  commentNotices,
  type CommentedNotice,
  followNotices
} from "../../../src/engagement/notifications/notices/notices.sql.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"

const ring = Effect.flatMap(Doorbells, ({ bell }) =>
  Effect.andThen(bell(FANOUTS).ring, bell(NOTIFICATION_MAILS).ring)
)

/** Notifies of a Comment as its own statement would, without the Comment. */
export const tellCommented = Effect.fnUntraced(function* (notice: Omit<CommentedNotice, "fanoutId">) {
  const sql = yield* SqlClient.SqlClient
  const fanoutId = yield* (yield* SecureRandom.SecureRandom).uuidV7()
  yield* sql`with ${commentNotices(sql, { ...notice, fanoutId })} select`
  yield* ring
}, Effect.orDie)

/** Notifies of a follow as its own statement would, without the follow. */
export const tellFollowed = Effect.fnUntraced(function* (creator: OwnerId, follower: OwnerId, at: Date) {
  const sql = yield* SqlClient.SqlClient
  const begun = sql`(select ${creator}::uuid as creator_id, ${follower}::uuid as follower_id) begun`
  yield* sql`with ${followNotices(sql, at, begun)} select`
  yield* ring
}, Effect.orDie)
