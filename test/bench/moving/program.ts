import { open, stat } from "node:fs/promises"
import { get as httpGet, type IncomingMessage } from "node:http"
import { join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Layer, Redacted, References } from "effect"
import { publisher } from "../../support/actors/owner.ts"
import { emptyDatabase } from "../../support/Database.ts"
import { clientOf } from "../../support/httpClient.ts"
import { TestClient } from "../../support/TestClient.ts"
import { partsOver } from "../beside/parts.ts"
import { connected, directory, postgres } from "../database.ts"
import { bearer } from "../operation.ts"
import { nanoNode, type Server, service } from "../servers.ts"
import { writeArchive } from "./archive.ts"

const HELP = `Moves an author in and out: imports a ZIP of Markdown with pictures, makes drafts of all posts, and exports the account.

  node test/bench/moving/program.ts [--posts 10000] [--pictures 2000] [--characters 10000] [--quiet]

  --quiet  sends no requests of other people meanwhile.

It prints the time of each part, the memory of the server and of the reader, and how long others waited.`

const { values: options } = parseArgs({
  options: {
    posts: { type: "string", default: "10000" },
    pictures: { type: "string", default: "2000" },
    characters: { type: "string", default: "10000" },
    quiet: { type: "boolean", default: false },
    help: { type: "boolean", default: false }
  }
})
const size = {
  posts: Number(options.posts),
  pictures: Number(options.pictures),
  characters: Number(options.characters)
}

const PIECE_BYTES = 8 * 1024 * 1024
const LOOK_MILLIS = 200
const SLOW_SECONDS = 20
const SLOW_BYTES = 1024
const MEGABYTE = 1024 * 1024

interface Import {
  readonly id: string
  readonly state: string
  readonly counts: { readonly items: number; readonly new: number }
  readonly images: { readonly admitted: number; readonly failed: number }
}

/** Makes requests of an account, which must succeed. */
const asking =
  (server: Server, token: string) =>
  async (path: string, request: RequestInit = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      ...request,
      headers: { ...bearer(token), ...(request.headers as Record<string, string> | undefined) }
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
type Ask = ReturnType<typeof asking>

const jsonOf = async (ask: Ask, path: string, body?: unknown): Promise<Import> => {
  const response = await ask(path, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json", "idempotency-key": path }
  })
  return (await response.json()) as Import
}

const sent = async (ask: Ask, path: string) => {
  const byteSize = (await stat(path)).size
  const begun = await jsonOf(ask, "/api/v1/imports", { fileName: "posts.zip", byteSize })
  const file = await open(path)
  for (let offset = 0; offset < byteSize; offset += PIECE_BYTES) {
    const bytes = new Uint8Array(Math.min(PIECE_BYTES, byteSize - offset))
    await file.read(bytes, 0, bytes.length, offset)
    await ask(`/api/v1/imports/${begun.id}/file`, {
      method: "PUT",
      body: bytes,
      headers: {
        "content-type": "application/octet-stream",
        "content-range": `bytes ${offset}-${offset + bytes.length - 1}/${byteSize}`
      }
    })
  }
  await file.close()
  return begun.id
}

/** Waits as long as an import has a state. Returns it as it is then. */
const whileIn = async (ask: Ask, id: string, state: string) => {
  for (;;) {
    const it = await jsonOf(ask, `/api/v1/imports/${id}`)
    if (it.state !== state) return it
    await pause(LOOK_MILLIS)
  }
}

const sizeOf = async (response: Response) => {
  let bytes = 0
  for await (const part of response.body ?? []) bytes += part.length
  return bytes
}

/** Reads an answer slowly, as a phone on a train does. Returns the most statements that the service had open meanwhile. */
const readSlowly = async (server: Server, token: string) => {
  const response = await new Promise<IncomingMessage>((resolve) =>
    httpGet(`${server.url}/api/v1/account/export`, { headers: bearer(token) }, resolve)
  )
  response.pause()
  let open = 0
  for (let second = 0; second < SLOW_SECONDS; second++) {
    response.read(SLOW_BYTES)
    await pause(1000)
    const [busy] = await server.database.rows<{ readonly count: number }>(
      `select count(*)::int4 as count from pg_stat_activity
       where datname = current_database() and application_name like 'pennypress%' and xact_start is not null`
    )
    open = Math.max(open, busy?.count ?? 0)
  }
  response.destroy()
  return open
}

/** Makes the database, the service over it, the author who moves, and the parts that are measured. */
const world = Effect.gen(function* () {
  const url = Redacted.value(yield* emptyDatabase("pennypress_bench_moving", { server: yield* postgres }))
  const database = yield* connected(url)
  const checkout = {
    name: "service",
    path: resolve(import.meta.dirname, "../../.."),
    database,
    data: yield* directory
  }
  const server = yield* service(checkout, yield* nanoNode(database), true)
  const mover = yield* publisher(1).pipe(Effect.provideService(TestClient, clientOf(server.url)))
  return { server, mover, part: yield* partsOver(server, options.quiet) }
})

type World = Effect.Success<typeof world>

/** Measures each part of a move, and prints it when it ends. */
const move = async ({ mover, part: partOf, server }: World, path: string) => {
  const ask = asking(server, mover.key)
  const part = <A>(name: string, count: number, run: () => Promise<A>) => partOf({ server, name, count, run })
  const id = await part("sending", 1, () => sent(ask, path))
  const read = await part("reading", size.posts, () => whileIn(ask, id, "reading"))
  if (read.state !== "review" || read.counts.new !== size.posts) throw new Error(JSON.stringify(read))
  const applied = await part("applying", size.posts, async () => {
    await jsonOf(ask, `/api/v1/imports/${id}/apply`, { items: "all" })
    return whileIn(ask, id, "applying")
  })
  if (applied.state !== "done" || applied.images.admitted !== size.pictures)
    throw new Error(JSON.stringify(applied))
  const owner = asking(server, mover.accessToken)
  const bytes = await part("export", size.posts, async () => sizeOf(await owner("/api/v1/account/export")))
  console.log(`export of ${(bytes / MEGABYTE).toFixed(0)} MB`)
  const open = await part("slow export", 1, () => readSlowly(server, mover.accessToken))
  console.log(`at ${SLOW_BYTES} bytes a second, at most ${open} transactions are open`)
}

const bench = Effect.gen(function* () {
  const made = yield* world
  const path = join(yield* directory, "posts.zip")
  yield* writeArchive(path, size)
  yield* Effect.promise(() => move(made, path))
}).pipe(
  Effect.scoped,
  Effect.provide([NodeServices.layer, Layer.succeed(References.MinimumLogLevel, "Warn")])
)

if (options.help) console.log(HELP)
else NodeRuntime.runMain(bench)
