import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inTime, pngFile, uploaderOf } from "../../../support/actors/uploader.ts"
import { TestClient, type TestAnswer } from "../../../support/TestClient.ts"
import { twoAssemblies } from "../../../support/twoServices.ts"
import { type FormPart, multipart } from "../multipart.ts"
import { storedKeys } from "./remains.ts"

/** An author whose requests go to two processes in turn. Each has a store of its own. */
const twoClients = Effect.fnUntraced(function* (name: string) {
  const processes = yield* twoAssemblies(name)
  const author = yield* uploaderOf(1).pipe(Effect.provide(processes[0]))
  const send = (n: number, method: string, path: string, request: object = {}) =>
    Context.get(processes[n % 2]!, TestClient).send(method, path, { token: author.key, ...request })
  const upload = (
    n: number,
    path: string,
    key: string,
    file: FormPart,
    headers: Readonly<Record<string, string>> = {}
  ) => {
    const form = multipart([file])
    return send(n, "POST", path, {
      body: form.body,
      headers: { "idempotency-key": key, ...form.headers, ...headers }
    })
  }
  const atOnce = (count: number, request: (n: number) => Effect.Effect<TestAnswer>) =>
    Effect.forEach(
      Array.from({ length: count }, (_, n) => n),
      request,
      { concurrency: "unbounded" }
    )
  const sql = Context.get(processes[0], SqlClient.SqlClient)
  const forget = Effect.andThen(sql`delete from upload_operations`, sql`delete from upload_transfers`)
  /** The keys in both stores. */
  const stored = Effect.map(
    Effect.forEach(processes, (it) => Effect.provide(storedKeys, it)),
    (all) => all.flat()
  )
  return { author, send, upload, atOnce, sql, forget, stored, process: processes[0] }
})

const AVATAR = "/api/v1/profile/avatar"
const ROUNDS = 5

const statuses = (answers: ReadonlyArray<TestAnswer>) =>
  answers.map((it) => it.status).toSorted((a, b) => a - b)
const idOf = ({ body }: TestAnswer) => body.safety.operationId as string

describe("uploads in two parallel processes (4.4)", () => {
  it.effect("Two concurrent requests with one key are one operation and one winner", () =>
    Effect.gen(function* () {
      const { atOnce, forget, sql, stored, upload } = yield* twoClients("test_upload_race_key")
      for (let round = 0; round < ROUNDS; round++) {
        const before = (yield* stored).length
        const answers = yield* inTime(atOnce(2, (n) => upload(n, AVATAR, "one", pngFile(1))))
        assert.deepStrictEqual(statuses(answers), [200, 202])
        assert.strictEqual(idOf(answers[0]!), idOf(answers[1]!))
        const [winner, loser] = answers.toSorted((a, b) => b.status - a.status)
        assert.deepStrictEqual([winner!.body.replayed, loser!.body.replayed], [false, true])
        assert.isTrue(winner!.body.safety.received)
        assert.strictEqual((yield* sql`select from upload_operations`).length, 1)
        assert.strictEqual((yield* stored).length, before + 2)
        yield* forget
      }
    })
  )

  it.effect("One key for two concurrent files receives one, and a later replay of the other is 409", () =>
    Effect.gen(function* () {
      const { atOnce, forget, sql, upload } = yield* twoClients("test_upload_race_files")
      for (let round = 0; round < ROUNDS; round++) {
        const answers = yield* inTime(atOnce(4, (n) => upload(n, AVATAR, "one", pngFile(n + 1))))
        const winners = answers.filter((it) => it.status === 202)
        assert.strictEqual(winners.length, 1, answers.map((it) => it.text).join("\n"))
        for (const answer of answers) assert.include([200, 202, 409], answer.status, answer.text)
        assert.strictEqual((yield* sql`select from upload_operations`).length, 1)
        const later = yield* atOnce(4, (n) => upload(n, AVATAR, "one", pngFile(n + 1)))
        assert.deepStrictEqual(statuses(later), [200, 409, 409, 409])
        assert.strictEqual(
          answers.indexOf(winners[0]!),
          later.findIndex((it) => it.status === 200)
        )
        yield* forget
      }
    })
  )

  it.effect("Ten concurrent avatars get generations 1 to 10, and only the last is associated", () =>
    Effect.gen(function* () {
      const { atOnce, forget, send, upload } = yield* twoClients("test_upload_race_avatars")
      for (let round = 0; round < ROUNDS; round++) {
        const answers = yield* atOnce(10, (n) => upload(n, AVATAR, `key-${n}`, pngFile(n + 1)))
        assert.deepStrictEqual(new Set(statuses(answers)), new Set([202]))
        assert.deepStrictEqual(
          answers.map(({ body }) => body.safety.generation).toSorted((a, b) => a - b),
          [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        )
        const { operations } = (yield* send(0, "GET", "/api/v1/upload-operations")).body
        const associated = operations.filter((it: TestAnswer["body"]) => it.safety.associated)
        assert.strictEqual(associated.length, 1)
        assert.deepStrictEqual(
          [associated[0].safety.generation, associated[0].safety.currentGeneration],
          [10, 10]
        )
        const profile = yield* send(1, "GET", "/api/v1/profile")
        assert.strictEqual(profile.body.avatarUrl, associated[0].publicUrl)
        yield* forget
      }
    })
  )

  it.effect("Ten unfinished operations are never exceeded", () =>
    Effect.gen(function* () {
      const { atOnce, forget, upload } = yield* twoClients("test_upload_race_limit")
      for (let round = 0; round < ROUNDS; round++) {
        const answers = yield* atOnce(16, (n) => upload(n, AVATAR, `key-${n}`, pngFile(n + 1)))
        assert.strictEqual(answers.filter((it) => it.status === 202).length, 10)
        assert.strictEqual(answers.filter((it) => it.status === 429).length, 6)
        yield* forget
      }
    })
  )

  it.effect("Uploads, edits and cancellations of one Post neither deadlock nor lose a revision", () =>
    Effect.gen(function* () {
      const { atOnce, author, forget, process, send, upload } = yield* twoClients("test_upload_race_og")
      const post = yield* author.draft().pipe(Effect.provide(process))
      for (let round = 0; round < ROUNDS; round++) {
        const path = `/api/v1/posts/${post.id}`
        const revision = { "x-post-revision": (yield* send(0, "GET", path)).body.updatedAt as string }
        const first = yield* upload(0, `${path}/images?intent=og`, "first", pngFile(99), revision)
        const latest = { "x-post-revision": first.body.currentRevision as string }
        const answers = yield* atOnce(12, (n) => {
          switch (n % 4) {
            case 0:
              return upload(n, `${path}/images?intent=og`, `og-${n}`, pngFile(n + 1), latest)
            case 1:
              return send(n, "PATCH", path, { body: { title: `Title ${n}` }, headers: latest })
            case 2:
              return send(n, "POST", first.body.actions.associate)
            default:
              return send(n, "DELETE", first.body.actions.cancel)
          }
        })
        for (const answer of answers) assert.include([200, 202, 409], answer.status, answer.text)
        const edits = answers.filter((_, n) => n % 4 === 1)
        assert.isAtMost(edits.filter((it) => it.status === 200).length, 1)
        const { operations } = (yield* send(1, "GET", `/api/v1/upload-operations?postId=${post.id}`)).body
        const uploaded = operations.filter((it: TestAnswer["body"]) => it.safety.desired)
        const saved = (yield* send(0, "GET", path)).body
        // Only edits check the revision. The last upload wins if any succeeded.
        const current = uploaded.find(
          (it: TestAnswer["body"]) => it.safety.generation === it.safety.currentGeneration
        )
        assert.strictEqual(saved.ogImage, current?.publicUrl ?? null)
        yield* forget
        yield* send(0, "PATCH", path, { body: { ogImage: null } })
      }
    })
  )
})
