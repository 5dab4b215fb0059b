import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { limits } from "../../../schemas/platform/rate-limits/limits.ts"
import { ServiceRpcs } from "../../../schemas/ServiceRpcs.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { completeDraft, otherService, withKey } from "../../support/actors/otherService.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { keysOf } from "../api-keys/keys.ts"

const postId = PostId.make("00000000-0000-7000-8000-000000000000")

/** Sends calls as they are on the wire, and returns the exit of each by its id. */
const sendCalls = Effect.fnUntraced(function* (
  calls: ReadonlyArray<{
    readonly tag: string
    readonly payload?: unknown
    readonly headers?: ReadonlyArray<readonly [string, string]>
  }>,
  headers: Readonly<Record<string, string>> = {}
) {
  const client = yield* TestClient
  const lines = calls.map(({ headers: own = [], payload = null, tag }, id) =>
    JSON.stringify({ _tag: "Request", id: String(id), tag, payload, headers: own })
  )
  const body = `${lines.join("\n")}\n`
  const answer = yield* client.send("POST", "/rpc", { token: ADMIN_TOKEN, headers, body })
  assert.strictEqual(answer.status, 200, answer.text)
  const answers = answer.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  assert.lengthOf(answers, calls.length)
  return calls.map((_, id) => answers.find(({ requestId }) => requestId === String(id)).exit)
})

/** Returns the tag of the error of an exit on the wire. */
const failureOf = (exit: any) => exit.cause?.[0]?.error?._tag

layer(service(database("test_rpc_security"), 1, { adminToken: ADMIN_TOKEN }))("the two credentials", (it) => {
  it.effect("A wrong service token is refused before any procedure, with any key", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const stranger = yield* otherService(`${ADMIN_TOKEN.slice(0, -1)}x`)
      const asAuthor = withKey(author.key)
      for (const refused of [
        Effect.flip(asAuthor(stranger["posts.list"]({}))),
        Effect.flip(asAuthor(stranger["profile.read"]())),
        Effect.flip(asAuthor(stranger["uploads.list"]({}))),
        Effect.flip(stranger["discovery.posts"]({}))
      ]) {
        assert.strictEqual((yield* refused)._tag, "NotAdministrator")
      }
      const keyAsToken = yield* otherService(author.key)
      const refused = yield* Effect.flip(asAuthor(keyAsToken["posts.list"]({})))
      assert.strictEqual(refused._tag, "NotAdministrator")
    })
  )

  it.effect("Every procedure for a service also checks the token of its call", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const headers = [
        ["authorization", "Bearer another-token-of-at-least-32-characters"],
        ["x-api-key", author.key]
      ] as const
      for (const [tag, payload] of [
        ["posts.list", {}],
        ["profile.read", null],
        ["uploads.list", {}],
        ["discovery.posts", {}]
      ] as const) {
        const [exit] = yield* sendCalls([{ tag, payload, headers }])
        assert.strictEqual(failureOf(exit), "NotAdministrator", tag)
      }
      const unchecked = [...ServiceRpcs.requests.values()].filter(
        ({ middlewares }) => ![...middlewares].some(({ key }) => key.endsWith("/security/Operator"))
      )
      assert.deepStrictEqual(unchecked, [])
    })
  )

  it.effect("A procedure needs an active Publishing key, but public reads need none", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const session = yield* signIn(4)
      const client = yield* otherService()
      const list = client["posts.list"]({})
      const detailOf = Effect.fnUntraced(function* (call: typeof list) {
        const error = yield* Effect.flip(call)
        assert(error._tag === "Unauthorized", error._tag)
        return error.detail ?? ""
      })
      assert.match(yield* detailOf(list), /^The call has no Publishing key/)
      assert.match(yield* detailOf(withKey("")(list)), /Publishing key/)
      assert.match(yield* detailOf(withKey(session.accessToken)(list)), /^An access token was sent/)
      assert.match(yield* detailOf(withKey(session.refreshToken)(list)), /^A refresh token was sent/)
      assert.match(yield* detailOf(withKey(ADMIN_TOKEN)(list)), /unknown form/)
      assert.match(yield* detailOf(withKey(`${author.key.slice(0, -1)}!`)(list)), /wrong, expired or revoked/)
      const swapped = author.key.slice(0, -1) + (author.key.endsWith("0") ? "1" : "0")
      assert.match(yield* detailOf(withKey(swapped)(list)), /wrong, expired or revoked/)
      assert.strictEqual((yield* withKey(author.key)(list)).total, 0)
      yield* (yield* keysOf(author.accessToken)).revoke(author.key.split("_")[1] ?? "")
      assert.match(yield* detailOf(withKey(author.key)(list)), /wrong, expired or revoked/)
      assert.isArray((yield* client["discovery.categories"]()).data)
    })
  )

  it.effect("Each call of a body acts only for the key that it names", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* authorOf(5), yield* authorOf(6)]
      const exits = yield* sendCalls(
        [
          { tag: "profile.read" },
          { tag: "profile.read", headers: [["x-api-key", other.key]] },
          { tag: "profile.read" }
        ],
        { "x-api-key": one.key }
      )
      assert.deepStrictEqual(
        exits.map(({ value }) => value.handle),
        [one.handle, other.handle, one.handle]
      )
    })
  )

  it.effect("A payload that does not decode fails its own call, and names the member", () =>
    Effect.gen(function* () {
      const { key } = yield* authorOf(7)
      const draft = { freeContentMarkdown: "Text" }
      const exits = yield* sendCalls(
        [
          { tag: "posts.read", payload: { postId: "no id" } },
          { tag: "posts.create", payload: null },
          { tag: "uploads.avatar", payload: { requestKey: "a", bytes: "no base64!" } },
          { tag: "discovery.posts", payload: { per_page: "51" } },
          { tag: "posts.create", payload: { draft } }
        ],
        { "x-api-key": key }
      )
      const defects = exits.slice(0, -1).map(({ cause }) => cause[0])
      for (const { _tag } of defects) assert.strictEqual(_tag, "Die")
      for (const [at, member] of [
        [0, "postId"],
        [2, "bytes"],
        [3, "per_page"]
      ] as const) {
        assert.include(defects[at].defect, member)
      }
      assert.strictEqual(exits.at(-1)._tag, "Success")
      assert.strictEqual((yield* withKey(key)((yield* otherService())["posts.list"]({}))).total, 1)
    })
  )
})

const factor = 1 / 20

layer(service(database("test_rpc_limits"), 1, { adminToken: ADMIN_TOKEN, rateLimitFactor: factor }))(
  "the limits of a key",
  (it) => {
    it.effect("Calls over RPC and requests over HTTP share the limit of a key", () =>
      Effect.gen(function* () {
        const client = yield* otherService()
        const session = yield* signIn(1)
        const { body } = yield* (yield* keysOf(session.accessToken)).issue({})
        const asAuthor = withKey(body.key)
        const quota = limits.key.limit * factor
        // Half over HTTP and half over RPC.
        for (let n = 0; n < quota; n++) {
          if (n % 2 === 0) yield* asAuthor(client["posts.list"]({}))
          else {
            const answer = yield* (yield* TestClient).send("GET", "/api/v1/profile", { token: body.key })
            assert.strictEqual(answer.status, 200)
          }
        }
        for (const refused of [
          Effect.flip(asAuthor(client["posts.list"]({}))),
          Effect.flip(asAuthor(client["posts.read"]({ postId })))
        ]) {
          const error = yield* refused
          assert(error._tag === "RateLimited", error._tag)
          assert.isAtLeast(error.retryAfterSeconds, 1)
        }
        // Creations have a limit of their own.
        const create = (idempotencyKey: string) =>
          asAuthor(client["posts.create"]({ draft: completeDraft, idempotencyKey }))
        const creations = limits["post-creation"].limit * factor
        for (let n = 0; n < creations; n++) yield* create(`${n}`)
        const error = yield* Effect.flip(create("one-more"))
        assert(error._tag === "RateLimited")
        assert.isAtLeast(error.retryAfterSeconds, 1)
        assert.strictEqual((yield* create("0")).replayed, true)
        yield* TestClock.adjust("61 seconds")
        assert.strictEqual((yield* create("one-more")).replayed, false)
      })
    )
  }
)
