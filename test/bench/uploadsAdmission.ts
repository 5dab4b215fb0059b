import { Effect } from "effect"
import type { Round } from "./load.ts"
import { type OperationResult, summarise } from "./report.ts"
import { type ServerName, start } from "./servers.ts"
import type { UploadedImage } from "./uploadsImages.ts"
import { forgetUploads, uploadRound } from "./uploadsRound.ts"
import { screeningBegun, screeningPutOff, type UploadTargets } from "./uploadsTargets.ts"

const CLIENTS = 32
const WARM_UP_SECONDS = 2

/** The screening beside admissions: it takes the processor of the same machine. */
const variants = [
  { name: "put-off", title: "screening put off", isPutOff: true, settings: {} },
  {
    name: "one",
    title: "beside SCREENING_CONCURRENCY=1",
    isPutOff: false,
    settings: { SCREENING_CONCURRENCY: "1" }
  },
  { name: "default", title: "beside screening as it is by default", isPutOff: false, settings: {} }
] as const

type Variant = (typeof variants)[number]

/** Runs rounds in turn, ours and the reference's. Forgets the uploads of a round, so that no other round screens them. */
const compare = Effect.fnUntraced(function* (
  variant: Variant,
  url: string,
  targets: UploadTargets,
  images: ReadonlyArray<UploadedImage>,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
) {
  const { isPutOff, name, settings, title } = variant
  yield* isPutOff ? screeningPutOff() : screeningBegun()
  const service = yield* start("pennypress", url, {}, { SCANNER: "none", ...settings })
  const reference = yield* start("fastify-multipart", url)
  const servers = [service, reference]
  const results = new Map<ServerName, Array<Round>>(servers.map((server) => [server.name, []]))
  const round = Effect.fnUntraced(function* (server: (typeof servers)[number], seconds: number) {
    const result = yield* uploadRound(server, targets, images, { clients: CLIENTS, seconds })
    yield* forgetUploads(server)
    return result
  })
  for (const server of servers) yield* round(server, WARM_UP_SECONDS)
  for (let n = 0; n < rounds; n++) {
    for (const server of servers) results.get(server.name)?.push(yield* round(server, seconds))
  }
  return summarise({ name: `admission-${name}`, title: `Admit a JPEG of 200 kB, ${title}` }, results)
}, Effect.scoped)

/** Measures uploads of 200 kB by 32 clients, to us and to a server that only stores them durably. */
export const admissions = Effect.fnUntraced(function* (
  url: string,
  targets: UploadTargets,
  images: ReadonlyArray<UploadedImage>,
  length: { readonly rounds: number; readonly seconds: number },
  onResult: (result: OperationResult) => Effect.Effect<void>
) {
  const results: Array<OperationResult> = []
  for (const variant of variants) {
    const result = yield* compare(variant, url, targets, images, length)
    yield* onResult(result)
    results.push(result)
  }
  return results
})
