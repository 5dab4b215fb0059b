import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf } from "../../support/actors/author.ts"
import { completePost } from "../../support/actors/owner.ts"
import { TestClient, type TestAnswer } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

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
  assert.deepStrictEqual(
    yield* sql`
      select 'owner' as wrong from owners o where published_post_count <>
        (select count(*) from posts where status = 'published' and owner_id = o.id)
      union all select 'primary' from categories c where primary_post_count <>
        (select count(*) from posts where status = 'published' and primary_category_id = c.id)
      union all select 'secondary' from categories c where secondary_post_count <>
        (select count(*) from posts where status = 'published' and secondary_category_id = c.id)
      union all select 'pinned' from owners o join posts p on p.id = o.pinned_post_id where p.status = 'draft'`,
    []
  )
})

const statuses = (answers: ReadonlyArray<TestAnswer>) => answers.map((it) => it.status)

describe("Posts in two processes at once", () => {
  it.effect("50 creates with one Idempotency-Key create one Post", () =>
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

  it.effect("20 creates of one title give 20 different slugs", () =>
    Effect.gen(function* () {
      const { atOnce, send } = yield* twoClients("test_posts_race_slug")
      const answers = yield* atOnce(20, (n) => send(n, "POST", posts, { body: completePost }))
      assert.deepStrictEqual(new Set(statuses(answers)), new Set([201]))
      assert.strictEqual(new Set(answers.map((it) => it.body.slug)).size, 20)
    })
  )

  it.effect("50 publishes with one key change state once, and answer alike", () =>
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

  it.effect("50 publishes with different keys change state once and count once", () =>
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

  it.effect(
    "Posts of many authors that are created and published in one category never wait in a circle",
    () =>
      Effect.gen(function* () {
        const { atOnce, process, send, sql } = yield* twoClients("test_posts_race_category")
        const authors = yield* Effect.forEach([2, 3, 4, 5, 6, 7, 8, 9], authorOf).pipe(
          Effect.provide(process)
        )
        const answers = yield* atOnce(400, (n) =>
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

  it.effect("20 edits with one revision succeed once", () =>
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

  it.effect(
    "publish, delete, edit, unpublish and pin of the same Posts neither deadlock nor miscount",
    () =>
      Effect.gen(function* () {
        const { atOnce, author, process, send, sql } = yield* twoClients("test_posts_race_all")
        for (let round = 0; round < 6; round++) {
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
      }),
    30_000
  )

  it.effect(
    "edits and publications of one new agent's Posts do not wait for each other in a circle",
    () =>
      Effect.gen(function* () {
        const { atOnce, author, process, send, sql } = yield* twoClients("test_posts_race_agent")
        const agent = { creationMethod: "autonomous_agent" }
        for (let round = 0; round < 10; round++) {
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
      }),
    20_000
  )
})
