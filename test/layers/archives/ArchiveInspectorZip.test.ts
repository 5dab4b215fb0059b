import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { crc32, deflateRawSync } from "node:zlib"
import { assert, describe, it as alone, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ArchiveInspectorZip from "../../../layers/archives/ArchiveInspectorZip.ts"
import { jobOf } from "../../../layers/process-pool/processJobs.ts"
import { ArchiveInspector } from "../../../src/platform/ports/ArchiveInspector.ts"
import { Logs } from "../../platform/http/Logs.ts"
import { filesOf, type MadeEntry, zipOf } from "../../publishing/archives/makeZip.ts"
import { ordinary } from "../../publishing/archives/ordinaryArchives.ts"
import { codeOf } from "../../publishing/archives/results.ts"

const MEBIBYTE = 1024 * 1024

/** Inspects an archive, and returns the reason for which it cannot be. */
const reasonOf = Effect.fnUntraced(function* (archive: Uint8Array) {
  const inspector = yield* ArchiveInspector
  return yield* Effect.match(inspector.inspect(archive), {
    onSuccess: () => "inspected",
    onFailure: (error) => (error._tag === "ArchiveInspectorUnavailable" ? error._tag : error.reason)
  })
})

const zeros = new Uint8Array(100 * MEBIBYTE)

/** Random bytes of one hundredth, so that zeros around them stay below the ratio. */
const content = (bytes: number) => {
  const all = zeros.slice(0, bytes)
  for (let at = 0; at < bytes; at += 64) all[at] = (at * 2_654_435_761) >>> 24
  return all
}

/** A bomb: zeros that say to be something else. */
const bomb = (name: string, declared: number, inflated: number): MadeEntry => ({
  name,
  method: 8,
  packed: deflateRawSync(zeros.subarray(0, inflated)),
  unpacked: declared,
  crc: crc32(zeros.subarray(0, declared))
})

/** Inspects in a process of its own, and returns the answer and the most memory that the process had. */
const measured = (archive: Uint8Array) =>
  Effect.callback<{ readonly said: string; readonly peakBytes: number }>((resume) => {
    const child = spawn(process.execPath, [
      ...ArchiveInspectorZip.nodeOptions(),
      ArchiveInspectorZip.program.pathname
    ])
    let said = ""
    child.stdout.setEncoding("latin1").on("data", (chunk: string) => {
      said += chunk
      if (!said.includes("}\n")) return
      const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "latin1"))?.[1]
      child.kill("SIGKILL")
      resume(Effect.succeed({ said, peakBytes: Number(peak) * 1024 }))
    })
    for (const piece of jobOf({}, archive)) child.stdin.write(piece)
  })

describe("archives that are unpacked in a process (6.2)", () => {
  layer(ArchiveInspectorZip.layer())((it) => {
    it.effect("Ordinary archives are inspected, stored and deflated, with both kinds of zip64", () =>
      Effect.gen(function* () {
        const archives = [
          ...Object.values(ordinary).map((it) => Buffer.from(it, "base64")),
          zipOf(filesOf(128)),
          zipOf(
            [{ name: "a", content: "hello ".repeat(100), method: 8, zip64: true, descriptor: "signed" }],
            {
              zip64: true
            }
          )
        ]
        for (const archive of archives) assert.strictEqual(yield* reasonOf(archive), "inspected")
      })
    )

    it.effect("The inspection does not believe the directory that admission accepted", () =>
      Effect.gen(function* () {
        const packed = deflateRawSync("hello")
        const lies: Readonly<Record<string, MadeEntry>> = {
          "a wrong checksum": { name: "a", content: "hello", crc: 1 },
          "more than it declares": bomb("a", 1000, 50_000),
          "less than it declares": { name: "a", method: 8, content: "hello", unpacked: 6 },
          "broken data": { name: "a", method: 8, packed: Uint8Array.of(0xff, 0xff, 0xff), unpacked: 5 },
          "bytes behind the data": {
            name: "a",
            method: 8,
            content: "hello",
            packed: Uint8Array.from([...packed, 1, 2, 3])
          }
        }
        for (const [lie, entry] of Object.entries(lies)) {
          const archive = zipOf([entry])
          assert.strictEqual(yield* codeOf(archive), "accepted", lie)
          assert.strictEqual(yield* reasonOf(archive), "damaged", lie)
        }
        assert.strictEqual(yield* reasonOf(zipOf([])), "inconsistent")
      })
    )

    it.effect("The inspector outlives an archive that failed", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf(Buffer.alloc(9)), "inconsistent")
        assert.strictEqual(yield* reasonOf(zipOf(filesOf(1))), "inspected")
      })
    )
  })

  const hanging = { program: new URL("./hangingProcess.ts", import.meta.url), nodeOptions: [] }
  layer(ArchiveInspectorZip.layer(hanging))((it) => {
    it.effect("An inspection fails at the deadline of 10 seconds, and when its process crashes", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf(Buffer.alloc(0)), "inspected")
        const late = yield* Effect.forkChild(reasonOf(Buffer.alloc(1)), { startImmediately: true })
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* Fiber.join(late), "deadline")
        assert.strictEqual(yield* reasonOf(Buffer.alloc(9)), "crashed")
      }).pipe(Effect.provide(Logs.layer))
    )
  })

  layer(ArchiveInspectorZip.layer({ nodeOptions: ["--no-such-option"] }))((it) => {
    it.effect("The inspector is unavailable when no process can be started", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf(Buffer.alloc(9)), "ArchiveInspectorUnavailable")
      })
    )
  })

  alone.live("bounds every bomb to 10 seconds and 256 MB, and the largest archive that is sold, too", () =>
    Effect.gen(function* () {
      const archives = {
        "a bomb that declares little": zipOf([bomb("a", 1000, 100 * MEBIBYTE)]),
        "many small bombs": zipOf(
          Array.from({ length: 128 }, (_, index) => bomb(`${index}`, 150_000, 100_000 * 8))
        ),
        "the most that may be declared": zipOf([{ name: "a", method: 8, content: content(100 * MEBIBYTE) }])
      }
      for (const [what, archive] of Object.entries(archives)) {
        const began = performance.now()
        const { peakBytes, said } = yield* measured(archive)
        const took = performance.now() - began
        assert.isBelow(took, 10_000, what)
        assert.isBelow(peakBytes, 256 * MEBIBYTE, what)
        assert.include(said, what.startsWith("the most") ? "inspected" : "damaged", what)
      }
    })
  )
})
