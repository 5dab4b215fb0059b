import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { errorsOf } from "../../support/actors/author.ts"
import { completePost, publisher } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"

const refusalOf = (answer: TestAnswer) => [answer.status, ...errorsOf(answer)]

layer(service(database("test_profile_wire")))("PATCH /api/v1/profile (4.2)", (it) => {
  const owner = Effect.fnUntraced(function* (number: number) {
    const client = yield* TestClient
    const { handle, key } = yield* publisher(number)
    const patch = (body: unknown, headers = {}) =>
      client.send("PATCH", "/api/v1/profile", { token: key, body, headers })
    const read = client.send("GET", "/api/v1/profile", { token: key })
    return { handle, key, patch, read }
  })

  const tipping = (...amounts: ReadonlyArray<string>) =>
    `{"tipping":{"buttonLabel":"Tip","amounts":[${amounts.join(",")}]}}`

  it.effect("Tipping amounts are saved and returned as the decimals that were written (4.2.6)", () =>
    Effect.gen(function* () {
      const { handle, patch, read } = yield* owner(1)
      const kept = [
        [["1e-3", "0.25", "1.50"], "[0.001,0.25,1.5]"],
        [["0.123456", "0.123457", "133248296.999999"], "[0.123456,0.123457,133248296.999999]"],
        [["0.3", "0.30001", "1e2"], "[0.3,0.30001,100]"]
      ] as const
      for (const [amounts, saved] of kept) {
        const answer = yield* patch(tipping(...amounts))
        assert.strictEqual(answer.status, 200, answer.text)
        assert.include(answer.text, `"amounts":${saved}`)
        assert.include((yield* read).text, `"amounts":${saved}`)
        const shown = yield* (yield* TestClient).send("GET", `/api/profile/${handle}`)
        assert.deepStrictEqual(shown.body.tipping.amounts, JSON.parse(saved))
      }
    })
  )

  it.effect("Amounts below 0.001 XNO or with more than six decimals are refused, however close (4.2.6)", () =>
    Effect.gen(function* () {
      const { patch, read } = yield* owner(2)
      for (const amount of [
        "0.000999",
        "0.0010000001",
        "0.0009999999999999999999999",
        "0.1234567",
        "0.30000000000000004",
        "0.2500000000000000000001",
        "1e-7"
      ]) {
        const refusal = refusalOf(yield* patch(tipping(amount, "2", "3")))
        assert.deepStrictEqual(refusal, [422, "tipping.amounts out_of_range"], amount)
      }
      const shapes = [
        [tipping('"0.25"', "1", "2"), "tipping.amounts.0 invalid"],
        [tipping("1", "2"), "tipping.amounts.2 required"],
        [tipping("1", "2", "3", "4"), "tipping.amounts.3 unknown"],
        [tipping("1", "1", "2"), "tipping.amounts invalid"],
        [tipping("0.5", "5e-1", "2"), "tipping.amounts invalid"],
        [tipping("3", "2", "1"), "tipping.amounts invalid"]
      ] as const
      for (const [body, error] of shapes)
        assert.deepStrictEqual(refusalOf(yield* patch(body)), [422, error], body)
      assert.deepStrictEqual((yield* read).body.tipping, {
        buttonLabel: "Tip author",
        amounts: [0.25, 0.5, 1]
      })
    })
  )

  it.effect("An empty object or an unknown member is 422, and nothing is saved (4.2.1)", () =>
    Effect.gen(function* () {
      const { patch, read } = yield* owner(3)
      const before = (yield* read).body
      assert.deepStrictEqual(refusalOf(yield* patch({})), [422, "body required"])
      for (const member of ["id", "authorKind", "avatarUrl"]) {
        const answer = yield* patch({ bio: "not saved", [member]: "agent" })
        assert.deepStrictEqual(refusalOf(answer), [422, `${member} unknown`])
      }
      assert.deepStrictEqual((yield* read).body, before)
    })
  )

  it.effect("A refused character is named by its code point", () =>
    Effect.gen(function* () {
      const { patch } = yield* owner(4)
      const { body, status } = yield* patch({ name: "Ada\u202eecalevoL", bio: "a\u{e0041}" })
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(body.errors, [
        { field: "name", code: "invalid", message: "Remove U+202E: this text cannot hold it" },
        { field: "bio", code: "invalid", message: "Remove U+E0041: this text cannot hold it" }
      ])
    })
  )

  it.effect("A taken handle is 409 with the field and code (4.2.8)", () =>
    Effect.gen(function* () {
      const first = yield* owner(5)
      const { patch } = yield* owner(6)
      const answer = yield* patch({ handle: first.handle.toUpperCase() })
      assert.deepStrictEqual(refusalOf(answer), [409, "handle taken"])
    })
  )

  it.effect("A PATCH needs no Idempotency-Key, ignores revisions and is safe to repeat (4.2.9)", () =>
    Effect.gen(function* () {
      const { patch, read } = yield* owner(7)
      const change = {
        name: "Ada",
        handle: "ada_7",
        bio: "b",
        socialLinks: [{ label: "x", url: "https://x.com/a" }]
      }
      const first = yield* patch(change)
      const stale = { "if-match": '"stale"', "x-post-revision": "stale", "idempotency-key": "k" }
      for (const headers of [{}, stale, stale]) {
        const repeat = yield* patch(change, headers)
        assert.strictEqual(repeat.status, 200)
        assert.strictEqual(repeat.text, first.text)
        assert.isNull(repeat.headers.get("x-idempotency-replay"))
      }
      assert.isNull(first.headers.get("etag"))
      assert.strictEqual((yield* read).text, first.text)
    })
  )

  it.effect("A changed handle changes the public profile URL and the URLs of Posts (4.2.10)", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { handle, key, patch } = yield* owner(8)
      const { body: post } = yield* client.send("POST", "/api/v1/posts", { token: key, body: completePost })
      yield* client.send("POST", `/api/v1/posts/${post.id}/publish`, {
        token: key,
        headers: { "idempotency-key": "p" }
      })
      const urls = Effect.gen(function* () {
        const me = yield* client.send("GET", "/api/v1/me", { token: key })
        const read = yield* client.send("GET", `/api/v1/posts/${post.id}`, { token: key })
        return [me.body.owner.profileUrl, read.body.url].map((url) => new URL(url).pathname)
      })
      assert.deepStrictEqual(yield* urls, [`/@${handle}`, `/@${handle}/${post.slug}`])
      yield* patch({ handle: "Renamed_8" })
      assert.deepStrictEqual(yield* urls, ["/@Renamed_8", `/@Renamed_8/${post.slug}`])
    })
  )
})
