import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as ImportReaderMemory from "../../../layers/testing/ImportReaderMemory.ts"
import { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { type Importer, importerOf, workImports } from "../../publishing/imports/importer.ts"
import { inTime, workOff } from "../../support/actors/uploader.ts"
import type { ServiceOptions } from "../../support/TestClient.ts"
import { exported, type ReadArchive } from "./archive.ts"

/** The options of a service that reads the files of imports in its own process. */
export const withFiles: ServiceOptions = {
  changePorts: (ports) => Layer.merge(ports, ImportReaderMemory.layer().pipe(Layer.provide(ports)))
}

/** Returns the files that an import brings back, without the members that are the service's own. */
const comparable = ({ account, texts }: ReadArchive): Readonly<Record<string, string>> => {
  const paths = new Map(account.posts.map(({ id, path }) => [id as string, path]))
  return Object.fromEntries(
    Object.entries(texts)
      .filter(([path]) => /^(?:posts|drafts|paid|media|attachments|native)\//.test(path))
      .map(([path, text]) => [
        // Files beside a post are below its id.
        path.replace(/(?<=^(?:attachments|native)\/)[0-9a-f-]{36}/, (id) => paths.get(id) ?? id),
        /^(?:posts|drafts)\//.test(path)
          ? text.replace(/^lastmod: .*\n/m, "").replace(/^ {2}id: .*\n/m, "")
          : text
      ])
  )
}

/** Reads an archive in an account. Returns the import in review with the outcomes of its items. */
const reviewed = Effect.fnUntraced(function* (author: Importer, bytes: Uint8Array) {
  const read = yield* author.imported(bytes, { fileName: "export.zip" })
  assert.strictEqual(read.state, "review", JSON.stringify(read.error))
  assert.strictEqual(read.kind, "pennypress")
  const { data } = (yield* author.items(read.id, "?limit=100")).body
  return { id: read.id as string, items: data as ReadonlyArray<any> }
})

/** Imports an archive into an account: all items, with what was public published. */
const brought = Effect.fnUntraced(function* (author: Importer, bytes: Uint8Array) {
  const { id, items } = yield* reviewed(author, bytes)
  assert.deepStrictEqual([...new Set(items.map(({ outcome }) => outcome))], ["new"])
  assert.strictEqual((yield* author.apply(id)).status, 202)
  // Pictures wait for their uploads.
  for (let turn = 0; turn < 20; turn++) {
    yield* inTime(workImports)
    yield* workOff
    if ((yield* author.get(id)).body.state === "done") break
    yield* TestClock.adjust("5 seconds")
  }
  const wasPublic = items.filter(({ status }) => status === "published").map((item) => item.id)
  if (wasPublic.length > 0) {
    const asked = yield* author.publishItems(id, {
      items: wasPublic,
      creationMethod: CreationMethod.literals[0],
      creationAttested: true
    })
    assert.strictEqual(asked.status, 202, asked.text)
    yield* workImports
  }
  const done = (yield* author.items(id, "?limit=100")).body.data
  const stopped = done.flatMap((item: any) =>
    item.report.filter(({ severity }: any) => severity === "stop" || severity === "lost")
  )
  assert.deepStrictEqual(stopped, [])
  return id
})

/**
 * Shows that an import of the export of an account into an empty one brings the same files, and that the same file again
 * changes nothing, in both accounts.
 */
export const roundTrip = Effect.fnUntraced(function* (from: Importer, empty: number) {
  yield* TestClock.adjust("1 minute")
  const before = yield* exported(from.accessToken)
  const into = yield* importerOf(empty)
  yield* brought(into, before.bytes)
  const after = yield* exported(into.accessToken)
  assert.deepStrictEqual(comparable(after), comparable(before))
  for (const author of [into, from]) {
    const { id, items } = yield* reviewed(author, before.bytes)
    assert.deepStrictEqual(
      items.filter(({ outcome }) => outcome !== "unchanged").map(({ outcome, slug }) => [slug, outcome]),
      []
    )
    assert.isAbove(items.length, 0)
    yield* author.cancelImport(id)
  }
  return { before, after, into }
})
