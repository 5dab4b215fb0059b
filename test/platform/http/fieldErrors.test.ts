import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { completePost, publisher } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

type Codes = Readonly<Record<string, string>>

const codesOf = (errors: ReadonlyArray<{ readonly field: string; readonly code: string }>): Codes =>
  Object.fromEntries(errors.map(({ code, field }) => [field, code]))

const over = (limit: number) => "x".repeat(limit + 1)

layer(service(database("test_http_field_errors")))("JSON of the wrong shape", (it) => {
  const patchProfile = Effect.fnUntraced(function* (number: number, body: unknown) {
    const client = yield* TestClient
    const { key } = yield* publisher(number)
    const answer = yield* client.send("PATCH", "/api/v1/profile", { token: key, body })
    assert.strictEqual(answer.status, 422)
    for (const { message } of answer.body.errors) assert.match(message, /\w/)
    assert.strictEqual(new Set(answer.body.errors.map((it: any) => it.field)).size, answer.body.errors.length)
    return codesOf(answer.body.errors)
  })

  const cases: ReadonlyArray<readonly [name: string, body: unknown, expected: Codes]> = [
    ["An unknown member is `unknown`", { nmae: "Ann" }, { nmae: "unknown" }],
    [
      "An unknown member next to a known one is `unknown`",
      { name: "Ann", authorKind: "agent" },
      { authorKind: "unknown" }
    ],
    [
      "A member with a name of JavaScript is `unknown`",
      '{"__proto__":{"name":"x"}}',
      { ["__proto__"]: "unknown" }
    ],
    ["A member of a wrong type is `invalid`", { name: 1 }, { name: "invalid" }],
    ["Too few characters are `too_short`", { name: "" }, { name: "too_short" }],
    ["Too many characters are `too_long`", { bio: over(250) }, { bio: "too_long" }],
    [
      "Too many items are `too_long`",
      { socialLinks: ["x", "y", "z"].map((it) => ({ label: "X", url: `https://${it}.test` })) },
      { socialLinks: "too_long" }
    ],
    [
      "A number beyond its bounds is `out_of_range`",
      { tipping: { buttonLabel: "Tip", amounts: [0, 1, 2] } },
      { "tipping.amounts": "out_of_range" }
    ],
    [
      "A missing member is `required`, at its path",
      { tipping: { amounts: [1, 2, 3] } },
      { "tipping.buttonLabel": "required" }
    ],
    [
      "A nested member is named by its path",
      { socialLinks: [{ label: "X", url: "nope" }] },
      { "socialLinks.0.url": "invalid" }
    ],
    [
      "Several nested members are named together",
      {
        socialLinks: [
          { label: "", url: "nope" },
          { url: "https://x.test", more: 1 }
        ]
      },
      {
        "socialLinks.0.label": "too_short",
        "socialLinks.0.url": "invalid",
        "socialLinks.1.label": "required",
        "socialLinks.1.more": "unknown"
      }
    ],
    [
      "Several members are named together",
      { name: 7, handle: "abc", bio: over(250), location: [], extra: null },
      { name: "invalid", handle: "too_short", bio: "too_long", location: "invalid", extra: "unknown" }
    ],
    [
      "A wrong union is described by its closest alternative",
      { socialLinks: {} },
      { socialLinks: "invalid" }
    ],
    ["A null that does not clear is `invalid`", { name: null }, { name: "invalid" }],
    ["Text with U+0000 is `invalid`", { name: "a\0b" }, { name: "invalid" }],
    ["Text with half a surrogate pair is `invalid`", '{"bio":"\\ud800"}', { bio: "invalid" }]
  ]

  for (const [index, [name, body, expected]] of cases.entries()) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const codes = yield* patchProfile(10 + index, body)
        assert.deepStrictEqual(new Map(Object.entries(codes)), new Map(Object.entries(expected)))
      })
    )
  }

  it.effect("A header is named as it is written", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { key } = yield* publisher(2)
      const post = yield* client.send("POST", "/api/v1/posts", { token: key, body: completePost })
      const path = `/api/v1/posts/${post.body.id}/publish`
      const missing = yield* client.send("POST", path, { token: key })
      assert.deepStrictEqual(codesOf(missing.body.errors), { "Idempotency-Key": "required" })
      const long = yield* client.send("POST", path, {
        token: key,
        headers: { "idempotency-key": over(255) }
      })
      assert.deepStrictEqual(codesOf(long.body.errors), { "Idempotency-Key": "too_long" })
      const spaced = yield* client.send("POST", path, { token: key, headers: { "idempotency-key": "a b" } })
      assert.deepStrictEqual(codesOf(spaced.body.errors), { "Idempotency-Key": "invalid" })
    })
  )

  it.effect("A query and a path also have entries, in the problem family", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { key } = yield* publisher(3)
      const query = yield* client.send("GET", "/api/v1/posts?page=0&per_page=51&status=gone&more=1", {
        token: key
      })
      assert.strictEqual(query.status, 422)
      assert.deepStrictEqual(codesOf(query.body.errors), {
        page: "out_of_range",
        per_page: "out_of_range",
        status: "invalid",
        more: "unknown"
      })
      const path = yield* client.send("GET", "/api/v1/posts/none", { token: key })
      assert.strictEqual(path.status, 422)
      assert.deepStrictEqual(codesOf(path.body.errors), { postId: "invalid" })
    })
  )

  it.effect("The ordinary JSON family has its entries in data.errors", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { body, headers, status } = yield* client.send("GET", "/api/posts?page=x&sort=best")
      assert.strictEqual(status, 422)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.strictEqual(body.statusCode, 422)
      assert.strictEqual(body.data.code, "validation")
      assert.deepStrictEqual(codesOf(body.data.errors), { page: "invalid", sort: "invalid" })
    })
  )
})
