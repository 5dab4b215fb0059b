import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { signIn } from "../../support/actors/owner.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { PRICE_RAW, sellerOf } from "../settlement/paying.ts"
import { paid } from "./selling.ts"

/** Reads a list of earnings as an owner. */
const reading = (token: string) => (path: string) =>
  Effect.flatMap(TestClient, (client) => client.send("GET", `/api/v1/finance${path}`, { token }))

/** Reads all pages of a list. */
const allOf = Effect.fnUntraced(function* (token: string, path: string) {
  const read = reading(token)
  const all: Array<any> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body, status, text }: any = yield* read(`${path}&cursor=${cursor}`)
    assert.strictEqual(status, 200, text)
    all.push(...body.data)
    cursor = body.pagination.nextCursor
  }
  return all
})

const received = (count: number, raw: bigint) => ({ count, grossRaw: String(raw) })

layer(service(database("test_earnings")))("earnings by day and by Post", (it) => {
  it.effect("Earnings by day and by Post add up to the summary", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 23, 59, 59))
      const { another, author, ownerId, payTo, postId, target } = yield* sellerOf(1)
      const payer = yield* payerOf(2)
      yield* payer.fund()
      const second = yield* another
      const tip = { kind: "tip", postId: null, commentId: null, recipientId: ownerId } as const
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      // The second of midnight begins the next day.
      yield* TestClock.adjust("1 second")
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      yield* paid(payer, { target: second, payTo, amountRaw: PRICE_RAW + 1n })
      yield* paid(payer, { target: { ...tip, postId }, payTo, amountRaw: RAW_PER_XNO })
      yield* paid(payer, { target: tip, payTo, amountRaw: 2n * RAW_PER_XNO })

      const token = author.accessToken
      const days = yield* allOf(token, "/days?limit=1")
      assert.deepStrictEqual(days, [
        { day: "2026-11-23", sales: received(1, PRICE_RAW + 1n), tips: received(2, 3n * RAW_PER_XNO) },
        { day: "2026-11-22", sales: received(1, PRICE_RAW), tips: received(0, 0n) }
      ])
      const none = received(0, 0n)
      const byPost = [
        { postId: null, title: null, sales: none, tips: received(1, 2n * RAW_PER_XNO) },
        { postId, title: "On pennies", sales: received(1, PRICE_RAW), tips: received(1, RAW_PER_XNO) },
        { postId: second.postId, title: "On pennies", sales: received(1, PRICE_RAW + 1n), tips: none }
      ]
      assert.deepStrictEqual(yield* allOf(token, "/posts?limit=1"), byPost)
      assert.deepStrictEqual(yield* allOf(token, "/posts?limit=100"), byPost)
      const { duplicates, sales, tips } = (yield* reading(token)("/summary")).body
      assert.deepStrictEqual(
        [duplicates, sales, tips],
        [received(1, PRICE_RAW), received(2, 2n * PRICE_RAW + 1n), received(2, 3n * RAW_PER_XNO)]
      )
      const first = yield* allOf(token, "/posts?to=2026-11-23")
      assert.deepStrictEqual(first, [
        { postId, title: "On pennies", sales: received(1, PRICE_RAW), tips: none }
      ])
      assert.deepStrictEqual(yield* allOf(token, "/days?from=2026-11-23&to=2026-11-23"), [])
    })
  )

  it.effect("Posts of the same sum are each in one page", () =>
    Effect.gen(function* () {
      const { another, author, payTo, target } = yield* sellerOf(3)
      const payer = yield* payerOf(4)
      yield* payer.fund()
      const targets = [target, yield* another, yield* another]
      for (const it of targets) yield* paid(payer, { target: it, payTo, amountRaw: PRICE_RAW })
      const ids = (yield* allOf(author.accessToken, "/posts?limit=1")).map(({ postId }) => postId)
      assert.sameMembers(
        ids,
        targets.map(({ postId }) => postId)
      )
      const stranger = (yield* signIn(5)).accessToken
      for (const list of ["/posts?limit=1", "/days?limit=1"])
        assert.deepStrictEqual(yield* allOf(stranger, list), [])
    })
  )

  it.effect("A cursor of another list or owner, and a wrong member, are refused", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 11, 22, 23, 59, 59))
      const { another, author, payTo, target } = yield* sellerOf(6)
      const payer = yield* payerOf(7)
      yield* payer.fund()
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      yield* TestClock.adjust("1 second")
      yield* paid(payer, { target: yield* another, payTo, amountRaw: PRICE_RAW })
      const read = reading(author.accessToken)
      const [day, post] = [yield* read("/days?limit=1"), yield* read("/posts?limit=1")].map(
        ({ body }) => body.pagination.nextCursor
      )
      assert.isString(day)
      assert.isString(post)
      for (const [path, member] of [
        [`/days?cursor=${post}`, "cursor"],
        [`/posts?cursor=${day}`, "cursor"],
        [`/posts?cursor=${post}&from=2026-11-01`, "cursor"],
        ["/days?limit=367", "limit"],
        ["/posts?limit=101", "limit"],
        ["/days?from=2026-02-30", "from"],
        ["/posts?to=2026-1-1", "to"],
        [`/posts?postId=${target.postId}`, "postId"]
      ] as const) {
        const [status, code, error] = refusalOf(yield* read(path))
        assert.deepStrictEqual([status, code], [422, "validation"], path)
        assert.include(error as string, member, path)
      }
      const stranger = reading((yield* signIn(8)).accessToken)
      assert.strictEqual((yield* stranger(`/days?cursor=${day}`)).status, 422)
    })
  )
})
