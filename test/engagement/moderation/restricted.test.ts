import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { operations } from "../../operations/document.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { completeDraft, otherService, withKey } from "../../support/actors/otherService.ts"
import { signIn } from "../../support/actors/owner.ts"
import { type Reader, readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"
import { allChooseRankings, refreshDue } from "../leaderboards/refresh.ts"

const because = { actor: "Mo", reason: "Sells what others wrote" }

/** Operations that change something and that a restricted account may use. */
const allowed = new Set([
  "sessionsLogout",
  "apiKeysRevoke",
  "accountDeletionChallenge",
  "accountDeletionKeep",
  "accountDeletionRequest",
  "importsRemove",
  "webhooksRemove"
])

const uuid = "00000000-0000-7000-8000-000000000000"

layer(service(database("test_restricted_accounts"), 1, { adminToken: ADMIN_TOKEN }))(
  "a restricted account",
  (it) => {
    it.effect("A restricted owner signs in, reads, logs out and revokes keys, and learns the reason", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const author = yield* authorOf(1)
        const { id } = yield* author.draft()
        yield* (yield* administrator())["accounts.restrict"]({ handle: author.handle, ...because })

        const { accessToken } = yield* signIn(1)
        for (const token of [accessToken, author.accessToken, author.key]) {
          const me = yield* client.send("GET", "/api/v1/me", { token })
          assert.strictEqual(me.status, 200)
          assert.deepStrictEqual(me.body.publication, {
            ready: false,
            blockers: [{ code: "account_restricted" }]
          })
        }
        assert.strictEqual((yield* author.read(id)).body.title, "On pennies")
        assert.strictEqual((yield* author.send("GET", "")).body.total, 1)
        const keys = yield* client.send("GET", "/api/v1/api-keys", { token: accessToken })
        const { keyId } = keys.body.keys[0]
        const head = yield* client.send("HEAD", "/api/v1/me", { token: accessToken })
        assert.strictEqual(head.status, 200)

        const revoked = yield* client.send("POST", `/api/v1/api-keys/${keyId}/revoke`, { token: accessToken })
        assert.isNotNull(revoked.body.revokedAt)
        const out = yield* client.send("POST", "/api/v1/auth/logout", { token: accessToken })
        assert.strictEqual(out.status, 200)
      })
    )

    it.effect("Every other operation refuses a restricted account, in its error family", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const author = yield* authorOf(2)
        const { accessToken } = yield* signIn(2)
        yield* (yield* administrator())["accounts.restrict"]({ handle: author.handle, ...because })
        const refused: Array<string> = []
        for (const { method, operationId, path, security } of operations) {
          const scheme = Object.keys(security[0] ?? {})[0]
          const token = scheme === "publishingKey" ? author.key : accessToken
          if (scheme === undefined || method === "get" || allowed.has(operationId)) continue
          const answer = yield* client.send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, uuid), {
            token
          })
          assert.deepInclude(
            [
              [403, "account-restricted"],
              [403, "account_restricted"]
            ],
            refusalOf(answer),
            operationId
          )
          refused.push(operationId)
        }
        for (const one of [
          "postsCreate",
          "postsPublish",
          "profileUpdate",
          "payoutAddressSave",
          "uploadsAvatar"
        ])
          assert.include(refused, one)
        assert.isAbove(refused.length, 20)
      })
    )

    it.effect("Every procedure that changes something refuses a restricted account", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(3)
        const { id } = yield* author.draft()
        yield* (yield* administrator())["accounts.restrict"]({ handle: author.handle, ...because })
        const other = yield* otherService()
        const mine = withKey(author.key)
        assert.strictEqual((yield* mine(other["posts.list"]({}))).total, 1)
        assert.strictEqual((yield* mine(other["posts.read"]({ postId: id }))).id, id)
        assert.strictEqual((yield* mine(other["profile.read"]())).handle, author.handle)
        assert.deepStrictEqual(yield* mine(other["uploads.list"]({})), [])
        const refusals = yield* Effect.all([
          Effect.flip(mine(other["posts.create"]({ draft: completeDraft }))),
          Effect.flip(mine(other["posts.publish"]({ postId: id, idempotencyKey: "one" }))),
          Effect.flip(mine(other["posts.remove"]({ postId: id }))),
          Effect.flip(mine(other["profile.declareAgent"]())),
          Effect.flip(mine(other["uploads.removeHeader"]()))
        ])
        assert.deepStrictEqual(new Set(refusals.map(({ _tag }) => _tag)), new Set(["AccountRestricted"]))
      })
    )

    it.effect("A restricted account disappears immediately, and everything returns with former times", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
        const client = yield* TestClient
        const sql = yield* SqlClient.SqlClient
        const moderator = yield* administrator()
        const author = yield* authorOf(4)
        const { id, slug } = yield* author.published({ secondaryCategoryId: 4 })
        const draft = yield* author.draft({ title: "A draft" })
        const { publishedAt } = (yield* author.read(id)).body
        const paths = [
          `/api/profile/${author.handle}`,
          `/api/profile/${author.handle}/summary`,
          `/api/profile/${author.handle}/posts`,
          `/api/profile/${author.handle}/activity`,
          `/api/posts/${id}`,
          `/api/posts/${id}/public-content`,
          `/@${author.handle}`,
          `/@${author.handle}/${slug}`
        ]
        const statuses = Effect.forEach(paths, (path) =>
          Effect.map(client.send("GET", path), ({ status }) => status)
        )
        const listed = Effect.map(client.send("GET", "/api/posts"), ({ body }) =>
          body.data.filter((post: { readonly id: string }) => post.id === id)
        )
        const all = (status: number) => paths.map(() => status)
        assert.deepStrictEqual(yield* statuses, all(200))
        const before = yield* listed

        yield* TestClock.adjust("1 hour")
        yield* moderator["accounts.restrict"]({ handle: author.handle.toUpperCase(), ...because })
        assert.deepStrictEqual(yield* statuses, all(404))
        yield* followRestrictions
        assert.deepStrictEqual(yield* statuses, all(404))
        assert.deepStrictEqual(yield* listed, [])
        assert.strictEqual((yield* author.read(id)).body.status, "draft")
        assert.deepStrictEqual(yield* wrongCounts(sql), [])

        yield* TestClock.adjust("1 hour")
        yield* moderator["accounts.unrestrict"]({ handle: author.handle, ...because })
        yield* followRestrictions
        assert.deepStrictEqual(yield* statuses, all(200))
        const { body: again } = yield* author.read(id)
        assert.strictEqual(again.publishedAt, publishedAt)
        assert.deepStrictEqual(yield* listed, [{ ...before[0], updatedAt: again.updatedAt }])
        assert.strictEqual((yield* author.read(draft.id)).body.status, "draft")
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
      })
    )

    it.effect("A former handle of a restricted account has no redirect", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const author = yield* authorOf(5)
        yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { handle: "moved_away" } })
        assert.strictEqual((yield* client.send("GET", `/api/profile/${author.handle}`)).status, 308)
        yield* (yield* administrator())["accounts.restrict"]({ handle: "moved_away", ...because })
        assert.strictEqual((yield* client.send("GET", `/api/profile/${author.handle}`)).status, 404)
        const free = yield* client.send("GET", "/api/profile/handle-availability?handle=moved_away")
        assert.deepStrictEqual(free.body, { available: false })
      })
    )

    it.effect("A restricted account leaves the lists of others immediately, and gets no new followers", () =>
      Effect.gen(function* () {
        const moderator = yield* administrator()
        const [restricted, fan, idol] = yield* Effect.all([readerOf(20), readerOf(21), readerOf(22)])
        const follow = (one: Reader, other: Reader, following = true) =>
          one.send("PUT", `/api/v1/follows/${other.id}`, { body: { following } })
        yield* follow(restricted, idol)
        yield* follow(fan, restricted)
        yield* (yield* Counters).add
        yield* allChooseRankings
        yield* refreshDue
        const get = (path: string) => Effect.flatMap(TestClient, (client) => client.send("GET", path))
        const listed = (path: string) =>
          Effect.map(get(path), ({ body }) => body.data.map(({ id }: { readonly id: string }) => id))
        const ranked = Effect.map(get("/api/leaderboards?board=creator_followers"), ({ body }) =>
          body.rows.map(({ profile }: { readonly profile: { readonly id: string } }) => profile.id)
        )
        const own = ["/api/followers/", "/api/following/", "/api/follows/counts/"]
        const statuses = Effect.forEach(own, (path) =>
          Effect.map(get(`${path}${restricted.id}`), ({ status }) => status)
        )
        assert.deepStrictEqual(yield* statuses, [200, 200, 200])
        assert.deepStrictEqual(yield* listed(`/api/followers/${idol.id}`), [restricted.id])
        assert.deepStrictEqual(yield* listed(`/api/following/${fan.id}`), [restricted.id])
        assert.include(yield* ranked, restricted.id)

        yield* moderator["accounts.restrict"]({ handle: restricted.handle, ...because })
        assert.deepStrictEqual(yield* statuses, [404, 404, 404])
        assert.deepStrictEqual(yield* listed(`/api/followers/${idol.id}`), [])
        assert.deepStrictEqual(yield* listed(`/api/following/${fan.id}`), [])
        assert.notInclude(yield* ranked, restricted.id)
        assert.deepStrictEqual(refusalOf(yield* follow(idol, restricted)), [404, "not_found"])
        const left = yield* follow(fan, restricted, false)
        assert.deepStrictEqual(left.body, { following: false, follow: null })
        assert.deepStrictEqual(refusalOf(yield* follow(fan, restricted)), [404, "not_found"])
      })
    )

    it.effect("A repeated restriction notifies no one and records nothing", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const moderator = yield* administrator()
        const { handle } = yield* authorOf(6)
        const first = yield* moderator["accounts.restrict"]({ handle, ...because })
        assert.deepInclude(first, { handle, isRestricted: true })
        assert.deepStrictEqual(yield* moderator["accounts.restrict"]({ handle, reason: "Again" }), first)
        yield* TestClock.adjust("1 minute")
        yield* moderator["accounts.unrestrict"]({ handle, reason: "Settled" })
        const { ownerId: subjectId } = first
        yield* moderator["accounts.unrestrict"]({ handle, reason: "Settled twice" })
        const { entries } = yield* moderator["moderation.audit.list"]({ subjectId })
        assert.deepStrictEqual(
          entries.map(({ action, actor, reason }) => ({ action, actor, reason })),
          [
            { action: "accounts.unrestrict", actor: "administrator", reason: "Settled" },
            { action: "accounts.restrict", ...because }
          ]
        )
        const told = yield* sql`
          select data ->> 'code' as code from notifications where recipient_id = ${subjectId} order by id`
        assert.deepStrictEqual(told, [{ code: "account_restricted" }, { code: "account_unrestricted" }])
        const unknown = yield* Effect.flip(
          moderator["accounts.restrict"]({ handle: "nobody_here", ...because })
        )
        assert.strictEqual(unknown._tag, "AccountNotFound")
      })
    )
  }
)
