import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { PostId } from "../../schemas/platform/Ids.ts"
import { authorOf } from "../support/actors/author.ts"
import { storedSettlement } from "../support/actors/storedPayments.ts"
import { TestClient } from "../support/TestClient.ts"
import { admin, administered } from "./administered.ts"

const OWED = 10n ** 24n

const unknown = "00000000-0000-7000-8000-000000000000"

/** Has the development ledger of a service send money to an account. Returns the hash of the block. */
const sent = (origin: string, account: string, amountRaw: bigint) =>
  HttpClientRequest.post(`${origin}/dev/nano`).pipe(
    HttpClientRequest.bodyJsonUnsafe({ action: "faucet", account, amount: String(amountRaw) }),
    HttpClient.execute,
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Schema.Struct({ hash: Schema.String }))),
    Effect.map(({ hash }) => hash),
    Effect.provide(FetchHttpClient.layer)
  )

const linesOf = (written: string) => written.split("\n").map((line) => JSON.parse(line))

describe("pennypress admin, for payments", () => {
  it.live("The command lists and pays obligations, and lists and looks at unresolved payments", () =>
    Effect.gen(function* () {
      const { env, origin, service } = yield* administered("test_admin_payments")
      const sql = Context.get(service, SqlClient.SqlClient)
      const client = Context.get(service, TestClient)
      const author = yield* Effect.provideContext(authorOf(1), service)
      const { id: post } = yield* Effect.provideContext(author.published(), service)
      yield* sql`
        insert into fee_accounts (owner_id, shard, accrued_raw)
        select id, 0, ${String(-OWED)}::numeric from owners where handle = ${author.handle}`
      const token = author.accessToken
      const { body: owed } = yield* client.send("POST", "/api/v1/finance/obligations", { token })
      const hash = yield* sent(origin, owed.boundAddress, OWED)
      for (const kind of ["purchase", "tip"] as const) {
        yield* Effect.provideContext(storedSettlement(PostId.make(post), kind, "settling"), service)
      }

      const because = ["--reason", "A test", "--actor", "Mo"]
      const pay = (id: string, block: string) =>
        admin(["obligations", "pay", id, "--block", block, ...because], env)
      const [listed, wrong, missing, page] = yield* Effect.all(
        [
          admin(["obligations", "list"], env),
          pay(owed.id, "A".repeat(64)),
          pay(unknown, hash),
          admin(["settlements", "list", "--limit", "1"], env)
        ],
        { concurrency: 2 }
      )
      assert.deepStrictEqual(linesOf(listed.written), [owed])
      assert.deepStrictEqual(wrong, {
        status: 1,
        written:
          "pennypress: The ledger has not confirmed this block yet. Check its hash, and run the command again in a few seconds."
      })
      assert.strictEqual(missing.written, "pennypress: There is no obligation with this id.")
      const [first, { nextCursor }] = linesOf(page.written)
      assert.deepInclude(first, { kind: "purchase", state: "settling", postId: post })
      assert.strictEqual(nextCursor, first.id)

      const [paid, rest, looked, none] = yield* Effect.all(
        [
          pay(owed.id, hash),
          admin(["settlements", "list", "--state", "settling", "--cursor", nextCursor], env),
          admin(["settlements", "look", first.id, ...because], env),
          admin(["settlements", "look", unknown, "--json", ...because], env)
        ],
        { concurrency: 2 }
      )
      assert.deepStrictEqual(paid, { status: 0, written: `${owed.id} is paid by ${hash}` })
      assert.deepStrictEqual(
        linesOf(rest.written).map(({ kind }) => kind),
        ["tip"]
      )
      assert.deepStrictEqual(looked, { status: 0, written: `${first.id} is settling (unconfirmed)` })
      assert.strictEqual(
        none.written,
        "pennypress: There is no settlement with this id; a refused one is removed after 30 days."
      )
      const actions = yield* sql`select action, actor, reason, subject_id from administrator_actions`
      const by = { actor: "Mo", reason: "A test" }
      assert.sameDeepMembers(
        [...actions],
        [
          { action: "payments.obligations.pay", ...by, subject_id: owed.id },
          { action: "payments.settlements.look", ...by, subject_id: first.id }
        ]
      )
    })
  )
})
