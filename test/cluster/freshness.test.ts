import { it } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../support/actors/author.ts"
import { TestClient } from "../support/TestClient.ts"
import { people } from "./actors.ts"
import { recordingClient } from "./record.ts"
import { measuring } from "./table.ts"
import { originOf, whole } from "./topology.ts"

const ROUNDS = 30

const clientOf = (service: "pennypress-1" | "pennypress-2") =>
  recordingClient(originOf(service), { seen: [] })

it.live("A write through one service is soon seen through the other one", () =>
  Effect.gen(function* () {
    yield* whole
    const table = measuring("write on A, read on B")
    const [a, b] = [clientOf("pennypress-1"), clientOf("pennypress-2")]
    const number = people()
    const author = yield* authorOf(number()).pipe(Effect.provideService(TestClient, a))
    const millis: Array<number> = []
    for (let round = 0; round < ROUNDS; round++) {
      // The other service has the list, so that it has to forget it.
      yield* b.send("GET", "/api/posts")
      const { id } = yield* author.published()
      const published = performance.now()
      while (true) {
        const { body } = yield* b.send("GET", "/api/posts")
        if (body?.data.some((post: { readonly id: string }) => post.id === id)) break
        if (performance.now() - published > 3_000) break
      }
      millis.push(performance.now() - published)
    }
    const sorted = millis.toSorted((one, other) => one - other)
    table.atMost("median milliseconds until seen", sorted[Math.floor(ROUNDS / 2)] ?? Number.NaN, 50)
    table.atMost("most milliseconds until seen", sorted.at(-1) ?? Number.NaN, 1_000)
    table.judge()
  })
)
