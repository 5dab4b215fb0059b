import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { access } from "../../support/actors/buyer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { paidPost, SECRET } from "./paidPost.ts"

const TURNS = 10
const READERS = 6
const OPEN = "Open to all."

it.effect(
  "A Post that turns free and paid again never shows its paid text to readers who have not paid",
  () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_payments_access_turning")
      const [first] = processes
      yield* Effect.gen(function* () {
        const author = yield* authorOf(1)
        const { id } = yield* author.published(paidPost)
        const { accessToken } = yield* readerOf(2)
        const turn = (number: number) =>
          author.patch(
            id,
            number % 2 === 0
              ? { enablePaywall: false, paidContentMarkdown: OPEN }
              : { enablePaywall: true, paidContentMarkdown: SECRET }
          )
        const seen = new Set<string>()
        let isTurning = true
        const read = (number: number) =>
          Effect.gen(function* () {
            const { body, status } = yield* access(id, number % 3 === 0 ? { token: accessToken } : {})
            seen.add(`${status} ${body.post?.content.paid ?? ""}`)
          }).pipe(
            Effect.provideService(TestClient, Context.get(processes[number % 2]!, TestClient)),
            Effect.repeat({ while: () => isTurning })
          )
        const turns = Effect.forEach(
          Array.from({ length: TURNS }, (_, number) => number),
          turn
        ).pipe(Effect.ensuring(Effect.sync(() => void (isTurning = false))))
        const readers = Effect.forEach(
          Array.from({ length: READERS }, (_, number) => number),
          read,
          { concurrency: "unbounded" }
        )
        yield* Effect.all([turns, readers], { concurrency: 2 })
        assert.isNotEmpty([...seen])
        for (const one of seen) assert.include([`200 ${OPEN}`, "402 "], one)
      }).pipe(Effect.provide(first))
    })
)
