import { assert, describe, it } from "@effect/vitest"
import { OwnerId, UploadOperationId, UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import type { UploadTask } from "../../../../schemas/publishing/uploads/rpc.ts"
import { UploadState } from "../../../../schemas/publishing/uploads/Upload.ts"
import type { Event } from "../../../../src/publishing/uploads/operation/event.ts"
import { type Operation, transition } from "../../../../src/publishing/uploads/operation/operation.ts"
import type { Decision, ReceivedFile } from "../../../../src/publishing/uploads/operation/settlement.ts"

const id = "0197a1b2-0000-7000-8000-000000000001"
const at = new Date("2026-01-01T12:00:00Z")
const leaseUntil = new Date("2026-01-01T12:02:00Z")
const dueAt = new Date("2026-01-01T12:00:05Z")

const copy = { public_url: "https://press.test/media/1.png", public_size: 10 }
const image: ReceivedFile = {
  format: "png",
  byte_size: 10,
  sha256: "00".repeat(32),
  width: 1,
  height: 1,
  frames: 1,
  copy
}
const decision: Decision = { verdict: "rejected", reason: null, detail: null, record: {} }

/** An operation in each state, with its task there. */
const operations: Readonly<Record<UploadState, Operation>> = (() => {
  const operation = (
    state: UploadState,
    next_task: UploadTask | null,
    changes: Partial<Operation> = {}
  ): Operation => ({
    id: UploadOperationId.make(id),
    owner_id: OwnerId.make(id),
    target_kind: "avatar",
    target_id: UploadTargetId.make(id),
    target_key: "",
    file_name: null,
    created_at: new Date("2026-01-01T11:59:00Z"),
    state,
    next_task,
    due_at: at,
    attempts: 1,
    upload_attempts: 1,
    retries: 0,
    failures: 0,
    desired: true,
    staged_bytes: 10,
    format: "png",
    sha256: "00".repeat(32),
    public_url: copy.public_url,
    next_pixels: 10_000,
    is_heavy: false,
    is_unscaled: false,
    ...changes
  })
  return {
    receiving: operation("receiving", "receive", { format: null, sha256: null, public_url: null }),
    queued: operation("queued", "screen"),
    checking: operation("checking", "screen"),
    cleared: operation("cleared", "clean_up"),
    rejected: operation("rejected", "clean_up"),
    failed: operation("failed", "clean_up"),
    cancelled: operation("cancelled", "clean_up", { desired: false })
  }
})()

const events = {
  sent_again: { type: "sent_again", at, leaseUntil, bytes: 20 },
  received: { type: "received", at, file: image },
  broken_off: { type: "broken_off" },
  abandoned: { type: "abandoned", at },
  claimed: { type: "claimed", leaseUntil },
  leftovers_removed: { type: "leftovers_removed", at },
  published: { type: "published", at, copy },
  decided: { type: "decided", at, decision },
  cleaned_up: { type: "cleaned_up", at },
  scaled: { type: "scaled", variants: { 320: 9 } },
  postponed: { type: "postponed", failure: "transient", reason: "unavailable scanner", dueAt },
  handed_back: { type: "handed_back", at },
  cancelled: { type: "cancelled", at },
  held: { type: "held" },
  released: { type: "released", at },
  rescreened: { type: "rescreened", at },
  file_left: { type: "file_left", at }
} satisfies { readonly [Type in Event["type"]]: Extract<Event, { type: Type }> }

/** Applies an event. Returns the new state and next task, or `-` without a change. */
const outcome = (operation: Operation, event: Event) => {
  const settlement = transition(operation, event)
  if (settlement === undefined) return "-"
  const { next_task, state } = { ...operation, ...settlement }
  return `${state} ${next_task ?? "none"}`
}

/** Every event in every state, in the order receiving, queued, checking, cleared, rejected, failed, cancelled. */
const table: Readonly<Record<Event["type"], ReadonlyArray<string>>> = {
  sent_again: ["receiving receive", "-", "-", "-", "-", "-", "-"],
  received: ["queued screen", "-", "-", "-", "-", "-", "-"],
  broken_off: ["receiving expire", "-", "-", "-", "-", "-", "-"],
  abandoned: ["receiving receive", "-", "-", "-", "-", "-", "-"],
  claimed: [
    "receiving receive",
    "checking screen",
    "checking screen",
    "cleared clean_up",
    "rejected clean_up",
    "failed clean_up",
    "cancelled clean_up"
  ],
  leftovers_removed: ["receiving expire", "-", "-", "-", "-", "-", "-"],
  published: ["-", "-", "-", "-", "-", "-", "-"],
  decided: ["-", "rejected clean_up", "rejected clean_up", "-", "-", "-", "-"],
  cleaned_up: ["-", "-", "-", "cleared none", "rejected none", "failed none", "cancelled none"],
  scaled: ["-", "-", "-", "-", "-", "-", "-"],
  postponed: [
    "receiving receive",
    "queued screen",
    "queued screen",
    "cleared clean_up",
    "rejected clean_up",
    "failed clean_up",
    "cancelled clean_up"
  ],
  handed_back: [
    "receiving receive",
    "queued screen",
    "queued screen",
    "cleared clean_up",
    "rejected clean_up",
    "failed clean_up",
    "cancelled clean_up"
  ],
  cancelled: [
    "cancelled clean_up",
    "cancelled clean_up",
    "cancelled clean_up",
    "cancelled clean_up",
    "rejected clean_up",
    "failed clean_up",
    "-"
  ],
  held: [
    "receiving receive",
    "queued screen",
    "checking screen",
    "cleared clean_up",
    "rejected clean_up",
    "failed clean_up",
    "cancelled clean_up"
  ],
  released: [
    "receiving receive",
    "queued screen",
    "checking screen",
    "cleared clean_up",
    "rejected clean_up",
    "failed clean_up",
    "cancelled clean_up"
  ],
  rescreened: ["-", "queued screen", "queued screen", "queued screen", "queued screen", "queued screen", "-"],
  file_left: ["-", "-", "-", "-", "rejected clean_up", "failed clean_up", "cancelled clean_up"]
}

describe("the transitions of an upload operation (spec 3.2)", () => {
  for (const [type, expected] of Object.entries(table)) {
    it(`The event ${type} has its outcome in every state`, () => {
      const event = events[type as Event["type"]]
      assert.deepStrictEqual(
        UploadState.literals.map((state) => outcome(operations[state], event)),
        expected
      )
    })
  }

  const queued = operations.queued

  it("An image without a public copy is published before it is screened", () => {
    const received = transition(operations.receiving, { ...events.received, file: { ...image, copy: null } })
    assert.deepStrictEqual([received?.next_task, received?.last_error], ["publish", "unavailable storage"])
    assert.strictEqual(
      outcome({ ...queued, next_task: "publish", public_url: null }, events.published),
      "queued screen"
    )
    assert.strictEqual(outcome({ ...queued, public_url: null }, events.rescreened), "queued publish")
  })

  it("Bytes may be sent again once no request receives them, but never for undesired images", () => {
    const leased = { ...operations.receiving, due_at: leaseUntil }
    assert.strictEqual(outcome(leased, events.sent_again), "-")
    assert.strictEqual(outcome({ ...leased, next_task: "expire" }, events.sent_again), "receiving receive")
    assert.strictEqual(outcome({ ...operations.receiving, desired: false }, events.sent_again), "-")
    const again = transition(operations.receiving, events.sent_again)
    assert.deepStrictEqual([again?.attempts, again?.upload_attempts, again?.staged_bytes], [2, 2, 20])
  })

  it("An operation without bytes ends a day after its creation", () => {
    const old = { ...operations.receiving, created_at: new Date("2025-12-31T12:00:00Z") }
    assert.strictEqual(outcome(old, events.leftovers_removed), "cancelled none")
    const young = transition(operations.receiving, events.broken_off)
    assert.deepStrictEqual(young?.due_at, new Date("2026-01-02T11:59:00Z"))
  })

  it("A lease that ended during a check counts as a failure, and others do not", () => {
    assert.strictEqual(transition(operations.checking, events.claimed)?.failures, 1)
    assert.strictEqual(transition(queued, events.claimed)?.failures, 0)
    assert.isUndefined(transition(operations.cleared, events.claimed)?.failures)
  })

  it("Only a failed screening or publishing counts against the image", () => {
    const suspect = { ...events.postponed, failure: "suspect" } as const
    assert.strictEqual(transition(operations.checking, suspect)?.failures, 1)
    assert.strictEqual(transition(operations.checking, events.postponed)?.retries, 1)
    const cleanup = transition(operations.cleared, suspect)
    assert.deepStrictEqual(
      [cleanup?.retries, cleanup?.failures, cleanup?.last_error],
      [1, undefined, undefined]
    )
  })

  const unscaled = { ...operations.cleared, is_unscaled: true }
  const scaling = { ...unscaled, next_task: "scale", due_at: leaseUntil } as const

  it("Smaller copies are made after the cleanup of a cleared image, and never of another one", () => {
    assert.strictEqual(outcome(unscaled, events.cleaned_up), "cleared scale")
    for (const state of ["rejected", "failed", "cancelled"] as const)
      assert.strictEqual(
        outcome({ ...operations[state], is_unscaled: true }, events.cleaned_up),
        `${state} none`
      )
    assert.strictEqual(outcome(scaling, events.scaled), "cleared none")
    assert.strictEqual(outcome(scaling, events.rescreened), "queued screen")
    const failed = transition(scaling, { ...events.postponed, failure: "suspect" })
    assert.deepStrictEqual([failed?.failures, failed?.last_error, failed?.state], [1, undefined, undefined])
  })

  it("A cancellation while files are stored cleans up after their lease, and else immediately", () => {
    const leased = { ...operations.receiving, due_at: leaseUntil }
    assert.deepStrictEqual(transition(leased, events.cancelled)?.due_at, leaseUntil)
    assert.deepStrictEqual(transition(scaling, events.cancelled)?.due_at, leaseUntil)
    assert.deepStrictEqual(transition({ ...queued, due_at: leaseUntil }, events.cancelled)?.due_at, at)
  })

  it("An image whose bytes are gone, or that is undesired, is not screened again", () => {
    assert.strictEqual(outcome({ ...operations.rejected, staged_bytes: 0 }, events.rescreened), "-")
    assert.strictEqual(
      outcome({ ...operations.cleared, staged_bytes: 0 }, events.rescreened),
      "queued screen"
    )
    assert.strictEqual(outcome({ ...operations.cleared, desired: false }, events.rescreened), "-")
  })
})
