import { readdirSync, readFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect, Fiber, Redacted } from "effect"
import { freePort } from "../../layers/postgres/embedded/server.ts"
import { uploaderOf } from "../support/actors/uploader.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { soak } from "../support/soak.ts"
import { TestClient } from "../support/TestClient.ts"
import { serveIn } from "../wire/program.ts"
import {
  connectionTo,
  objectsIn,
  publicDigest,
  SCREENING,
  uploadsDatabase,
  clientOver
} from "./uploadClient.ts"
import { compareLedgers, ledger, makeUploading, type Upload } from "./uploadLedger.ts"

const clamd = process.env["SERVICES_CLAMD_UNIX"]
const ROUNDS = soak(6, 100)
const SEED = Number(process.env["SEED"] ?? Math.trunc(performance.timeOrigin) % 1_000_000)
const OWNERS = 5
const CONCURRENT = 20

/** Random numbers from 0 to 1; a seed always gives the same ones. */
const chance = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Returns the children of a process. */
const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean)

const isDecoder = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("ImageDecoderSharpProcess")
  } catch {
    return false
  }
}

/** Polls until a condition holds, for at most a minute of the real clock. */
const until = Effect.fnUntraced(function* <E, R>(what: string, condition: Effect.Effect<boolean, E, R>) {
  const end = performance.now() + 60_000
  while (!(yield* condition)) {
    if (performance.now() > end) return assert.fail(`never: ${what}`)
    yield* Effect.sleep("50 millis")
  }
})

/** A program that is killed repeatedly, on one address over one database and one directory. */
const mortalProgram = Effect.fnUntraced(function* () {
  const dataDirectory = yield* temporaryDirectory
  const databaseUrl = yield* uploadsDatabase("services_upload_crash")
  const port = yield* freePort
  const environment = {
    ...SCREENING,
    CLAMD_URL: clamd ?? "",
    DATABASE_URL: Redacted.value(databaseUrl),
    PORT: `${port}`,
    // Half the duration of a start.
    NODE_COMPILE_CACHE: join(dataDirectory, "compiled")
  }
  const start = Effect.gen(function* () {
    const program = yield* serveIn(dataDirectory, environment)
    const line = yield* Effect.raceFirst(program.firstLine, Effect.as(program.exit, "it ended"))
    assert.include(line, "pennypress listening", program.log.join("\n"))
    return program
  })
  const sql = yield* connectionTo(databaseUrl)
  /**
   * Ends the leases of a killed process, instead of waiting two minutes, and forgives its ended attempts: a real process
   * does not die a hundred times in as many seconds. Runs only while no process runs.
   */
  const endLeases = sql`
    update upload_operations set due_at = least(due_at, localtimestamp), failures = least(failures, 3)
    where next_task is not null and next_task <> 'expire'`
  return { dataDirectory, origin: `http://127.0.0.1:${port}`, start, sql, endLeases }
})

describe("uploads while their process is killed", () => {
  it("A scanner is configured for these tests", () =>
    assert.isDefined(clamd, "SERVICES_CLAMD_UNIX is missing: .ci/run sets it"))

  it.live(
    `Of ${ROUNDS} kills none loses what was received, decides twice or leaves a file (seed ${SEED})`,
    () =>
      Effect.gen(function* () {
        const began = performance.now()
        const next = chance(SEED)
        const { dataDirectory, endLeases, origin, sql, start } = yield* mortalProgram()

        const uploading = yield* Effect.scoped(
          Effect.gen(function* () {
            const program = yield* start
            const numbers = Array.from({ length: OWNERS }, (_, index) => index + 1)
            const owners = yield* Effect.forEach(numbers, (number) =>
              Effect.gen(function* () {
                const owner = yield* uploaderOf(number)
                const { body } = yield* (yield* TestClient).send("GET", "/api/v1/me", { token: owner.key })
                return { ...owner, ownerId: body.owner.id, post: yield* owner.draft() }
              })
            )
            // An orderly end keeps the compiled code.
            program.child.kill("SIGTERM")
            yield* program.exit
            return makeUploading(owners)
          })
        ).pipe(Effect.provideService(TestClient, clientOver(origin)))

        const slots = yield* Effect.forEach(
          Array.from({ length: CONCURRENT }),
          () => Effect.forkScoped(uploading.forever),
          { concurrency: "unbounded" }
        )
        const decoders = new Set<string>()
        let before = yield* ledger(sql)
        for (let round = 0; round < ROUNDS; round++) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const { child, exit } = yield* start
              const longest = round % 2 === 0 ? 250 : 1200
              yield* Effect.sleep(next() * longest)
              for (const pid of childrenOf(child.pid ?? 0)) decoders.add(pid)
              child.kill("SIGKILL")
              yield* exit
            })
          )
          const now = yield* ledger(sql)
          assert.deepStrictEqual(compareLedgers(before, now), [], `after kill ${round + 1}`)
          before = now
          yield* endLeases
        }
        const killed = performance.now()

        const program = yield* start
        uploading.finish()
        yield* Effect.forEach(slots, Fiber.join)
        const pending = sql`
          select from upload_operations
          where state in ('queued', 'checking') or next_task in ('receive', 'publish', 'screen', 'clean_up', 'scale')`
        yield* until(
          "all that was received is decided on",
          Effect.map(pending, ({ length }) => length === 0)
        )
        // A day later.
        yield* sql`
          update upload_operations set created_at = created_at - interval '2 days', due_at = localtimestamp
          where state = 'receiving'`
        const waiting = sql`select from upload_operations where next_task is not null`
        yield* until(
          "reservations end",
          Effect.map(waiting, ({ length }) => length === 0)
        )
        const decided = performance.now()

        const rows = yield* ledger(sql)
        assert.deepStrictEqual(compareLedgers(before, rows), [])
        const wrong: Array<string> = []
        const check = Effect.fnUntraced(function* ({ deserves, image, key, told }: Upload) {
          const row = rows.get(key)
          const wasReceived = told.some(({ received }) => received)
          const end = row?.state ?? "absent"
          if (deserves === "given up" && !wasReceived) {
            if (row?.received_at && row.state !== image.deserves) wrong.push(`${key} is ${end}`)
            if (!row?.received_at && !["cancelled", "absent"].includes(end)) wrong.push(`${key} is ${end}`)
          } else if (end !== (image.deserves === "refused" ? "absent" : image.deserves)) {
            // A refused upload whose process was killed waits for a day.
            if (!(image.deserves === "refused" && end === "cancelled")) wrong.push(`${key} is ${end}`)
          }
          for (const { publicUrl, state } of told) {
            if (["cleared", "rejected", "failed"].includes(state) && state !== end)
              wrong.push(`${key} was told ${state}`)
            if (publicUrl === null) continue
            const digest = yield* publicDigest(origin, publicUrl)
            if (digest !== (end === "cleared" ? image.publicSha256 : "404")) wrong.push(`${key}: ${digest}`)
          }
        })
        yield* Effect.forEach(uploading.uploads, check, { concurrency: 4 })
        assert.deepStrictEqual(wrong, [])

        const cleared = [...rows.values()].filter(({ state }) => state === "cleared")
        assert.deepStrictEqual(
          objectsIn(dataDirectory),
          cleared.map(({ public_url }) => (public_url ?? "").slice(1)).toSorted()
        )
        assert.deepStrictEqual([...decoders].filter(isDecoder), [], "decoders outlive their service")
        program.child.kill("SIGTERM")
        yield* program.exit

        // Temporary files older than an hour belong to dead processes.
        const temporary = join(dataDirectory, "objects", "temporary")
        const leftOver = readdirSync(temporary)
        for (const name of leftOver) utimesSync(join(temporary, name), 0, 0)
        yield* Effect.scoped(start)
        assert.deepStrictEqual(readdirSync(temporary), [])

        const count = (state: string) => [...rows.values()].filter((row) => row.state === state).length
        const resent = uploading.uploads.filter(({ sent }) => sent > 1).length
        yield* Console.log(
          `${ROUNDS} kills in ${((killed - began) / 1000).toFixed(0)} s, decided ${((decided - killed) / 1000).toFixed(0)} s later: ` +
            `${uploading.uploads.length} uploads, ${resent} sent again, ${count("cleared")} cleared, ` +
            `${count("rejected")} rejected, ${count("failed")} failed, ${count("cancelled")} never received, ` +
            `${leftOver.length} temporary files left, ${decoders.size} decoders orphaned and gone`
        )
        assert.isAbove(resent, 0)
        assert.isAbove(count("rejected"), 0)
      }).pipe(Effect.scoped),
    ROUNDS * 6_000 + 140_000
  )
})
