import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { authorOf, errorsOf, refusalOf } from "../../support/actors/author.ts"
import { completePost, signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

/** Signs in an owner and issues a key, without a Profile or payout address. */
const newcomer = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const owner = yield* signIn(number)
  const { body } = yield* client.send("POST", "/api/v1/api-keys", { token: owner.accessToken, body: {} })
  const key = body.key as string
  const create = (post: object) =>
    Effect.map(
      client.send("POST", "/api/v1/posts", { token: key, body: post }),
      ({ body }) => body.id as string
    )
  const publish = (id: string) =>
    client.send("POST", `/api/v1/posts/${id}/publish`, { token: key, headers: { "idempotency-key": "k" } })
  const profile = (body: object) => client.send("PATCH", "/api/v1/profile", { token: key, body })
  const payout = () =>
    client.send("PUT", "/api/v1/profile/payout-address", {
      token: owner.accessToken,
      body: { payoutAddress: owner.wallet.account }
    })
  return { create, publish, profile, payout }
})

layer(service(database("test_posts_publish")))("publishing (3.1, 4.3 note E)", (it) => {
  it.effect("A publication makes a draft public, once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const author = yield* authorOf(1)
      const { id } = yield* author.draft({ slug: "mine" })
      const published = yield* author.publish(id, "one")
      const answer = {
        id,
        slug: "mine",
        status: "published",
        publishResult: "published",
        stateChanged: true,
        url: "https://press.test/@author1/mine",
        publishedAt: "2026-11-21T05:00:00.000000Z"
      }
      assert.strictEqual(published.status, 200)
      assert.deepStrictEqual(published.body, answer)
      assert.isNull(published.headers.get("x-idempotency-replay"))
      assert.deepInclude((yield* author.read(id)).body, {
        status: "published",
        url: answer.url,
        publishedAt: answer.publishedAt
      })

      yield* TestClock.adjust("1 hour")
      const replay = yield* author.publish(id, "one")
      assert.deepStrictEqual(replay.body, answer)
      assert.strictEqual(replay.headers.get("x-idempotency-replay"), "true")
      const again = yield* author.publish(id, "two")
      assert.deepStrictEqual(again.body, {
        ...answer,
        publishResult: "no_op_already_published",
        stateChanged: false
      })
      assert.isNull(again.headers.get("x-idempotency-replay"))
    })
  )

  it.effect("A publication requires an Idempotency-Key, which names one Post for 24 hours", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const { id } = yield* author.draft()
      const required = [422, "validation", "Idempotency-Key required"]
      assert.deepStrictEqual(refusalOf(yield* author.send("POST", `/${id}/publish`)), required)
      assert.deepStrictEqual(refusalOf(yield* author.publish(id, "k".repeat(256))), [
        422,
        "validation",
        "Idempotency-Key too_long"
      ])
      assert.strictEqual((yield* author.publish(id, "one")).status, 200)
      const other = yield* author.draft()
      assert.deepStrictEqual(refusalOf(yield* author.publish(other.id, "one")), [409, "idempotency-mismatch"])
      assert.strictEqual((yield* author.create(completePost, { "idempotency-key": "one" })).status, 201)
      yield* TestClock.adjust("24 hours")
      assert.strictEqual((yield* author.publish(other.id, "one")).status, 200)
    })
  )

  it.effect("A publication takes no body, or an empty object", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const { id } = yield* author.draft()
      const send = (body: unknown) =>
        author.send("POST", `/${id}/publish`, { body, headers: { "idempotency-key": "one" } })
      for (const body of ["[]", "7", '"x"', "[{}]", "true"]) {
        assert.strictEqual((yield* send(body)).status, 422, body)
      }
      assert.deepStrictEqual(refusalOf(yield* send({ publish: true })), [
        422,
        "validation",
        "publish unknown"
      ])
      assert.deepStrictEqual(refusalOf(yield* send("{")), [400, "malformed-json"])
      assert.strictEqual((yield* author.read(id)).body.status, "draft")
      assert.strictEqual((yield* send({})).status, 200)
      assert.strictEqual((yield* author.send("POST", `/${id}/unpublish`, { body: { x: 1 } })).status, 422)
      assert.strictEqual((yield* author.send("POST", `/${id}/unpublish`, { body: {} })).status, 200)
    })
  )

  it.effect("An incomplete Profile is 422 profile-incomplete for name, handle or both", () =>
    Effect.gen(function* () {
      const { create, payout, profile, publish } = yield* newcomer(4)
      yield* payout()
      const id = yield* create(completePost)
      assert.deepStrictEqual(refusalOf(yield* publish(id)), [
        422,
        "profile-incomplete",
        "name required",
        "handle required"
      ])
      yield* profile({ name: "Ada" })
      assert.deepStrictEqual(refusalOf(yield* publish(id)), [422, "profile-incomplete", "handle required"])
      yield* profile({ handle: "ada_l" })
      assert.strictEqual((yield* publish(id)).status, 200, "a refused publication gives its key back")

      const nameless = yield* newcomer(5)
      yield* nameless.profile({ handle: "nameless" })
      const draft = yield* nameless.create({ freeContentMarkdown: "x" })
      assert.deepStrictEqual(refusalOf(yield* nameless.publish(draft)), [
        422,
        "profile-incomplete",
        "name required"
      ])
    })
  )

  it.effect("Every missing member is named in one answer", () =>
    Effect.gen(function* () {
      const { create, payout, profile, publish } = yield* newcomer(6)
      yield* profile({ name: "Bo", handle: "bo_bo" })
      const bare = yield* create({ freeContentMarkdown: " ", secondaryCategoryId: 3 })
      const refused = yield* publish(bare)
      assert.strictEqual(refused.body.type, "https://press.test/problems/publication-incomplete")
      assert.deepStrictEqual(errorsOf(refused), [
        "title required",
        "description required",
        "content required",
        "primaryCategoryId required",
        "creationMethod required",
        "creationAttested required",
        "payoutAddress required"
      ])
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ title: "" }, "title required"],
        [{ description: "" }, "description required"],
        [{ paidContentMarkdown: "x", enablePaywall: true }, "priceRaw required"],
        [{ secondaryCategoryId: 3 }, "secondaryCategoryId mismatch"],
        [{ creationMethod: null }, "creationMethod required"],
        [{ creationAttested: false }, "creationAttested required"]
      ]
      for (const [change, error] of cases) {
        const id = yield* create({ ...completePost, ...change })
        assert.deepStrictEqual(errorsOf(yield* publish(id)), [error, "payoutAddress required"])
      }
      const id = yield* create(completePost)
      assert.deepStrictEqual(errorsOf(yield* publish(id)), ["payoutAddress required"])
      yield* payout()
      assert.strictEqual((yield* publish(id)).status, 200)
    })
  )

  it.effect("Either section is content, and a free Post needs no price", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      yield* author.published({ freeContentMarkdown: null, paidContentMarkdown: "Free all the same" })
      const { id } = yield* author.published({
        paidContentMarkdown: "Paid",
        enablePaywall: true,
        priceXno: "1"
      })
      assert.strictEqual((yield* author.read(id)).body.priceRaw, `1${"0".repeat(30)}`)
    })
  )

  it.effect("A publication by autonomous_agent labels the account as an agent (3.4b)", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(8)
      const kind = Effect.map(
        client.send("GET", `/api/profile/${author.handle}`),
        ({ body }) => body.author_kind
      )
      yield* author.published({ creationMethod: "primarily_ai_generated" })
      yield* author.draft({ creationMethod: "autonomous_agent" })
      assert.strictEqual(yield* kind, "human")
      const { id } = yield* author.published({ creationMethod: "autonomous_agent" })
      assert.strictEqual(yield* kind, "agent")
      yield* author.unpublish(id)
      yield* author.published()
      assert.strictEqual(yield* kind, "agent")
    })
  )
})
