import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { now } from "../../../src/platform/time/now.ts"

/** Stores a settlement of a Post as the service leaves it, without what it bought. */
export const storedSettlement = Effect.fnUntraced(function* (
  post: PostId,
  kind: "purchase" | "tip",
  state: "settling" | "settled" | "refused" | "lapsed"
) {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const at = yield* now
  const bytes = random.randomBytes(32)
  yield* sql`
    insert into settlements (id, kind, channel, state, post_id, recipient_id, block_hash, previous, payer_key, pay_to_key,
      pay_to_role, payout_revision, identity, amount_raw, base_raw, created_at, settled_at, due_at)
    select ${yield* random.uuidV7()}::uuid, ${kind}, 'x402', ${state}, id, owner_id, ${yield* bytes}, ${yield* bytes},
      ${yield* bytes}, ${yield* bytes}, 'author', 1, case when ${kind} = 'purchase' then ${yield* bytes}::bytea end, 1, 1, ${at},
      case when ${state} = 'settled' then ${at}::timestamptz end,
      case when ${state} in ('settling', 'lapsed') then ${at}::timestamptz end
    from posts where id = ${post}`
})
