import { writeFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Example } from "../../schemas/DocumentedApi.ts"
import recorded from "../../schemas/examples.json" with { type: "json" }
import { database } from "../support/Database.ts"
import { service } from "../support/TestClient.ts"
import { exampleErrors, operations } from "./document.ts"
import { type Played, playStory } from "./story.ts"

const examples: Readonly<Record<string, Example>> = recorded

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const REGISTRATION_KEY = "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12"

/** Values that no two plays share, by the names of their members. */
const fixed: Readonly<Record<string, string>> = {
  accessToken: "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJzdWIiOiIwMTkwIn0.c2lnbmF0dXJl",
  key: "ppk_0123456789abcdef_secret-that-is-shown-once",
  keyId: "0123456789abcdef",
  code: "482913",
  signature: "0f".repeat(64),
  kid: "1",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  transaction: "0F".repeat(32),
  purchasedAt: "2026-11-21T05:00:00.000000Z",
  "Payment-Signature": "eyJ4NDAyVmVyc2lvbiI6Mn0=",
  "X-Post-Revision": "2026-11-21T05:00:00.000000Z"
}

/** Shows one receipt, one gift token, and one token and one tag of all payment sessions. */
const ofPayments = (it: string) =>
  it
    .replace(/^ppr_\w+$/, "ppr_0123456789abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG")
    .replace(/\bppg_\w+$/, "ppg_0123456789abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG")
    .replace(/\bppf_\w+(?=\.xml$)/, "ppf_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG")
    .replace(/^pps_\w+$/, "pps_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG")
    .replace(/(0{15})(?!0{9}$)\d{9}$/, "$1004711088")
    .replace(/^(\d+\.\d{6}0{15})\d+$/, "$1004711088")

/** A request or answer with the values that a document can show: the same ones whenever the story is played. */
const shown = () => {
  const ids = new Map<string, string>([[REGISTRATION_KEY, REGISTRATION_KEY]])
  const idOf = (id: string) => {
    const next = `0190f3c2-7b1e-7c4a-9d52-${String(ids.size).padStart(12, "0")}`
    const known = ids.get(id) ?? next
    ids.set(id, known)
    return known
  }
  const value = (it: unknown, name = ""): unknown => {
    if (Array.isArray(it)) return it.slice(0, name === "amounts" ? 3 : 1).map((each) => value(each, name))
    if (typeof it === "object" && it !== null)
      return Object.fromEntries(Object.entries(it).map(([key, each]) => [key, value(each, key)]))
    if (typeof it !== "string") return it
    if (name === "refreshToken") return `${it.slice(0, 4)}0123456789abcdefghijklmnopqrstuvwxyz`
    if (name === "message")
      return it.replace(/Nonce: \w+/, `Nonce: ${"0f".repeat(16)}`).replaceAll(UUID, idOf)
    // Codes of mails are digits, and those of refusals words.
    if (name === "code" && !/^\d+$/.test(it)) return it
    return fixed[name] !== undefined && it !== "" ? fixed[name] : ofPayments(it.replaceAll(UUID, idOf))
  }
  return value
}

const exampleOf = ({ answer, request }: Played, value: ReturnType<typeof shown>): Example => ({
  ...(Object.keys(request).length === 0 ? {} : { request: value(request) as object }),
  status: answer.status,
  ...(answer.body === null ? {} : { response: value(answer.body) })
})

const isRecording = process.env["RECORD_EXAMPLES"] !== undefined

/** Leaves the progress of an upload out: the scheduler decides it. */
const comparable = (operationId: string, example: Example | undefined) =>
  operationId.startsWith("uploads")
    ? { ...example, status: 0, response: Object.keys(example?.response ?? {}) }
    : example

layer(service(database("test_operations_examples")))("the examples of the document", (it) => {
  it.effect("The examples are what the service answers", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const value = shown()
      const told = (yield* playStory).map((it) => [it.operationId, exampleOf(it, value)] as const)
      // An operation that is played twice is shown as it was first.
      const now = Object.fromEntries(told.toReversed())
      if (isRecording) {
        const sorted = Object.fromEntries(operations.map(({ operationId: id }) => [id, now[id]]))
        writeFileSync("schemas/examples.json", `${JSON.stringify(sorted, null, 2)}\n`)
        return
      }
      for (const { operationId: id } of operations)
        assert.deepStrictEqual(comparable(id, now[id]), comparable(id, examples[id]), id)
    })
  )
})

describe("the operations of the document", () => {
  it("Every operation has a description in short sentences, and a summary", () => {
    for (const { description = "", operationId, summary = "" } of operations) {
      assert.match(description, /^[A-Z].*\.$/, operationId)
      assert.match(summary, /^[A-Z].*[^.]$/, operationId)
      for (const sentence of description.split(/[.;:] /))
        assert.isBelow(sentence.split(" ").length, 21, sentence)
    }
    const unknown = Object.keys(examples).filter(
      (id) => !operations.some(({ operationId }) => operationId === id)
    )
    assert.deepStrictEqual(unknown, [])
  })

  it("Every operation has examples that the document's own schemas allow", () => {
    for (const operation of operations)
      assert.deepStrictEqual(exampleErrors(operation), [], operation.operationId)
  })
})
