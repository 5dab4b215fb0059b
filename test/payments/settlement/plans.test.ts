import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, PostId, PurchaseId } from "../../../schemas/platform/Ids.ts"
import { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { purchaseStatements } from "../../../src/payments/purchases/purchases.sql.ts"
import { settlementStatements } from "../../../src/payments/settlement/settlements.sql.ts"
import { database } from "../../support/Database.ts"
import { mostRows, planNodes } from "../../support/plans.ts"
import { service } from "../../support/TestClient.ts"

/** Payments of one account, which its login wallet made. */
const PAYMENTS = 10_000
const POSTS = 200
/** Payments of the account for each Post. */
const OF_POST = PAYMENTS / POSTS
/** Each of this many payments bought nothing. */
const DUPLICATE_EACH = 1_000
/** Payments of other accounts, half of them without an end, and half duplicates. */
const OTHERS = 4_000
/** Purchases of one Post by other accounts. */
const BUYERS = 2_000

const idOf = (number: number) => `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`
const owners = Array.from({ length: 50 }, (_, number) => OwnerId.make(idOf(number)))
const [buyer, author] = owners as [OwnerId, OwnerId]
const wallet = NanoPublicKey.make(createHash("sha256").update(buyer).digest("hex"))
const postOf = (number: number) => PostId.make(idOf(number + 4096))

const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Without triggers: no counter is read here.
  yield* sql`set local session_replication_role = replica`
  yield* sql`
    insert into owners (id, kind, name, handle, wallet_public_key, created_at)
    select id::uuid, 'guest', 'Reader', 'reader' || n, sha256(id::bytea), timestamptz 'epoch'
    from unnest(${`{${owners}}`}::text[]) with ordinality as o (id, n)`
  const post = sql`('00000000-0000-4000-8000-' || lpad(to_hex(4096 + n % ${sql.literal(String(POSTS))}), 12, '0'))::uuid`
  yield* sql`
    insert into posts (id, owner_id, status, title, description, enable_paywall, slug, language, comments_enabled,
      creation_attested, created_at, updated_at)
    select ${post}, ${author}::uuid, 'draft', 'Post', '', false, n::text, 'en', true, true, timestamptz 'epoch',
      timestamptz 'epoch'
    from generate_series(0, ${POSTS - 1}::integer) n`
  yield* sql`
    with paid as (
      insert into settlements (id, kind, channel, state, duplicate, post_id, recipient_id, block_hash, previous, payer_key,
        pay_to_key, pay_to_role, payout_revision, buyer_id, amount_raw, base_raw, created_at, settled_at)
      select gen_random_uuid(), 'purchase', 'claim', 'settled', n % ${DUPLICATE_EACH}::integer = 0, ${post},
        ${author}::uuid, sha256(int4send(n)), sha256(int4send(-n - 1)), decode(${wallet}, 'hex'), sha256('payee'), 'author',
        1, ${buyer}::uuid, 1e24, 1e24, at, at
      from generate_series(0, ${PAYMENTS - 1}::integer) n,
        lateral (select timestamptz 'epoch' + n * interval '1 minute' as at) t
      returning *)
    insert into purchases (id, settlement_id, post_id, buyer_id, payer_key, amount_raw, created_at)
    select id, id, post_id, buyer_id, payer_key, amount_raw, created_at from paid where not duplicate`
  yield* sql`
    insert into settlements (id, kind, channel, state, duplicate, due_at, post_id, recipient_id, block_hash, previous,
      payer_key, pay_to_key, pay_to_role, payout_revision, buyer_id, amount_raw, base_raw, created_at, settled_at)
    select gen_random_uuid(), 'purchase', 'claim', case when is_open then 'settling' else 'settled' end, not is_open,
      case when is_open then timestamptz 'epoch' end, ${post}, ${author}::uuid, sha256(int4send(n)), sha256(int4send(-n - 1)),
      sha256(int4send(n)), sha256('payee'), 'author', 1, gen_random_uuid(), 1e24, 1e24, timestamptz 'epoch',
      case when not is_open then timestamptz 'epoch' end
    from generate_series(${PAYMENTS}::integer, ${PAYMENTS + OTHERS - 1}::integer) n, lateral (select n % 2 = 0 as is_open) t`
  yield* sql`
    insert into purchases (id, settlement_id, post_id, buyer_id, payer_key, amount_raw, created_at)
    select gen_random_uuid(), gen_random_uuid(), ${postOf(0)}::uuid, gen_random_uuid(), sha256(int4send(n)), 1e24,
      timestamptz 'epoch'
    from generate_series(1, ${BUYERS}::integer) n`
})

layer(service(database("test_settlement_plans")))("an account with 10,000 payments", (it) => {
  it.effect(
    "Purchases, payments for a Post and buyers among a few owners are found by an index",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(seed)
        for (const table of ["settlements", "purchases", "owners", "posts"])
          yield* sql`vacuum (analyze) ${sql(table)}`.unprepared
        const purchases = yield* purchaseStatements
        const settlements = yield* settlementStatements

        const limit = 20
        const page = yield* purchases.slice(buyer, { after: undefined, limit })
        assert.lengthOf(page, limit + 1)
        const middle = PurchaseId.make("80000000-0000-4000-8000-000000000000")
        const payer = { blockHash: BlockHash.make("0".repeat(64)), payerKey: wallet }
        const earlier = (buyerId: OwnerId | null) =>
          settlements.earlier({ kind: "purchase", postId: postOf(7) }, { ...payer, buyerId })
        assert.lengthOf(yield* earlier(buyer), OF_POST)
        assert.deepStrictEqual(yield* purchases.buyersAmong(postOf(0), owners), [{ id: buyer }])

        const statements: ReadonlyArray<readonly [string, Effect.Effect<unknown>, number]> = [
          ["slice", purchases.slice(buyer, { after: undefined, limit }), 4 * (limit + 1)],
          ["deep slice", purchases.slice(buyer, { after: middle, limit }), 4 * (limit + 1)],
          // A search reads the purchases of its account. This one has none.
          ["found", purchases.found(author, "'post'", { after: undefined, limit }), owners.length],
          ["earlier", earlier(buyer), 3 * OF_POST],
          ["earlier, without an account", earlier(null), 3 * OF_POST],
          ["buyersAmong", purchases.buyersAmong(postOf(0), owners), owners.length]
        ]
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const)
          for (const [name, statement, rows] of statements)
            assert.isAtMost(mostRows(yield* planNodes(mode, statement)), rows, `${name}, ${mode}`)
      }),
    120_000
  )
})
