import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { reject } from "./rejections.ts"

describe("a rejected image in two parallel processes", () => {
  it.effect("A rejected image is gone despite concurrent edits, publications and other removals", () =>
    Effect.gen(function* () {
      const [one, two] = yield* twoAssemblies("test_posts_image_references_races")
      const author = yield* Effect.provide(authorOf(1), one)
      const clients = [Context.get(one, TestClient), Context.get(two, TestClient)]
      const images = Array.from({ length: 4 }, (_, n) => `https://media.test/${n}.png`)
      const content = images.map((it) => `![a](${it})`).join("\n\n")
      const edited = `${content}\n\nedited`
      for (let round = 0; round < 5; round++) {
        const draft = yield* author.draft({ freeContentMarkdown: `${content}\n\nstays` })
        const headers = { "x-post-revision": draft.updatedAt }
        const send = (n: number, method: string, path: string, request: object) =>
          clients[n % 2]!.send(method, `/api/v1/posts/${draft.id}${path}`, {
            token: author.key,
            ...request
          }).pipe(Effect.map((it) => it.status))
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 16 }, (_, n) => n),
          (n) => {
            switch (n % 4) {
              case 0:
                return reject(draft.id, images[n / 4]!).pipe(
                  Effect.map((isRemoved) => (isRemoved ? 200 : 0)),
                  Effect.orDie,
                  Effect.provide(n % 8 === 0 ? one : two)
                )
              case 1:
                return send((n - 1) / 4, "PATCH", "", { body: { description: `d${n}` } })
              case 2:
                return send((n - 2) / 4, "PATCH", "", { body: { freeContentMarkdown: edited }, headers })
              default:
                return send(n, "POST", "/publish", { headers: { "idempotency-key": `${n}` } })
            }
          },
          { concurrency: "unbounded" }
        )
        // Every image was there until its removal, as no edit could overwrite it.
        outcomes.forEach((status, n) => assert.include(n % 4 === 0 ? [200] : [200, 409], status))
        // An edit writes the whole Post and must not restore a removed image.
        const { body } = yield* Effect.provide(author.read(draft.id), one)
        for (const it of images) assert.notInclude(body.freeContentMarkdown, it)
        assert.match(body.freeContentMarkdown, /stays|edited/)
      }
    }).pipe(Effect.scoped)
  )
})
