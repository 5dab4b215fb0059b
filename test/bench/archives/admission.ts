import { Effect } from "effect"
import type { Round } from "../load.ts"
import { closedLoop } from "../loops.ts"
import { summarise } from "../report.ts"
import type { Seed } from "../seed.ts"
import { type Server, type ServerName, start } from "../servers.ts"
import { archive } from "../targets.ts"
import { forgetUploads } from "../uploadsRound.ts"
import { screeningPutOff } from "../uploadsTargets.ts"
import { attacherTo } from "./client.ts"
import { archiveOf } from "./files.ts"
import { archiveTargets } from "./targets.ts"

const CLIENTS = 8
const ARCHIVE_BYTES = 5 * 1024 * 1024
const ARCHIVES = 4

/** Attaches ZIPs of 5 MiB by 8 clients, to us and to a server that only stores them durably. Screening is put off. */
export const archiveAdmission = Effect.fnUntraced(function* (
  { seed, url }: { readonly seed: Seed; readonly url: string },
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
) {
  const archives = Array.from({ length: ARCHIVES }, (_, n) => archiveOf(n + 1, ARCHIVE_BYTES))
  yield* screeningPutOff()
  const service = yield* start("pennypress", url, {}, { SCANNER: "none" })
  const reference = yield* start("fastify-multipart", url)
  const servers = [service, reference]
  const results = new Map<ServerName, Array<Round>>(servers.map(({ name }) => [name, []]))

  const round = Effect.fnUntraced(function* (server: Server) {
    const { attach, close } = attacherTo(server.url, yield* archiveTargets(seed), archives)
    const finish = server.measure()
    const start = performance.now()
    const latencies = yield* Effect.promise(() =>
      closedLoop({ clients: CLIENTS, seconds, run: attach }).finally(close)
    )
    const elapsed = (performance.now() - start) / 1000
    const result: Round = { ...finish(), requests: latencies.length, seconds: elapsed, latencies }
    yield* forgetUploads(server)
    return result
  })
  for (const server of servers) yield* round(server)
  for (let n = 0; n < rounds; n++)
    for (const server of servers) results.get(server.name)?.push(yield* round(server))
  return summarise(
    { name: "archives", title: "Attach a ZIP of 5 MiB, screening put off", targets: archive },
    results
  )
}, Effect.scoped)
