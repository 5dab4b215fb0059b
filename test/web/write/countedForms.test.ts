import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { browser } from "../browser.ts"
import { hiddenOf, written } from "../desk/author.ts"
import { authorOf, draftOf, pageOf } from "./author.ts"

const ACCOUNT_LIMIT = 240
const LONG = '"'.repeat(200_000)

layer(service(database("test_web_counted_forms"), 1, { rateLimitFactor: 1 }))("Long forms", (it) => {
  it.effect("A view of a long form counts by its length, and a short one as one request", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(1)
      const path = yield* draftOf(reader, { ...written, free: LONG, paid: LONG })
      let views = 0
      while ((yield* reader.get(path)).status === 200) views++
      assert.isAtMost(views, ACCOUNT_LIMIT / 7)
      assert.isAtLeast(views, 20)
      const other = yield* authorOf(2)
      const short = yield* draftOf(other)
      for (let view = 0; view < 100; view++) yield* pageOf(other, short)
    })
  )

  it.effect("A long form of a stranger counts by its length", () =>
    Effect.gen(function* () {
      const form = { ...hiddenOf(yield* pageOf(yield* authorOf(3), "/write")), ...written, free: LONG }
      const reader = yield* browser
      reader.comesFrom({ from: "203.0.113.77" })
      let answers = 0
      while ((yield* reader.post("/write", form)).status === 401) answers++
      assert.isAtMost(answers, 130)
    })
  )
})
