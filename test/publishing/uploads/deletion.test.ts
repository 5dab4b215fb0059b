import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ObjectStorageMemory } from "../../../layers/testing/ObjectStorageMemory.ts"
import { pngFile, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { TestClient } from "../../support/TestClient.ts"
import { multipart } from "./multipart.ts"
import { twoProcesses } from "./screenings.ts"

const ROUNDS = 12

/** Lists public copies that their operation does not show, or without their Post or owner. */
const copiesWithoutOwner = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { objects } = yield* ObjectStorageMemory
  const shown = yield* sql<{ readonly key: string }>`
    select 'media/' || u.id as key from upload_operations u
    where u.state in ('queued', 'checking', 'cleared') and u.public_url is not null
      and (exists (select from posts p where p.id = u.target_id) or u.target_id = u.owner_id)`
  const keys = new Set(shown.map(({ key }) => key))
  return [...(yield* objects).keys()].filter(
    (key) => key.startsWith("media/") && !keys.has(key.replace(/\.\w+$/, ""))
  )
})

describe("a draft that is deleted while images arrive for it (spec 3.1)", () => {
  it.effect("A deleted draft leaves no image public, and every public copy has an owner", () =>
    Effect.gen(function* () {
      const processes = yield* twoProcesses("test_upload_deletion")
      const author = yield* uploaderOf(1).pipe(Effect.provide(processes[0]))
      const send = (n: number, method: string, path: string, request: object = {}) =>
        Context.get(processes[n % 2]!, TestClient).send(method, path, { token: author.key, ...request })
      const upload = (
        n: number,
        round: number,
        post: { readonly id: string; readonly updatedAt: string }
      ) => {
        const form = multipart([pngFile(n + 1)])
        return send(n, "POST", `/api/v1/posts/${post.id}/images`, {
          body: form.body,
          headers: {
            ...form.headers,
            "idempotency-key": `round-${round}-${n}`,
            "x-post-revision": post.updatedAt,
            "x-upload-target-key": `node-${n}`
          }
        })
      }
      for (let round = 0; round < ROUNDS; round++) {
        const post = yield* author.draft().pipe(Effect.provide(processes[0]))
        const removed = Effect.andThen(
          Effect.forEach(Array.from({ length: round % 4 }), () => Effect.yieldNow),
          send(round + 1, "DELETE", `/api/v1/posts/${post.id}`)
        )
        const answers = yield* Effect.all(
          [upload(0, round, post), upload(1, round, post), removed, upload(2, round, post)],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answers[2].status, 204, answers[2].text)
        for (const process of processes) yield* Effect.provide(workOff, process)
        assert.deepStrictEqual(yield* Effect.provide(copiesWithoutOwner, processes[0]), [])
        const sql = Context.get(processes[0], SqlClient.SqlClient)
        const left = yield* sql`
          select state from upload_operations u
          where target_id = ${post.id} and (desired or state <> 'cancelled')`
        assert.deepStrictEqual(left, [])
      }
    })
  )
})
