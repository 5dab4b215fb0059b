import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import * as ArchiveInspectorZip from "../../../layers/archives/ArchiveInspectorZip.ts"
import { ArchiveInspector } from "../../../src/platform/ports/ArchiveInspector.ts"
import { checkArchive } from "../../../src/publishing/archives/readArchive.ts"
import { zipOf } from "../../publishing/archives/makeZip.ts"
import { ordinary } from "../../publishing/archives/ordinaryArchives.ts"
import { soak } from "../../support/soak.ts"
import { isInstalled, type Reading, readByAll, READERS } from "./archiveReaders.ts"
import { strangeArchive } from "./strangeArchives.ts"

/** Archives that are unpacked together, so that they take little of the disk. */
const BATCH = 200

const isAccepted = Effect.fnUntraced(function* (archive: Uint8Array) {
  if (Result.isFailure(yield* Effect.promise(() => checkArchive(archive)))) return false
  const inspector = yield* ArchiveInspector
  return yield* Effect.isSuccess(inspector.inspect(archive))
})

const isRead = (reading: Reading) => typeof reading !== "string"

/** Returns true when all programs that take an archive unpack it to the same files. */
const isSame = (readings: Readonly<Record<string, Reading>>) =>
  new Set(
    Object.values(readings)
      .filter(isRead)
      .map((it) => JSON.stringify(it))
  ).size === 1

const differing = (archive: Uint8Array, readings: Readonly<Record<string, Reading>>) =>
  JSON.stringify({ readings, archive: Buffer.from(archive).toString("base64") }, null, 2)

/**
 * Readers that take names in UTF-8 for others: Python where their flag is missing, Info-ZIP where their writer says to run on DOS.
 */
const MISREADERS: Readonly<Record<string, string>> = {
  infoZip: "Python",
  fflate: "Info-ZIP",
  fflateStream: "Info-ZIP",
  jar: "Info-ZIP"
}

/** Writes two files and an empty one with a program, and returns its archive. */
const packedBy = ([program = "", ...args]: ReadonlyArray<string>) => {
  const directory = mkdtempSync(join(tmpdir(), "pennypress-pack-"))
  try {
    mkdirSync(join(directory, "d"))
    writeFileSync(join(directory, "d", "a.txt"), "hello ".repeat(100))
    writeFileSync(join(directory, "d", "empty.txt"), "")
    const { status, stderr } = spawnSync(program, [...args, "out.zip", "d"], {
      cwd: directory,
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, `${program}: ${stderr}`)
    return readFileSync(join(directory, "out.zip"))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

describe("archives that other programs read", () => {
  it("Readers of Python, Info-ZIP, 7-Zip and libarchive are installed", () => {
    const missing = Object.values(READERS)
      .map(({ program }) => program)
      .filter((program) => program !== "java" && !isInstalled(program))
    assert.deepStrictEqual(missing, [], ".ci/run installs python3, unzip, p7zip-full and libarchive-tools")
  })

  it.live("The archives of other programs are accepted, and each program reads each", () =>
    Effect.gen(function* () {
      const writers = [
        ["python3", "-m", "zipfile", "-c"],
        ["7z", "a", "-tzip", "-bd"],
        ["7z", "a", "-tzip", "-bd", "-mx0"],
        ["bsdtar", "--format", "zip", "-cf"],
        ["bsdtar", "--format", "zip", "--options", "zip:compression=store", "-cf"],
        ...(isInstalled("jar") ? [["jar", "-cMf"]] : [])
      ]
      const libraries = Object.entries(ordinary).map(
        ([writer, base64]) => [writer, Buffer.from(base64, "base64")] as const
      )
      const archives = [...writers.map(packedBy), ...libraries.map(([, archive]) => archive)]
      const readings = yield* Effect.promise(() => readByAll(archives))
      for (const [index, archive] of archives.entries()) {
        const writer = writers[index]?.join(" ") ?? libraries[index - writers.length]?.[0] ?? ""
        assert.isTrue(yield* isAccepted(archive), writer)
        const known = Object.entries(readings[index] ?? {}).filter(
          ([reader]) => reader !== MISREADERS[writer]
        )
        const {
          "Java, from a stream": java,
          "libarchive, from a stream": stream,
          ...files
        } = Object.fromEntries(known)
        assert.isTrue(Object.values(files).every(isRead) && isSame(Object.fromEntries(known)), writer)
        assert.isDefined(stream ?? java, writer)
      }
    }).pipe(Effect.provide(ArchiveInspectorZip.layer()))
  )

  it.live("An archive that is refused is one that they read differently", () =>
    Effect.gen(function* () {
      const empty = zipOf([])
      const file = { name: "a.txt", content: "hello" }
      const archive = zipOf([file], { comment: empty })
      assert.isFalse(yield* isAccepted(archive))
      const [readings = {}] = yield* Effect.promise(() => readByAll([archive]))
      assert.isFalse(isSame(readings))
    }).pipe(Effect.provide(ArchiveInspectorZip.layer()))
  )

  it.live(
    "An accepted archive has the same files for every program that takes it",
    () =>
      Effect.gen(function* () {
        const archives = yield* Effect.filter(
          fc.sample(strangeArchive, soak(1500, 15_000, 100_000)),
          isAccepted
        )
        const taken = new Map<string, number>()
        for (let first = 0; first < archives.length; first += BATCH) {
          const batch = archives.slice(first, first + BATCH)
          const all = yield* Effect.promise(() => readByAll(batch))
          for (const [index, readings] of all.entries()) {
            assert.isTrue(isSame(readings), differing(batch[index] ?? new Uint8Array(0), readings))
            for (const [name, reading] of Object.entries(readings))
              if (isRead(reading)) taken.set(name, (taken.get(name) ?? 0) + 1)
          }
        }
        for (const [name, times] of taken) assert.isAbove(times, archives.length / 2, name)
      }).pipe(Effect.provide(ArchiveInspectorZip.layer())),
    3_600_000
  )
})
