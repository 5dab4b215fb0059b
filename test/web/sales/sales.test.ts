import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { paid } from "../../payments/finance/selling.ts"
import { PRICE_RAW, sellerOf } from "../../payments/settlement/paying.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, browser, type Browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"

/** Millionths of an XNO, the last decimal that people read. */
const MICRO = RAW_PER_XNO / 1_000_000n

const pageOf = Effect.fnUntraced(function* (reader: Browser, path: string, status = 200) {
  const answer = yield* reader.get(path)
  assert.strictEqual(answer.status, status, answer.text)
  assertPrivate(answer)
  validated(answer.text)
  // The paid part of the posts that are sold here.
  assert.notInclude(answer.text, "secret")
  return answer.text
})

/** Returns the amounts of a page: in raw, and as people read them. */
const amountsOf = (text: string) =>
  [...text.matchAll(/<data value="([^"]*)">([^<]*)</g)].map(([, raw, shown]) => [raw, shown] as const)

/** A seller who is signed in, and a payer. Numbers of actors begin at `number`. */
const sellingIn = Effect.fnUntraced(function* (number: number) {
  const seller = yield* sellerOf(number)
  const payer = yield* payerOf(number + 1)
  yield* payer.fund()
  const reader = yield* browser
  yield* signIn(reader, number)
  return { ...seller, payer, reader }
})

layer(service(database("test_web_sales")))("The sales of an author", (it) => {
  it.effect("Amounts are cut after six decimals, with the exact one in raw", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 23, 59, 59))
      const { another, ownerId, payTo, payer, postId, reader, target } = yield* sellingIn(1)
      const exact = PRICE_RAW + MICRO - 1n
      yield* paid(payer, { target, payTo, amountRaw: exact })
      yield* TestClock.adjust("1 second")
      const more = PRICE_RAW + MICRO * 2n - 1n
      const second = yield* another
      yield* paid(payer, { target: second, payTo, amountRaw: more })
      const tip = { kind: "tip", postId: null, commentId: null, recipientId: ownerId } as const
      yield* paid(payer, { target: tip, payTo, amountRaw: 1n })
      yield* signIn(reader, 1)

      const { answer, statements } = yield* statementsOf(reader.get("/desk/sales"))
      assert.strictEqual(answer.status, 200, answer.text)
      // Two of the session, then the sums and the days.
      assert.lengthOf(statements, 4, statements.join("\n\n"))
      const text = yield* pageOf(reader, "/desk/sales?days=7")
      assert.include(text, "November 17, 2026 to November 23, 2026")
      assert.include(text, "2 sales")
      assert.include(text, "1 tip")
      assert.deepStrictEqual(amountsOf(text), [
        [String(exact + more), "0.500002"],
        ["1", "&lt;0.000001"],
        [String(exact + more + 1n), "0.500002"],
        [String(more + 1n), "0.250002"],
        [String(more + 1n), "0.250002"],
        [String(exact), "0.25"]
      ])
      assert.match(text, /The best day was November 23, 2026/)
      // Two bars: the last two days of seven.
      assert.match(text, /<path d="M20 100v-\d+h3v\d+zM24 100v-100h3v100z"/)

      const byPost = yield* pageOf(reader, "/desk/posts?sort=income")
      assert.include(text, 'href="/desk/posts?sort=income"')
      assert.deepStrictEqual(
        [...byPost.matchAll(/data-unit="XNO earned"><data value="([^"]*)">([^<]*)</g)].map((it) =>
          it.slice(1, 3)
        ),
        [
          [String(more), "0.250001"],
          [String(exact), "0.25"]
        ]
      )
      assert.isBelow(byPost.indexOf(`/write/${second.postId}`), byPost.indexOf(`/write/${postId}`))
      const first = yield* pageOf(reader, "/desk/sales?from=2026-11-22&to=2026-11-22")
      assert.deepStrictEqual(amountsOf(first)[2], [String(exact), "0.25"])
      const other = yield* browser
      yield* signIn(other, 30)
      for (const path of ["/desk/sales", "/desk/sales?days=7"]) {
        const strange = yield* pageOf(other, path)
        assert.deepStrictEqual(
          amountsOf(strange).map(([raw]) => raw),
          ["0", "0", "0"]
        )
        assert.notInclude(strange, "On pennies")
      }
    })
  )

  it.effect("A period without a sale says so, and shows no chart", () =>
    Effect.gen(function* () {
      const { reader } = yield* sellingIn(3)
      const text = yield* pageOf(reader, "/desk/sales")
      assert.include(text, "There were no payments on these days.")
      assert.include(text, "0 sales")
      assert.notInclude(text, '<path d="M0')
      assert.notInclude(text, "second payment")
      assert.notInclude(text, "owes you")
    })
  )

  it.effect("Second payments, refunds and obligations stand apart, in words", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const sql = yield* SqlClient.SqlClient
      const { author, ownerId, payTo, payer, reader, target } = yield* sellingIn(5)
      const own = yield* payerOf(5)
      yield* own.fund()
      const sale = yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW + 1n })
      const { hash: blockHash } = yield* own.pay(payer.account, PRICE_RAW / 2n)
      const send = (path: string, body?: unknown) =>
        client.send("POST", `/api/v1/finance${path}`, {
          token: author.accessToken,
          ...(body === undefined ? {} : { body })
        })
      const refunded = yield* send(`/sales/${sale.id}/refunds`, { blockHash })
      assert.strictEqual(refunded.status, 201, refunded.text)
      yield* sql`
        insert into fee_accounts (owner_id, shard, accrued_raw) values (${ownerId}, 0, ${String(-MICRO)}::numeric)`
      const collected = yield* pageOf(reader, "/desk/sales")
      assert.match(collected, /collected <data value="\d+">0\.000001<\/data> XNO more than its fee/)
      assert.strictEqual((yield* send("/obligations")).status, 201)

      const text = yield* pageOf(reader, "/desk/sales")
      assert.include(text, "1 sale<")
      assert.match(text, /1 second payment for posts the reader already had/)
      assert.match(text, /You sent <data value="\d+">0\.125<\/data> XNO back as refunds/)
      assert.match(text, /The platform owes you <data value="\d+">0\.000001<\/data> XNO/)
      assert.deepStrictEqual(amountsOf(text).slice(0, 4), [
        [String(PRICE_RAW), "0.25"],
        ["0", "0"],
        [String(PRICE_RAW), "0.25"],
        [String(PRICE_RAW + 1n), "0.25"]
      ])
    })
  )

  it.effect("Days that do not exist are refused at their field", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 12))
      const { reader } = yield* sellingIn(7)
      for (const [query, sentence] of [
        ["from=yesterday", "Choose the first day, such as 2026-11-22."],
        ["from=2026-02-30", "Choose the first day"],
        ["from=%00&to=2026-11-01", "Choose the first day"],
        ["from=%22%3E%3Cscript%3E", "Choose the first day"],
        ["to=2026-11-01", "Choose the first day"],
        ["from=0000-01-01&to=0000-01-02", "Choose the first day"],
        ["from=2026-11-01&to=soon", "Choose the last day, such as 2026-11-29."],
        ["from=2026-11-20&to=2026-11-19", "Choose the first day or a later one."],
        ["from=2026-11-23", "Choose today or an earlier day."],
        ["from=9999-12-31&to=9999-12-31", "Choose today or an earlier day."],
        ["from=2025-11-21", "Choose at most 366 days."],
        ["from=0001-01-01", "Choose at most 366 days."]
      ] as const) {
        const text = yield* pageOf(reader, `/desk/sales?${query}`, 422)
        assert.include(text, sentence, query)
        assert.notInclude(text, "<script>")
        const file = yield* reader.get(`/desk/sales.csv?${query}`)
        assert.strictEqual(file.status, 303, query)
      }
      for (const query of [
        "from=2026-11-01&to=9999-12-31",
        "from=2025-11-22",
        "from=0001-01-01&to=0001-01-01",
        "days=x",
        "days=-1",
        `days=7&from=&to=&${"x".repeat(500)}`
      ])
        yield* pageOf(reader, `/desk/sales?${query}`)
    })
  )

  it.effect("The payments of a period are downloaded as a file, by their author alone", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 12))
      const { ownerId, payTo, payer, reader, target } = yield* sellingIn(9)
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      const tip = { kind: "tip", postId: null, commentId: null, recipientId: ownerId } as const
      yield* paid(payer, { target: tip, payTo, amountRaw: 1n })
      const text = yield* pageOf(reader, "/desk/sales")
      const [, path = ""] = /href="(\/desk\/sales\.csv\?kind=all[^"]*)"/.exec(text) ?? []
      const file = yield* reader.get(path.replaceAll("&amp;", "&"))
      assert.strictEqual(file.status, 200)
      assert.strictEqual(file.headers.get("content-type"), "text/csv; charset=utf-8")
      assert.strictEqual(file.headers.get("cache-control"), "private, no-store")
      assert.strictEqual(
        file.headers.get("content-disposition"),
        'attachment; filename="pennypress-all-2026-10-24-2026-11-22.csv"'
      )
      assert.lengthOf(file.text.trimEnd().split("\r\n"), 3)
      for (const [kind, lines] of [
        ["sales", 2],
        ["tips", 2]
      ] as const) {
        const part = yield* reader.get(`/desk/sales.csv?kind=${kind}&from=2026-11-22&to=2026-11-22`)
        assert.lengthOf(part.text.trimEnd().split("\r\n"), lines, kind)
      }
      assert.strictEqual((yield* reader.get("/desk/sales.csv?kind=x")).status, 404)
      const before = yield* reader.get("/desk/sales.csv?from=2026-11-20&to=2026-11-21")
      assert.lengthOf(before.text.trimEnd().split("\r\n"), 1)
      const other = yield* browser
      assert.strictEqual((yield* other.get("/desk/sales.csv")).status, 303)
      assert.strictEqual(
        (yield* other.get("/desk/sales")).headers.get("location"),
        "/sign-in?back=%2Fdesk%2Fsales"
      )
      yield* signIn(other, 31)
      assert.lengthOf((yield* other.get("/desk/sales.csv")).text.trimEnd().split("\r\n"), 1)
    })
  )
})

layer(service(database("test_web_sales_limits"), 1, { rateLimitFactor: 1 }))("The files of sales", (it) => {
  it.effect("An author may download ten files in an hour, by page and API together", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      yield* signIn(reader, 1)
      for (let time = 0; time < 10; time++)
        assert.strictEqual((yield* reader.get("/desk/sales.csv")).status, 200)
      assert.strictEqual((yield* reader.get("/desk/sales.csv")).status, 429)
    })
  )
})
