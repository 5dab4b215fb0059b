import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { eventually } from "../../support/eventually.ts"
import { servedOver } from "../../support/servedOver.ts"
import { soak } from "../../support/soak.ts"
import { type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { paywalled } from "./paywalled.ts"

const KILLS = soak(1, 8, 50)
/** ZIPs that are under way when the process is killed; every third is stored as it arrives. */
const ZIPS = 10
const LARGE_BYTES = 1_500_000
const SMALL_BYTES = 300_000
/** Time in which they are received, screened and cleared on an idle machine. */
const BUSY_MILLIS = 900

/** Moments that are spread over that time, in no order. */
const momentOf = (kill: number) => ((kill * 0.618_034 + 0.4) % 1) * BUSY_MILLIS

const zipFor = (seed: number) => {
  const content = new Uint8Array(seed % 3 === 0 ? LARGE_BYTES : SMALL_BYTES).map(
    (_, index) => (index * (2_654_435_761 + seed)) >>> 13
  )
  return zipOf([{ name: `${seed}.bin`, content }])
}

/** Returns the processes that a process has started. */
const childrenOf = (pid: number) =>
  globSync(`/proc/${pid}/task/*/children`).flatMap((file) =>
    readFileSync(file, "utf8").trim().split(" ").filter(Boolean)
  )

const commandOf = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** Sends a ZIP again and again, as its author does, until it is received. */
const insist = (request: Effect.Effect<TestAnswer>): Effect.Effect<TestAnswer> =>
  Effect.filterOrElse(
    request,
    ({ body }) => body.safety?.received === true,
    () => Effect.andThen(Effect.sleep("100 millis"), insist(request))
  )

it.live(
  "Ten ZIPs are received by retries and cleared although processes are killed, and leave no waste",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_attachments_kills")
      const directory = yield* temporaryDirectory
      const start = servedOver(url, directory)

      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        let process = yield* start
        const client = TestClient.of({
          send: (...request) => Effect.suspend(() => process.client.send(...request))
        })
        const authors = yield* Effect.forEach(
          Array.from({ length: ZIPS }, (_, n) => n),
          (n) => Effect.provideService(uploaderOf(n + 1), TestClient, client)
        )
        const sent: Array<Buffer> = []

        for (let kill = 0; kill < KILLS; kill++) {
          const posts = yield* Effect.forEach(authors, (author) => author.draft(paywalled))
          const requests = posts.map((post, n) => {
            const content = zipFor(kill * ZIPS + n)
            sent.push(createHash("sha256").update(content).digest())
            const part = { name: "file", fileName: "a.zip", mediaType: "application/zip", content }
            return authors[n]!.attach(post, { key: `kill-${kill}`, parts: [part] })
          })
          const attaching = yield* Effect.forEach(requests, (request) =>
            Effect.forkChild(Effect.exit(request), { startImmediately: true })
          )
          yield* Effect.sleep(momentOf(kill))
          const children = childrenOf(process.pid).map((pid) => [pid, commandOf(pid)] as const)
          yield* process.kill
          yield* Effect.forEach(attaching, Fiber.join)
          yield* eventually(
            "no process outlives the one that started it",
            Effect.sync(() =>
              children.every(([pid, command]) => command === "" || commandOf(pid) !== command)
            )
          )
          // The leases of the dead end.
          yield* sql`update upload_operations set due_at = due_at - interval '3 minutes' where next_task is not null`
          process = yield* start

          yield* Effect.forEach(
            requests,
            Effect.fnUntraced(function* (request, n) {
              const again = yield* insist(request)
              assert.include([200, 202], again.status, again.text)
              yield* eventually(
                "it is cleared",
                Effect.map(authors[n]!.status(again), ({ body }) => body.attachment?.state === "ready")
              )
            }),
            { concurrency: "unbounded" }
          )
        }

        yield* eventually(
          "nothing is left to do",
          Effect.map(
            sql`select from upload_operations where next_task is not null or staged_bytes > 0`,
            (rows) => rows.length === 0
          )
        )
        const store = join(directory, "objects")
        // Killed processes leave their markers for an hour.
        const files = globSync("objects/**/*", { cwd: store, withFileTypes: true }).filter(
          (it) => it.isFile() && !it.parentPath.endsWith("processes~")
        )
        const rows = yield* sql<{ readonly id: string; readonly sha256: string; readonly byte_size: number }>`
          select id, encode(sha256, 'hex') as sha256, byte_size::int4 as byte_size from post_attachments where state = 'ready'`
        assert.deepStrictEqual(
          files.map(({ name }) => name).toSorted(),
          rows.map(({ id }) => `${id}.zip`).toSorted()
        )
        for (const { name, parentPath } of files) {
          const row = rows.find(({ id }) => name === `${id}.zip`)
          const bytes = readFileSync(join(parentPath, name)).subarray(0, row?.byte_size)
          assert.strictEqual(createHash("sha256").update(bytes).digest("hex"), row?.sha256)
        }
        assert.deepStrictEqual(
          rows.map(({ sha256 }) => sha256).toSorted(),
          sent.map((it) => it.toString("hex")).toSorted()
        )
        const temporary = join(store, "temporary")
        assert.deepStrictEqual(existsSync(temporary) ? globSync("*", { cwd: temporary }) : [], [])
      }).pipe(Effect.provide(Layer.fresh(pool(url))))
    }),
  soak(120_000, 600_000, 1_800_000)
)
