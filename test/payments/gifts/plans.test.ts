import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { ACTIVE_GIFTS_MAX } from "../../../schemas/payments/gifts/Gift.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { Access } from "../../../src/payments/access/Access.ts"
import { Gifts } from "../../../src/payments/gifts/Gifts.ts"
import { Redemptions } from "../../../src/payments/gifts/Redemptions.ts"
import { receiptOfGift } from "../../../src/payments/gifts/shownGift.ts"
import { authorOf } from "../../support/actors/author.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"
import { service } from "../../support/TestClient.ts"
import { paidPost } from "../access/paidPost.ts"
import { ownerIdOf } from "../settlement/paying.ts"
import { gift } from "./giving.ts"

const GIFTS = 5_000
const TABLES = ["gifts", "gift_redemptions", "access_receipts"]

layer(service(database("test_gifts_plans")))("5,000 ended gifts and as many redemptions", (it) => {
  it.effect("Reads, redemptions, issues and lists read only the rows that they need, by an index", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const owner = yield* ownerIdOf(author.accessToken)
      const { id } = yield* author.published(paidPost)
      const postId = PostId.make(id)
      const reader = yield* readerOf(2)
      const other = yield* readerOf(3)
      const taker = yield* readerOf(4)
      const { token } = yield* gift(author, postId, { maxRedemptions: 10_000 })
      const shown = { token: Redacted.make(token), idempotencyKey: Option.some("a-key") }
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        with ended as (
          insert into gifts (id, owner_id, post_id, secret_hash, max_redemptions, redemptions, created_at, expires_at)
          select gen_random_uuid(), ${owner}::uuid, ${postId}::uuid, sha256(int4send(n)), 2, n % 2 + 1,
            timestamptz 'epoch', timestamptz 'epoch' - interval '1 day'
          from generate_series(1, ${GIFTS}::integer) n returning id),
        redeemed as (
          insert into gift_redemptions (id, gift_id, post_id, key_hash, created_at)
          select gen_random_uuid(), id, ${postId}::uuid, sha256(uuid_send(id)), timestamptz 'epoch' from ended
          returning id)
        insert into access_receipts (id, token_hash, post_id, redemption_id, created_at)
        select gen_random_uuid(), sha256(uuid_send(id)), ${postId}::uuid, id, timestamptz 'epoch' from redeemed`
      yield* sql`
        insert into gifts (id, owner_id, post_id, secret_hash, max_redemptions, created_at, expires_at)
        select gen_random_uuid(), ${owner}::uuid, ${postId}::uuid, sha256(int4send(n)), 2, timestamptz 'epoch',
          case when n % 2 = 0 then timestamptz 'epoch' + interval '1 day' end
        from generate_series(2, ${ACTIVE_GIFTS_MAX}::integer) n`
      for (const table of TABLES) yield* sql`analyze ${sql(table)}`.unprepared

      const access = yield* Access
      const gifts = yield* Gifts
      const redemptions = yield* Redemptions
      const read = { postId, version: "current", payment: undefined, client: "192.0.2.1" } as const
      const redeemed = (ownerId: typeof reader.id) =>
        redemptions.redeem({
          token: shown.token,
          postId: undefined,
          reader: { ownerId, client: "192.0.2.1" },
          idempotencyKey: undefined,
          receipt: undefined
        })
      yield* redeemed(reader.id)
      yield* access.read({ ...read, ownerId: null, receipt: undefined, gift: shown })
      const receipt = Option.getOrThrow(receiptOfGift(shown)).token

      for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
        // Each of the three reads is one statement.
        const reads: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          access.read({ ...read, ownerId: null, receipt, gift: undefined }),
          access.read({ ...read, ownerId: null, receipt: undefined, gift: shown }),
          access.read({ ...read, ownerId: reader.id, receipt: undefined, gift: undefined })
        ]
        for (const each of reads) {
          const nodes = yield* planNodes(mode, each)
          for (const table of TABLES) {
            assert.notInclude(wholeTables(nodes), table, mode)
            assert.isAtMost(rowsRead(nodes, table), 1, `${mode} ${table}`)
          }
        }
        const writes: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, number]> = [
          [redeemed(reader.id), 1],
          [redeemed(other.id), 8],
          // Of an account that has it, and of one that takes another's.
          [redemptions.claim(taker.id, receipt), 8],
          [Effect.flip(redemptions.claim(other.id, receipt)), 8],
          [redemptions.isReader(reader.id, postId), 2],
          // It stops at the limit, after it has counted.
          [Effect.flip(gifts.issue(owner, { postId }, "plans")), ACTIVE_GIFTS_MAX],
          [gifts.list(owner, { limit: 20 }), 21],
          [gifts.list(owner, { limit: 20, postId }), 21]
        ]
        for (const [each, rows] of writes) {
          const nodes = yield* planNodes(mode, each)
          for (const table of TABLES) assert.notInclude(wholeTables(nodes), table, mode)
          assert.isAtMost(rowsRead(nodes, "gifts"), rows, mode)
          assert.isAtMost(rowsRead(nodes, "gift_redemptions"), rows, mode)
        }
      }
    })
  )
})
