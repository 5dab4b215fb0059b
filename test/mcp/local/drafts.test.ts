import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { asIdentity, failure, type Tools } from "./asIdentity.ts"
import { edition, serviceBehindWire, toolsOf } from "./localEdition.ts"
import { noTrouble, type Sent, troubled, Wire } from "./Wire.ts"

const isCreation = ({ method, path }: Sent) => method === "POST" && path === "/api/v1/posts"
const isChange = ({ method, path }: Sent) => method === "PATCH" && path.startsWith("/api/v1/posts/")

const total = (tools: Tools) =>
  Effect.map(tools.call("svc_list_drafts"), ({ result }) => result.total as number)

const ID = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"
const text = { title: "Pennies", free_content_markdown: "One penny." }

layer(serviceBehindWire("test_mcp_local_drafts"))("drafts", (it) => {
  it.effect("A draft is created once, read exactly, and changed at its revision", () =>
    asIdentity("human", "author_plain", (tools) =>
      Effect.gen(function* () {
        const { call } = tools
        const made = (yield* call("svc_create_draft", { ...text, paid_content_markdown: "é".repeat(900) }))
          .result
        assert.deepInclude(made.operation, { phase: "complete", replayed: false })
        assert.deepInclude(made.draft, { status: "draft", title: "Pennies", paidCharacters: 900 })
        const again = (yield* call("svc_create_draft", { ...text, paid_content_markdown: "é".repeat(900) }))
          .result
        assert.deepInclude(again.operation, { operationId: made.operation.operationId, replayed: true })
        assert.strictEqual(yield* total(tools), 1)
        const { id, revision } = made.draft
        const read = (yield* call("svc_read_draft", { post_id: id, section: "paid", max_bytes: 1000 })).result
        assert.deepInclude(read.content, { section: "paid", nextOffset: 500 })

        const changes = { title: "Two pennies", free_content_markdown: "Two." }
        const changed = (yield* call("svc_update_draft", { post_id: id, revision, changes })).result
        assert.strictEqual(changed.draft.title, "Two pennies")
        const stale = yield* call("svc_update_draft", { post_id: id, revision, changes: { title: "Three" } })
        assert.deepInclude(failure(stale), { code: "revision-conflict", operationId: null })
        const cleared = (yield* call("svc_update_draft", {
          post_id: id,
          revision: changed.draft.revision,
          changes: { paid_content_markdown: null }
        })).result
        assert.strictEqual(cleared.draft.paidCharacters, 0)

        const none = failure(yield* call("svc_create_draft", { title: "Nothing" }))
        assert.deepInclude(none, { code: "validation" })
        const wrong = failure(
          yield* call("svc_create_draft", {
            ...text,
            price_raw: "12",
            enable_paywall: true,
            paid_content_markdown: "x"
          })
        )
        assert.strictEqual(wrong.code, "validation")
        assert.strictEqual(wrong.fields[0].field, "price_raw")
        for (const forbidden of ["approved", "creation_attested", "creation_method", "grant", "origin"]) {
          const refused = failure(yield* call("svc_create_draft", { ...text, [forbidden]: true }))
          assert.deepStrictEqual(
            [refused.code, ...refused.fields.map((it: any) => `${it.field} ${it.code}`)],
            ["validation", `${forbidden} unknown`]
          )
        }
        const preview = (yield* call("svc_preview", { post_id: id })).result
        assert.deepInclude(preview, { available: true, reason: "draft", post: null, untrusted: null })
        assert.deepInclude(preview.own, { title: "Two pennies", excerptMarkdown: "Two." })
        const own = (yield* call("svc_read_content", { post_id: id })).result
        assert.deepInclude(own, { source: "own", untrusted: null })
        assert.strictEqual(own.own.contentMarkdown, "Two.")
      })
    )
  )

  for (const trouble of ["lost", "unsent", "answered 503"] as const) {
    it.effect(`A draft is written once when requests are ${trouble}`, () =>
      asIdentity("human", `author_${trouble.replace(" ", "_")}`, (tools) =>
        Effect.gen(function* () {
          const wire = yield* Wire
          const { call } = tools
          const fault = trouble === "answered 503" ? new Response("{}", { status: 503 }) : trouble
          // Once: the call itself repeats the request.
          wire.sent.length = 0
          yield* troubled(isCreation, fault)
          const once = (yield* call("svc_create_draft", { ...text, title: "Once" })).result
          assert.strictEqual(once.operation.replayed, false)
          // For good: a later call goes on.
          yield* troubled(isCreation, fault, 3)
          const open = failure(yield* call("svc_create_draft", { ...text, intent_id: ID.toUpperCase() }))
          assert.deepInclude(open, { code: "outcome-unknown", operationId: ID, retryable: true })
          const listed = (yield* call("svc_operation")).result.operations
          assert.deepInclude(listed[0], { operationId: ID, phase: "possibly-dispatched", resumable: true })
          assert.strictEqual((yield* call("svc_context")).result.incompleteOperations, 1)
          const other = failure(yield* call("svc_create_draft", { ...text, title: "x", intent_id: ID }))
          assert.strictEqual(other.code, "intent-mismatch")
          const resumed = (yield* call("svc_operation", { operation_id: ID, action: "resume" })).result
          assert.deepInclude(resumed.operations[0], { phase: "complete", resumable: false })
          const replayed = (yield* call("svc_create_draft", { ...text, intent_id: ID })).result
          assert.isTrue(replayed.operation.replayed)
          assert.strictEqual(replayed.draft.id, resumed.operations[0].result.draft.id)
          assert.strictEqual(yield* total(tools), 2)
          const sent = wire.sent.filter(isCreation)
          assert.lengthOf(sent, 2 + 3 + 1)
          const requests = new Set(sent.map(({ body, headers }) => `${headers["idempotency-key"]} ${body}`))
          assert.strictEqual(requests.size, 2)
        })
      )
    )
  }

  it.effect("A lost change is not made twice, nor over another one", () =>
    asIdentity("human", "author_change", ({ call }) =>
      Effect.gen(function* () {
        const wire = yield* Wire
        const { id, revision } = (yield* call("svc_create_draft", text)).result.draft
        const change = { post_id: id, revision, changes: { title: "Changed" } }
        yield* troubled(isChange, "lost", 3)
        wire.sent.length = 0
        assert.strictEqual(failure(yield* call("svc_update_draft", change)).code, "outcome-unknown")
        // A write without a key is sent once.
        assert.lengthOf(wire.sent.filter(isChange), 1)
        yield* noTrouble
        const done = (yield* call("svc_update_draft", change)).result
        assert.strictEqual(done.draft.title, "Changed")
        assert.lengthOf(wire.sent.filter(isChange), 1)

        const next = { post_id: id, revision: done.draft.revision, changes: { title: "Unsent" } }
        yield* troubled(isChange, "unsent")
        assert.strictEqual(failure(yield* call("svc_update_draft", next)).code, "outcome-unknown")
        const meanwhile = (yield* call("svc_update_draft", { ...next, changes: { title: "Meanwhile" } }))
          .result
        assert.strictEqual(meanwhile.draft.title, "Meanwhile")
        const late = failure(yield* call("svc_update_draft", next))
        assert.strictEqual(late.code, "revision-conflict")
        const { title } = (yield* call("svc_read_draft", { post_id: id })).result.draft
        assert.strictEqual(title, "Meanwhile")
      })
    )
  )

  it.effect("A price in XNO is the same price in raw, also when its answer is lost", () =>
    asIdentity("human", "author_price", ({ call }) =>
      Effect.gen(function* () {
        const paid = { ...text, paid_content_markdown: "Two.", enable_paywall: true }
        const { draft } = (yield* call("svc_create_draft", { ...paid, price_xno: "0.5" })).result
        assert.deepInclude(draft, { priceRaw: `5${"0".repeat(29)}`, priceXno: "0.5" })
        const change = {
          intent_id: ID,
          post_id: draft.id,
          revision: draft.revision,
          changes: { price_xno: "0.25" }
        }
        yield* troubled(isChange, "lost", 3)
        assert.strictEqual(failure(yield* call("svc_update_draft", change)).code, "outcome-unknown")
        yield* noTrouble
        const { result, text: said } = yield* call("svc_update_draft", change)
        assert.deepInclude(result?.draft, { priceXno: "0.25" }, said)
        for (const price of ["0.0000000000000000000000000000001", "-1", "1e3", "0,5", "10000"]) {
          const wrong = failure(yield* call("svc_create_draft", { ...paid, title: price, price_xno: price }))
          assert.deepStrictEqual([wrong.code, wrong.fields[0]?.field], ["validation", "price_xno"], price)
        }
      })
    )
  )

  it.effect("A draft goes on in another process after the end of a lease", () =>
    asIdentity("human", "author_crash", (tools, directory) =>
      Effect.gen(function* () {
        const store = yield* StateStore
        yield* troubled(isCreation, "lost", 3)
        assert.strictEqual(
          failure(yield* tools.call("svc_create_draft", { ...text, intent_id: ID })).code,
          "outcome-unknown"
        )
        // As a process leaves it that is killed while it waits.
        yield* store.write((tx) =>
          Effect.sync(() =>
            tx.run(`update intents set lease_owner = 'killed', lease_ends_at = ?`, tx.now + 60_000)
          )
        )
        const other = yield* Layer.build(edition(directory))
        const elsewhere = yield* Effect.provideContext(toolsOf, other)
        const early = failure(yield* elsewhere.call("svc_create_draft", { ...text, intent_id: ID }))
        assert.strictEqual(early.code, "intent-in-progress")
        yield* TestClock.adjust("61 seconds")
        const both = yield* Effect.forEach(
          [tools, elsewhere, tools],
          ({ call }) => call("svc_create_draft", { ...text, intent_id: ID }),
          { concurrency: 3 }
        )
        const made = both.filter(({ isError }) => !isError)
        assert.isAtLeast(made.length, 1)
        for (const busy of both.filter(({ isError }) => isError)) {
          assert.strictEqual(failure(busy).code, "intent-in-progress")
        }
        assert.strictEqual(yield* total(tools), 1)
      })
    )
  )

  it.effect("A draft is found by its text when the key of its request is forgotten", () =>
    asIdentity("human", "author_late", (tools) =>
      Effect.gen(function* () {
        yield* troubled(isCreation, "lost", 3)
        assert.strictEqual(
          failure(yield* tools.call("svc_create_draft", { ...text, intent_id: ID })).code,
          "outcome-unknown"
        )
        yield* troubled(isCreation, "unsent", 3)
        const unsent = { ...text, title: "Never sent", intent_id: ID.replace("0190", "0191") }
        assert.strictEqual(failure(yield* tools.call("svc_create_draft", unsent)).code, "outcome-unknown")
        yield* noTrouble
        yield* TestClock.adjust("24 hours")
        const found = (yield* tools.call("svc_create_draft", { ...text, intent_id: ID })).result
        assert.strictEqual(found.draft.title, "Pennies")
        assert.strictEqual(failure(yield* tools.call("svc_create_draft", unsent)).code, "outcome-unknown")
        assert.strictEqual(yield* total(tools), 1)
      })
    )
  )
})
