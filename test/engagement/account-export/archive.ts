import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { BlobReader, TextWriter, ZipReader } from "@zip.js/zip.js"
import { Effect, Schema } from "effect"
import { AccountExport } from "../../../schemas/engagement/account-export/AccountExport.ts"
import { TestClient } from "../../support/TestClient.ts"

/** An export that a test reads. */
export interface ReadArchive {
  readonly bytes: Uint8Array
  /** The paths, in the order of the archive. */
  readonly paths: ReadonlyArray<string>
  /** The files as texts, by their paths. */
  readonly texts: Readonly<Record<string, string>>
  readonly account: AccountExport
}

const decodeAccount = Schema.decodeUnknownSync(AccountExport, { onExcessProperty: "error" })

/** Reads an archive by its directory, and checks each CRC. */
export const readArchive = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const reader = new ZipReader(new BlobReader(new Blob([bytes as Uint8Array<ArrayBuffer>])), {
    checkSignature: true,
    strictness: "strict"
  })
  const entries = yield* Effect.promise(() => reader.getEntries())
  const texts: Record<string, string> = {}
  for (const entry of entries) {
    assert(!entry.directory)
    texts[entry.filename] = yield* Effect.promise(() => entry.getData(new TextWriter("utf-8")))
  }
  const paths = entries.map(({ filename }) => filename)
  assert.lengthOf(new Set(paths.map((path) => path.toLowerCase().normalize("NFC"))), paths.length)
  const account = decodeAccount(JSON.parse(texts["account.json"] ?? ""))
  return { bytes, paths, texts, account } satisfies ReadArchive
})

/** Downloads the export of an owner. */
export const exported = Effect.fnUntraced(function* (token: string) {
  const client = yield* TestClient
  const answer = yield* client.send("GET", "/api/v1/account/export", { token })
  assert.strictEqual(answer.status, 200, answer.text)
  assert(answer.bytes !== undefined)
  return yield* readArchive(answer.bytes)
})

/** Unpacks an archive by `unzip` into a folder, which goes when the scope closes. */
export const unpacked = (bytes: Uint8Array) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "export-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    ),
    (folder) => {
      const file = join(folder, "export.zip")
      writeFileSync(file, bytes)
      const into = join(folder, "all")
      execFileSync("unzip", ["-q", file, "-d", into])
      return {
        folder: into,
        files: readdirSync(into, { recursive: true, withFileTypes: true }).filter((it) => it.isFile()).length,
        read: (path: string) => readFileSync(join(into, path))
      }
    }
  )
