import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { eventually } from "../../support/eventually.ts"
import { servedOver } from "../../support/servedOver.ts"
import { soak } from "../../support/soak.ts"
import { TestClient } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { pngOf } from "../image-formats/png/makePng.ts"

const ROUNDS = soak(1, 12, 50)
/** Posts of a file. Every third one has a picture. */
const POSTS = soak(45, 150)
const EVERY = 3
/** Kills of each act of a round: of the reader alone and of the service, in turn. */
const KILLS = soak(1, 2)
/** Time in which a file is read, or its drafts are made, on an idle machine. */
const BUSY_MILLIS = soak(900, 3_000)

/** Moments that are spread over that time, in no order. */
const momentOf = (kill: number) => ((kill * 0.618_034 + 0.3) % 1) * BUSY_MILLIS

const fileOf = (round: number) => {
  const posts = Array.from({ length: POSTS }, (_, n) => ({
    name: `posts/${n}.md`,
    content: [
      `---\nid: ${round}-${n}\ntitle: Post ${n}\nslug: round-${round}-post-${n}\ndate: 2020-01-01\n---\n\nWords of post ${n}.`,
      `[The next one](/posts/${(n + 1) % POSTS}).`,
      ...(n % EVERY === 0 ? [`![A picture](/images/${n}.png)`] : [])
    ].join("\n\n")
  }))
  const pictures = posts.flatMap((_, n) =>
    n % EVERY === 0
      ? [{ name: `images/${n}.png`, content: pngOf({ width: 8, height: 8, seed: round * POSTS + n + 1 }) }]
      : []
  )
  return zipOf([...posts, ...pictures])
}

const textOf = (path: string) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Returns the processes that read files for a process. */
const readersOf = (pid: number) =>
  globSync(["", "proc", String(pid), "task", "*", "children"].join("/"))
    .flatMap((file) => textOf(file).trim().split(" ").filter(Boolean))
    .filter((child) => textOf(`/proc/${child}/cmdline`).includes("readerProcess"))

it.live(
  "An import whose processes are killed makes each post and each picture once, and undo leaves no waste",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_import_kills")
      const directory = yield* temporaryDirectory
      const start = servedOver(url, directory)

      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        let process = yield* start
        const client = TestClient.of({
          send: (...request) => Effect.suspend(() => process.client.send(...request))
        })
        const author = yield* Effect.provideService(uploaderOf(1), TestClient, client)
        const ask = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
          const answer = yield* client.send(method, `/api/v1/imports${path}`, {
            token: author.key,
            body,
            headers:
              body instanceof Uint8Array
                ? { "content-type": "application/octet-stream" }
                : { "idempotency-key": `${path}-${JSON.stringify(body)}` }
          })
          assert.isBelow(answer.status, 300, answer.text)
          return answer.body
        })
        let kills = 0

        /** Ends the leases of imports without a worker. */
        const endLeases = sql`
          update imports set due_at = due_at - interval '3 minutes' where state in ('reading', 'applying')`
        /** Ends the leases of uploads, once the process is dead that had them. */
        const endUploads = sql`
          update upload_operations set due_at = due_at - interval '3 minutes'
          where next_task is not null or state = 'receiving'`

        const failuresOf = ({ log }: typeof process) =>
          log.filter((line) => line.includes("Work failed")).length
        let failures = 0

        /** Kills a process while an import has a state: the reader alone, or the service. Waits for the end of the state. */
        const killing = Effect.fnUntraced(function* (id: string, state: string) {
          for (let kill = 0; kill < KILLS; kill++) {
            yield* Effect.sleep(momentOf(kills))
            const readers = readersOf(process.pid)
            if (kills++ % 2 === 0) {
              for (const pid of readers) globalThis.process.kill(Number(pid), "SIGKILL")
              continue
            }
            yield* process.kill
            yield* eventually(
              "no reader outlives the process that started it",
              Effect.sync(() =>
                readers.every((pid) => !textOf(`/proc/${pid}/cmdline`).includes("readerProcess"))
              )
            )
            yield* Effect.andThen(endLeases, endUploads)
            process = yield* start
            failures = 0
          }
          for (let it = yield* ask("GET", `/${id}`); it.state === state;) {
            const { done } = it.progress
            yield* eventually(
              `the import goes on after ${done} posts`,
              Effect.gen(function* () {
                const all = failuresOf(process)
                if (all > failures) yield* endLeases
                failures = all
                it = yield* ask("GET", `/${id}`)
                return it.state !== state || it.progress.done > done
              })
            )
          }
        })

        for (let round = 0; round < ROUNDS; round++) {
          const bytes = fileOf(round)
          const begun = yield* ask("POST", "", { fileName: `posts-${round}.zip`, byteSize: bytes.length })
          const { id } = begun
          yield* ask("PUT", `/${id}/file`, bytes)
          yield* killing(id, "reading")
          const read = yield* ask("GET", `/${id}`)
          assert.deepInclude({ state: read.state, error: read.error }, { state: "review", error: null })
          assert.deepInclude(read.counts, { items: POSTS, new: POSTS })

          yield* ask("POST", `/${id}/apply`, { items: "all" })
          yield* killing(id, "applying")
          const lost = yield* sql`
            select report::text as report from import_items where import_id = ${id} and severities @> array['lost']`
          assert.deepStrictEqual([...lost], [])
          const pictures = Math.ceil(POSTS / EVERY)
          const done = yield* ask("GET", `/${id}`)
          assert.deepInclude(
            { state: done.state, ...done.images, done: done.progress.done },
            { state: "done", admitted: pictures, failed: 0, done: POSTS }
          )
          const posts = yield* sql<{
            readonly slug: string
          }>`select slug from posts where slug like ${`round-${round}-%`}`
          assert.deepStrictEqual(
            posts.map(({ slug }) => slug).toSorted(),
            Array.from({ length: POSTS }, (_, n) => `round-${round}-post-${n}`).toSorted()
          )
          const outcomes = yield* sql`
            select from import_items i join import_sources s on s.post_id = i.post_id
            where i.import_id = ${id} and i.outcome = 'created' and i.task is null`
          assert.lengthOf(outcomes, POSTS)
          yield* eventually(
            "each picture is cleared",
            Effect.map(
              sql`select from upload_operations where state = 'cleared' and next_task is null`,
              (rows) => rows.length === pictures
            )
          )
          // Every picture is an upload that the text of its Post shows.
          const shown = yield* sql`
            select from upload_operations u join posts p on p.id = u.target_id
            where p.free_content_markdown like '%' || u.public_url || '%'`
          assert.lengthOf(shown, pictures)

          const undone = yield* ask("POST", `/${id}/undo`)
          assert.deepStrictEqual(undone, { deleted: POSTS, kept: 0 })
          const removed = yield* Effect.result(ask("DELETE", `/${id}`))
          assert.isTrue(Result.isSuccess(removed))
          yield* eventually(
            "nothing of the import is left",
            Effect.gen(function* () {
              const rows = yield* sql`
                select id from posts union all select id from import_items union all select id from imports
                union all select id from upload_operations where next_task is not null or staged_bytes > 0`
              const files = globSync("objects/**/*", { cwd: join(directory, "objects"), withFileTypes: true })
              return (
                rows.length === 0 && files.every((it) => !it.isFile() || it.parentPath.endsWith("processes~"))
              )
            })
          )
        }
      }).pipe(Effect.provide(Layer.fresh(pool(url))))
    }),
  soak(120_000, 600_000, 1_800_000)
)
