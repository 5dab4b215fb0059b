import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { type Author, authorOf } from "../../support/actors/author.ts"
import { completePost } from "../../support/actors/owner.ts"
import { soak } from "../../support/soak.ts"
import { TestClient, type TestAnswer } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"

/** Makes an author whose requests alternate between two processes. */
const twoClients = Effect.fnUntraced(function* (name: string) {
  const processes = yield* twoAssemblies(name)
  const author = yield* authorOf(1).pipe(Effect.provide(processes[0]))
  const clients = processes.map((process) => Context.get(process, TestClient))
  const send = (n: number, method: string, path: string, request: object = {}) =>
    clients[n % 2]!.send(method, path, { token: author.key, ...request })
  const atOnce = (count: number, request: (n: number) => Effect.Effect<TestAnswer>) =>
    Effect.forEach(
      Array.from({ length: count }, (_, n) => n),
      request,
      { concurrency: "unbounded" }
    )
  return { author, send, atOnce, sql: Context.get(processes[0], SqlClient.SqlClient), process: processes[0] }
})

const posts = "/api/v1/posts"
const publish = (id: string, key: string) =>
  ["POST", `${posts}/${id}/publish`, { headers: { "idempotency-key": key } }] as const

const countersAreTrue = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  assert.deepStrictEqual(yield* wrongCounts(sql), [])
  assert.deepStrictEqual(
    yield* sql`select o.id from owners o join posts p on p.id = o.pinned_post_id where p.status = 'draft'`,
    []
  )
})

const statuses = (answers: ReadonlyArray<TestAnswer>) => answers.map((it) => it.status)

describe("Posts in two parallel processes", () => {
  it.effect("Fifty creates with one Idempotency-Key create one Post", () =>
    Effect.gen(function* () {
      const { atOnce, send, sql } = yield* twoClients("test_posts_race_create")
      const answers = yield* atOnce(50, (n) =>
        send(n, "POST", posts, { body: completePost, headers: { "idempotency-key": "one" } })
      )
      assert.deepStrictEqual(new Set(statuses(answers)), new Set([201]))
      for (const answer of answers) assert.deepStrictEqual(answer.body, answers[0]!.body)
      assert.strictEqual(answers.filter((it) => it.headers.get("x-idempotency-replay") === null).length, 1)
      assert.strictEqual((yield* sql`select 1 from posts`).length, 1)
    })
  )

  it.effect("Twenty creates with one title give 20 different slugs", () =>
    Effect.gen(function* () {
      const { atOnce, send } = yield* twoClients("test_posts_race_slug")
      const answers = yield* atOnce(20, (n) => send(n, "POST", posts, { body: completePost }))
      assert.deepStrictEqual(new Set(statuses(answers)), new Set([201]))
      assert.strictEqual(new Set(answers.map((it) => it.body.slug)).size, 20)
    })
  )

  it.effect("Fifty publishes with one key change the state once, and answer alike", () =>
    Effect.gen(function* () {
      const { atOnce, author, process, send, sql } = yield* twoClients("test_posts_race_publish")
      const { id } = yield* author.draft().pipe(Effect.provide(process))
      const answers = yield* atOnce(50, (n) => send(n, ...publish(id, "one")))
      assert.deepStrictEqual(new Set(statuses(answers)), new Set([200]))
      for (const answer of answers)
        assert.deepStrictEqual(answer.body, { ...answers[0]!.body, stateChanged: true })
      assert.strictEqual(answers.filter((it) => it.headers.get("x-idempotency-replay") === null).length, 1)
      yield* countersAreTrue(sql)
    })
  )

  it.effect("Fifty publishes with different keys change the state once and count once", () =>
    Effect.gen(function* () {
      const { atOnce, author, process, send, sql } = yield* twoClients("test_posts_race_keys")
      const { id } = yield* author.draft().pipe(Effect.provide(process))
      const answers = yield* atOnce(50, (n) => send(n, ...publish(id, `key-${n}`)))
      assert.deepStrictEqual(new Set(statuses(answers)), new Set([200]))
      assert.strictEqual(answers.filter((it) => it.body.stateChanged).length, 1)
      assert.strictEqual(new Set(answers.map((it) => it.body.publishedAt)).size, 1)
      yield* countersAreTrue(sql)
    })
  )

  it.effect("Authors who create and publish in one category never wait in a circle", () =>
    Effect.gen(function* () {
      const { atOnce, process, send, sql } = yield* twoClients("test_posts_race_category")
      const authors = yield* Effect.forEach([2, 3, 4, 5, 6, 7, 8, 9], authorOf).pipe(Effect.provide(process))
      const answers = yield* atOnce(soak(64, 400), (n) =>
        Effect.gen(function* () {
          const token = authors[n % authors.length]!.key
          const created = yield* send(n, "POST", posts, { token, body: completePost })
          const [method, path, request] = publish(created.body.id, `${n}`)
          return yield* send(n, method, path, { token, ...request })
        })
      )
      assert.deepStrictEqual(new Set(statuses(answers)), new Set([200]))
      yield* countersAreTrue(sql)
    })
  )

  it.effect("Strangers who publish, move and unpublish in few categories keep every count exact", () =>
    Effect.gen(function* () {
      const { atOnce, process, send, sql } = yield* twoClients("test_posts_race_strangers")
      const authors = yield* Effect.forEach([2, 3, 4, 5, 6, 7, 8, 9], authorOf).pipe(Effect.provide(process))
      const categories = (n: number) => ({
        primaryCategoryId: 1 + (n % 3),
        secondaryCategoryId: 1 + ((n + 1) % 3)
      })
      // Each fiber has a Post of its own, and ends with a draft, a moved Post or one in its first categories.
      const script = (n: number) =>
        Effect.gen(function* () {
          const token = authors[n % authors.length]!.key
          const { body: post } = yield* send(n, "POST", posts, {
            token,
            body: { ...completePost, ...categories(n) }
          })
          const step = (method: string, path: string, request: object) =>
            Effect.tap(send(n, method, path, { token, ...request }), ({ status, text }) =>
              Effect.sync(() => assert.strictEqual(status, 200, text))
            )
          const [method, path, request] = publish(post.id, `first-${n}`)
          const published = yield* step(method, path, request)
          if (n % 4 === 0) return published
          const moved = yield* step("PATCH", `${posts}/${post.id}`, { body: categories(n + 1) })
          if (n % 4 === 1) return moved
          const unpublished = yield* step("POST", `${posts}/${post.id}/unpublish`, {})
          if (n % 4 === 2) return unpublished
          return yield* step(...publish(post.id, `second-${n}`))
        })
      const reader = yield* Effect.forkChild(
        Effect.forever(Effect.andThen(countersAreTrue(sql), Effect.yieldNow))
      )
      const scripts = soak(32, 120)
      const answers = yield* Effect.raceFirst(atOnce(scripts, script), Fiber.join(reader))
      yield* Fiber.interrupt(reader)
      assert.deepStrictEqual(new Set(statuses(answers)), new Set([200]))
      yield* countersAreTrue(sql)
      const [{ count } = { count: 0 }] = yield* sql<{ readonly count: number }>`
          select count(*)::integer as count from posts where status = 'published'`
      assert.strictEqual(count, (scripts * 3) / 4)
    })
  )

  it.effect("A publication that has not committed keeps no stranger waiting in its category", () =>
    Effect.gen(function* () {
      const { process, send, sql } = yield* twoClients("test_posts_race_wait")
      const [author, stranger] = yield* Effect.all([authorOf(2), authorOf(3)]).pipe(Effect.provide(process))
      const [open, other] = yield* Effect.all([author.draft(), stranger.draft()]).pipe(
        Effect.provide(process)
      )
      const publishBy = (n: number, { key: token }: Author, id: string) => {
        const [method, path, request] = publish(id, "one")
        return send(n, method, path, { ...request, token })
      }
      yield* sql.withTransaction(
        Effect.gen(function* () {
          // The first process answers inside of this transaction, and the second in one of its own.
          assert.strictEqual((yield* publishBy(0, author, open.id)).status, 200)
          assert.strictEqual((yield* publishBy(1, stranger, other.id)).status, 200)
          const { body } = yield* send(1, "GET", "/api/posts")
          assert.deepStrictEqual(
            body.data.map((it: { readonly id: string }) => it.id),
            [other.id]
          )
          assert.strictEqual(body.total, 1)
        })
      )
      assert.strictEqual((yield* send(1, "GET", `/api/posts/${open.id}`)).status, 200)
      yield* countersAreTrue(sql)
    })
  )

  it.effect("Twenty edits with one revision succeed once", () =>
    Effect.gen(function* () {
      const { atOnce, author, process, send } = yield* twoClients("test_posts_race_edit")
      const post = yield* author.draft().pipe(Effect.provide(process))
      for (const headers of [{ "x-post-revision": post.updatedAt }, undefined]) {
        const answers = yield* atOnce(20, (n) =>
          send(n, "PATCH", `${posts}/${post.id}`, { body: { title: `Title ${n}` }, headers })
        )
        const won = answers.filter((it) => it.status === 200)
        for (const lost of answers.filter((it) => it.status !== 200)) {
          assert.deepStrictEqual(
            [lost.status, lost.body.title],
            [409, "The resource has changed since it was read"]
          )
        }
        if (headers !== undefined) assert.strictEqual(won.length, 1)
        const saved = yield* send(0, "GET", `${posts}/${post.id}`)
        assert.include(
          won.map((it) => it.body.title),
          saved.body.title
        )
      }
    })
  )

  it.effect("Publish, delete, edit, unpublish and pin of the same Posts neither deadlock nor miscount", () =>
    Effect.gen(function* () {
      const { atOnce, author, process, send, sql } = yield* twoClients("test_posts_race_all")
      for (let round = 0; round < soak(3, 10); round++) {
        const drafts = yield* Effect.forEach([3, 4, 3], (primaryCategoryId) =>
          author
            .draft({ primaryCategoryId, secondaryCategoryId: 7 - primaryCategoryId })
            .pipe(Effect.provide(process))
        )
        const answers = yield* atOnce(60, (n) => {
          const { id } = drafts[n % 3]!
          const body = { primaryCategoryId: 3 + (n % 2), secondaryCategoryId: 4 - (n % 2) }
          switch (Math.floor(n / 3) % 6) {
            case 0:
              return send(n, "DELETE", `${posts}/${id}`)
            case 1:
            case 2:
              return send(n, ...publish(id, `${round}-${n}`))
            case 3:
              return send(n, "PATCH", `${posts}/${id}`, {
                body: { ...body, creationMethod: "autonomous_agent" }
              })
            case 4:
              return send(n, "POST", `${posts}/${id}/unpublish`)
            default:
              return send(n, "PATCH", "/api/v1/profile", { body: { pinnedPostId: id } })
          }
        })
        const unexpected = answers.filter((it) => ![200, 204, 404, 409, 422].includes(it.status))
        assert.deepStrictEqual(
          unexpected.map((it) => it.text),
          []
        )
        yield* countersAreTrue(sql)
      }
    })
  )

  it.effect("Edits and publications by one new agent do not wait for each other in a circle", () =>
    Effect.gen(function* () {
      const { atOnce, author, process, send, sql } = yield* twoClients("test_posts_race_agent")
      const agent = { creationMethod: "autonomous_agent" } as const
      for (let round = 0; round < soak(5, 20); round++) {
        yield* sql`update owners set author_kind = 'human'`
        const [edited, draft] = yield* Effect.all([author.published(), author.draft(agent)]).pipe(
          Effect.provide(process)
        )
        const answers = yield* atOnce(2, (n) =>
          n === 0
            ? send(n, "PATCH", `${posts}/${edited.id}`, {
                body: { ...agent, primaryCategoryId: 4, secondaryCategoryId: 3 }
              })
            : send(n, ...publish(draft.id, `${round}`))
        )
        assert.deepStrictEqual(statuses(answers), [200, 200])
      }
      yield* countersAreTrue(sql)
    })
  )
})
