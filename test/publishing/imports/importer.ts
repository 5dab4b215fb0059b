import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as ImportReaderMemory from "../../../layers/testing/ImportReaderMemory.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { importStatements } from "../../../src/publishing/imports/rows/imports.sql.ts"
import { ImportSteps } from "../../../src/publishing/imports/steps/ImportSteps.ts"
import { LEASE_MILLIS } from "../../../src/publishing/imports/steps/staying.ts"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { type ServiceOptions, TestClient } from "../../support/TestClient.ts"
import { fileOf, readJsonItems, type SomeItem } from "./jsonItems.ts"

/** The options of a service that reads the files of these tests. */
export const withJsonItems: ServiceOptions = {
  changePorts: (ports) =>
    Layer.merge(ports, ImportReaderMemory.layer(readJsonItems).pipe(Layer.provide(ports)))
}

/** Takes the next step of each import that is due, as the worker of a process does. Returns their number. */
export const stepImports = Effect.gen(function* () {
  const imports = yield* importStatements
  const steps = yield* ImportSteps
  const at = yield* now
  const claim = { at, leaseUntil: later(at, LEASE_MILLIS), limit: 10 }
  const rows = [...(yield* imports.claim(claim, "files")), ...(yield* imports.claim(claim, "others"))]
  yield* Effect.forEach(rows, (row) => steps.step(row), { discard: true })
  return rows.length
})

/** Takes all steps that are due. */
export const workImports = Effect.gen(function* () {
  let steps = 0
  for (let taken = yield* stepImports; taken > 0; taken = yield* stepImports) {
    steps += taken
    assert.isBelow(steps, 1000, "the work does not end")
  }
  return steps
})

let keys = 0

/** Signs in the `number`th author of a test file. Returns their imports over the wire. */
export const importerOf = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* uploaderOf(number)
  const send = (
    method: string,
    path: string,
    request: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {}
  ) => client.send(method, `/api/v1/imports${path}`, { token: author.key, ...request })

  const begin = (
    bytes: Uint8Array | number,
    {
      key = `import-${keys++}`,
      ...members
    }: Readonly<Record<string, unknown>> & { readonly key?: string } = {}
  ) =>
    send("POST", "", {
      body: {
        fileName: "items.jsonl",
        byteSize: typeof bytes === "number" ? bytes : bytes.length,
        ...members
      },
      headers: { "idempotency-key": key }
    })

  const put = (id: string, bytes: Uint8Array, range?: string) =>
    send("PUT", `/${id}/file`, {
      body: bytes,
      headers: {
        "content-type": "application/octet-stream",
        "content-length": String(bytes.length),
        ...(range === undefined ? {} : { "content-range": range })
      }
    })

  const post = (id: string, act: string, body: unknown, key = `act-${keys++}`) =>
    send("POST", `/${id}/${act}`, { body, headers: { "idempotency-key": key } })

  /** Sends a file and reads it. Returns the import in review. */
  const imported = Effect.fnUntraced(function* (
    file: Uint8Array | ReadonlyArray<SomeItem>,
    members: Readonly<Record<string, unknown>> = {}
  ) {
    const bytes = file instanceof Uint8Array ? file : fileOf(file)
    const begun = yield* begin(bytes, members)
    assert.strictEqual(begun.status, 201, begun.text)
    const stored = yield* put(begun.body.id, bytes)
    assert.strictEqual(stored.status, 200, stored.text)
    yield* workImports
    return (yield* send("GET", `/${begun.body.id}`)).body
  })

  return {
    ...author,
    sendImports: send,
    begin,
    put,
    imported,
    get: (id: string) => send("GET", `/${id}`),
    items: (id: string, query = "") => send("GET", `/${id}/items${query}`),
    item: (id: string, item: string) => send("GET", `/${id}/items/${item}`),
    apply: (id: string, body: unknown = { items: "all" }, key?: string) => post(id, "apply", body, key),
    publishItems: (id: string, body: unknown, key?: string) => post(id, "publish", body, key),
    cancelImport: (id: string) => send("POST", `/${id}/cancel`),
    undo: (id: string) => send("POST", `/${id}/undo`),
    removeImport: (id: string) => send("DELETE", `/${id}`)
  }
})
export type Importer = Effect.Success<ReturnType<typeof importerOf>>
