import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import type { PostAccess } from "../../../schemas/payments/access/Access.ts"
import type { Gift } from "../../../schemas/payments/gifts/Gift.ts"
import { GiftId, PostId } from "../../../schemas/platform/Ids.ts"
import { Access } from "../../../src/payments/access/Access.ts"
import { Gifts } from "../../../src/payments/gifts/Gifts.ts"
import { Redemptions } from "../../../src/payments/gifts/Redemptions.ts"
import { later, now, wireTime } from "../../../src/platform/time/now.ts"
import { authorOf } from "../../support/actors/author.ts"
import { insertOwner } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { soak } from "../../support/soak.ts"
import { service } from "../../support/TestClient.ts"
import { paidPost, SECRET } from "../access/paidPost.ts"
import { ownerIdOf } from "../settlement/paying.ts"
import { GiftModel, type Outcome, type Step } from "./giftModel.ts"

const SCRIPTS = soak(30, 300, 1_500)

// Mostly the first ones, so that much happens to few.
const post = fc.constantFrom(0, 0, 0, 1)
const number = fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 3)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("issue" as const),
      post,
      max: fc.integer({ min: 1, max: 3 }),
      lives: fc.constantFrom(null, 5, 10)
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("redeem" as const),
      gift: number,
      who: fc.constantFrom(0 as const, 1 as const, "author" as const)
    })
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("read" as const),
      post,
      who: fc.constantFrom(
        0 as const,
        1 as const,
        "author" as const,
        "anonymous" as const,
        "anonymous" as const
      ),
      gift: fc.option(number, { freq: 5 }),
      key: fc.constantFrom(0 as const, 1 as const, 2 as const),
      receipt: fc.option(number, { freq: 2 }).map((it) => (it === null || it > 1 ? null : it))
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      receipt: fc.constantFrom(0, 0, 0, 1, 1, 2),
      who: fc.constantFrom(0 as const, 0 as const, 1 as const, "author" as const)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("revoke" as const),
      gift: number,
      redeemed: fc.constantFrom("keep" as const, "revoke" as const)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("change" as const),
      post,
      isPublic: fc.boolean(),
      isPaid: fc.boolean()
    })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(4, 6) }) }
)
const begin: ReadonlyArray<Step> = [
  { do: "issue", post: 0, max: 2, lives: 10 },
  { do: "issue", post: 0, max: 1, lives: null }
]
const script = fc
  .array(step, { minLength: 10, maxLength: 30, size: "max" })
  .map((steps) => begin.concat(steps))

const UNKNOWN = GiftId.make("00000000-0000-4000-8000-000000000000")

layer(service(database("test_gifts_scripts")))("random scripts of gifts", (it) => {
  it.effect(
    `A model agrees with ${SCRIPTS} scripts of issues, redemptions, reads, claims, ends and changes`,
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const access = yield* Access
        const gifts = yield* Gifts
        const redemptions = yield* Redemptions
        const author = yield* authorOf(1)
        const authorId = yield* ownerIdOf(author.accessToken)
        const posts = yield* Effect.forEach([0, 1], () =>
          Effect.map(author.published(paidPost), ({ id }) => PostId.make(id))
        )
        const outcomes = new Map<Outcome, number>()

        const play = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, script: number) {
          const readers = yield* Effect.forEach([0, 1], (reader) =>
            insertOwner(2 * script + reader, { kind: "guest", wallet_public_key: null })
          )
          const ownerOf = (who: 0 | 1 | "author") => (who === "author" ? authorId : readers[who]!)
          const model = new GiftModel()
          const tokens: Array<Redacted.Redacted> = []
          const ids: Array<GiftId> = []
          const receipts: Array<string> = []
          const byKey = new Map<string, string>()
          const tokenOf = (gift: number) => tokens[gift] ?? Redacted.make("ppg_unknown")

          const readOf = ({ post, version, receipt }: PostAccess & { readonly version: string }): Outcome => {
            assert.strictEqual(post.content.paid, SECRET, version)
            return receipt === null ? "" : ", with a receipt"
          }

          const real = (step: Step, where: string): Effect.Effect<Outcome, { readonly _tag: string }> => {
            switch (step.do) {
              case "issue":
                return Effect.gen(function* () {
                  const expiresAt =
                    step.lives === null ? null : wireTime(later(yield* now, step.lives * 1_000))
                  const terms = { postId: posts[step.post]!, maxRedemptions: step.max, expiresAt }
                  const made = yield* gifts.issue(authorId, terms, `${script} ${where.length} ${ids.length}`)
                  tokens.push(Redacted.make(made.token))
                  ids.push(made.gift.id)
                  return "done"
                })
              case "redeem":
                return Effect.as(
                  redemptions.redeem({
                    token: tokenOf(step.gift),
                    postId: undefined,
                    reader: { ownerId: ownerOf(step.who), client: "192.0.2.1" },
                    idempotencyKey: undefined,
                    receipt: undefined
                  }),
                  "done"
                )
              case "read":
                return Effect.gen(function* () {
                  const key = step.key === 0 ? Option.none() : Option.some(`key ${step.key}`)
                  const answer = yield* access.read({
                    postId: posts[step.post]!,
                    ownerId: step.who === "anonymous" ? null : ownerOf(step.who),
                    version: "current",
                    receipt:
                      step.receipt === null
                        ? undefined
                        : Redacted.make(receipts[step.receipt] ?? "ppr_unknown"),
                    gift: step.gift === null ? undefined : { token: tokenOf(step.gift), idempotencyKey: key },
                    payment: undefined,
                    client: "192.0.2.1"
                  })
                  const suffix = readOf({ ...answer, version: where })
                  if (answer.receipt !== null) {
                    const name = `${step.gift} ${step.key}`
                    const earlier = step.key === 0 ? undefined : byKey.get(name)
                    if (earlier === undefined) receipts.push(answer.receipt.token)
                    else assert.strictEqual(answer.receipt.token, earlier, where)
                    byKey.set(name, answer.receipt.token)
                  }
                  return `${answer.access.via}${suffix}`
                })
              case "claim":
                return Effect.as(
                  redemptions.claim(
                    ownerOf(step.who),
                    Redacted.make(receipts[step.receipt] ?? "ppr_unknown")
                  ),
                  "done"
                )
              case "revoke":
                return Effect.as(gifts.revoke(authorId, ids[step.gift] ?? UNKNOWN, step.redeemed), "done")
              case "change":
                return Effect.as(change(posts[step.post]!, step), "done")
              case "wait":
                return Effect.as(TestClock.adjust(step.seconds * 1_000), "done")
            }
          }

          const seen: Array<Step> = []
          for (const step of steps) {
            seen.push(step)
            const where = `script ${script}: ${JSON.stringify(seen)}`
            const expected = model.run(step)
            const answered = yield* Effect.result(real(step, where))
            const outcome = Result.isSuccess(answered) ? answered.success : answered.failure._tag
            assert.strictEqual(outcome, expected, where)
            outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
          }
          const { data } = yield* gifts.list(authorId, { limit: 100 })
          const shown = new Map(data.map((gift): [GiftId, Gift] => [gift.id, gift]))
          for (const [place, gift] of model.gifts.entries()) {
            const { redemptions: count, state } = shown.get(ids[place]!)!
            assert.deepStrictEqual([count, state], [gift.count, model.stateOf(gift)], `script ${script}`)
          }
          yield* sql`update gifts set revoked_at = created_at where revoked_at is null`
          yield* Effect.forEach(posts, (id) => change(id, { isPublic: true, isPaid: true }))
        })

        const change = (id: PostId, { isPaid, isPublic }: { isPublic: boolean; isPaid: boolean }) =>
          Effect.orDie(sql`
            update posts set status = ${isPublic ? "published" : "draft"}, enable_paywall = ${isPaid},
              price_raw = case when ${isPaid}::boolean then 5e29 end,
              published_at = case when ${isPublic}::boolean then created_at end where id = ${id}`)

        for (const [number, steps] of fc.sample(script, { numRuns: SCRIPTS }).entries())
          yield* play(steps, number)
        // The scripts meet everything that there is.
        for (const outcome of [
          "AlreadyOwned",
          "AlreadyPurchased",
          "GiftExhausted",
          "GiftExpired",
          "GiftInvalid",
          "GiftRevoked",
          "NotFound",
          "PaymentRequired",
          "PostIsFree",
          "PostWithdrawn",
          "ReceiptInvalid",
          "author",
          "done",
          "free",
          "gift",
          "gift, with a receipt"
        ])
          assert.isAbove(outcomes.get(outcome) ?? 0, 0, outcome)
      }),
    600_000
  )
})
