import { it } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../support/actors/author.ts"
import { TestClient } from "../support/TestClient.ts"
import { people } from "./actors.ts"
import { addressOf } from "./machines.ts"
import { recordingClient } from "./record.ts"
import { measuring } from "./table.ts"
import { databases, LOCAL_TOKEN, originOf, type Service, SERVICES, whole } from "./topology.ts"

const ROUNDS = 30

const clientOf = (service: Service) => recordingClient(originOf(service), { seen: [] })

/** Counts the public reads of a service that a server answered. */
const readsFrom = async (service: Service, server: string) => {
  const metrics = await (
    await fetch(`${originOf(service)}/metrics`, { headers: { "x-local-token": LOCAL_TOKEN } })
  ).text()
  const line = metrics.split("\n").find((it) => it.startsWith(`public_reads_total{server="${server}"}`))
  return Number(line?.split(" ")[1] ?? 0)
}

it.live("A write through one service is soon seen through the other one", () =>
  Effect.gen(function* () {
    yield* whole
    const { standby } = yield* databases
    const fromStandby = Effect.forEach(SERVICES, (service) =>
      Effect.promise(() => readsFrom(service, `${addressOf(standby)}:5432`))
    )
    const before = yield* fromStandby
    const table = measuring("write on A, read on B")
    const [a, b] = [clientOf("pennypress-1"), clientOf("pennypress-2")]
    const number = people()
    const author = yield* authorOf(number()).pipe(Effect.provideService(TestClient, a))
    const millis: Array<number> = []
    const late: Array<string> = []
    for (let round = 0; round < ROUNDS; round++) {
      // The other service has the list, so that it has to forget it.
      yield* b.send("GET", "/api/posts")
      const { id } = yield* author.published()
      const published = performance.now()
      const own = yield* a.send("GET", "/api/posts")
      if (!own.body?.data.some((post: { readonly id: string }) => post.id === id)) late.push(id)
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
    table.none("own writes that a service did not show", late)
    const after = yield* fromStandby
    table.told(
      "reads from the standby",
      after.reduce((sum, count) => sum + count, 0) - before.reduce((sum, count) => sum + count, 0)
    )
    table.none(
      "services that read nothing from the standby",
      SERVICES.filter((_, at) => after[at] === before[at])
    )
    table.judge()
  })
)
