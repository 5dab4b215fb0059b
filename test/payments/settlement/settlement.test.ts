import { assert, describe, it } from "@effect/vitest"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import {
  type Change,
  type Event,
  type Settling,
  transition
} from "../../../src/payments/settlement/settlement.ts"
import { later } from "../../../src/platform/time/now.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { signedBlock } from "../../support/actors/payer.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const at = new Date("2026-01-01T12:00:00Z")

/** A payment that was claimed and looked at this long ago. */
const settling = (age: number, changes: Partial<Settling> = {}): Settling => ({
  state: "settling",
  block: null,
  made_work: null,
  created_at: later(at, -age),
  looked_at: later(at, -age),
  sent_at: null,
  ...changes
})

/** A payment in each state. After seven days it lapses. */
const states = {
  settling: settling(4 * SECOND),
  "settling for days": settling(7 * DAY),
  lapsed: settling(8 * DAY, { state: "lapsed" }),
  settled: settling(4 * SECOND, { state: "settled" }),
  refused: settling(4 * SECOND, { state: "refused" })
}

const refused = { type: "refused", code: "fork" } as const

/** Every event, and each of the undecided looks. */
const events: Readonly<Record<string, Event>> = {
  confirmed: { type: "confirmed" },
  refused,
  work_refused: { type: "work_refused" },
  sent: { type: "sent" },
  waiting: { type: "waiting", code: "gap" },
  "undecided: sent": { type: "undecided", verdict: { type: "sent" }, at },
  "undecided: waiting": { type: "undecided", verdict: { type: "waiting", code: "gap" }, at },
  "undecided: work refused": { type: "undecided", verdict: { type: "work_refused" }, at },
  "undecided: refused too late": { type: "undecided", verdict: refused, at },
  given_back: { type: "given_back", at, sentAt: later(at, -SECOND) },
  awaited: { type: "awaited", at }
} satisfies Record<Exclude<Event["type"], "undecided">, Event> & Record<string, Event>

/** Writes the seconds from now to a moment. */
const inSeconds = (moment: Date) => {
  const seconds = (moment.getTime() - at.getTime()) / SECOND
  return `${seconds < 0 ? "" : "+"}${seconds} s`
}

const written = (change: Change | undefined): string => {
  switch (change?.to) {
    case undefined:
      return "-"
    case "refused":
      return `refused: ${change.code}`
    case "lapsed":
      return `lapsed ${inSeconds(change.dueAt)}`
    case "due": {
      const { code, sentAt } = change.look
      const parts = ["due", inSeconds(change.dueAt), code, sentAt && `sent ${inSeconds(sentAt)}`]
      return parts.filter((part) => part !== undefined).join(" ")
    }
    case "asked":
      return `asked, if looked at before ${inSeconds(change.lookedBefore)}`
    case "settled":
    case "without_work":
      return change.to
  }
}

/** Every event in every state: settling, settling for seven days, lapsed, settled, refused. */
const table: Readonly<Record<string, ReadonlyArray<string>>> = {
  confirmed: ["settled", "settled", "settled", "-", "-"],
  // A refusal that comes too late is not the end: a block that has lapsed may still be confirmed.
  refused: ["refused: fork", "refused: fork", "-", "-", "-"],
  work_refused: ["without_work", "without_work", "without_work", "-", "-"],
  sent: ["-", "-", "-", "-", "-"],
  waiting: ["-", "-", "-", "-", "-"],
  "undecided: sent": [
    "due +0.5 s unconfirmed sent +0 s",
    "lapsed +86400 s",
    "due +86400 s unconfirmed sent +0 s",
    "-",
    "-"
  ],
  "undecided: waiting": ["due +4 s gap", "lapsed +86400 s", "due +86400 s gap", "-", "-"],
  "undecided: work refused": ["due +4 s work", "lapsed +86400 s", "due +86400 s work", "-", "-"],
  "undecided: refused too late": ["due +4 s fork", "lapsed +86400 s", "due +86400 s fork", "-", "-"],
  given_back: ["due +0 s sent -1 s", "due +0 s sent -1 s", "due +0 s sent -1 s", "-", "-"],
  awaited: [
    "asked, if looked at before -1 s",
    "asked, if looked at before -1 s",
    "asked, if looked at before -1 s",
    "-",
    "-"
  ]
}

describe("A settlement", () => {
  it("The table has every event in every state", () => {
    assert.deepStrictEqual(Object.keys(table), Object.keys(events))
  })

  for (const [name, event] of Object.entries(events))
    it(`A settlement changes as the table says at the event "${name}"`, () => {
      assert.deepStrictEqual(
        Object.values(states).map((settlement) => written(transition(settlement, event))),
        table[name]
      )
    })

  it("A settlement is looked at after as long as its block has been on its way, at most hourly", () => {
    const next = (age: number, changes?: Partial<Settling>) =>
      written(
        transition(settling(age, changes), {
          type: "undecided",
          verdict: { type: "waiting", code: "unconfirmed" },
          at
        })
      )
    const ages = [0, 300, SECOND, 59 * SECOND, 10 * MINUTE, 15 * MINUTE, 7 * DAY - 1]
    assert.deepStrictEqual(
      ages.map((age) => next(age)),
      [0.5, 0.5, 1, 59, 60, 3600, 3600].map((seconds) => `due +${seconds} s unconfirmed`)
    )
    // The pace begins again when the ledger takes a block that it did not take before.
    assert.strictEqual(next(6 * DAY, { sent_at: later(at, -2 * SECOND) }), "due +2 s unconfirmed")
  })

  it("A settlement is looked at for a request that waits, once a second, but not under its first lease or without work", () => {
    const asked = (changes: Partial<Settling>) =>
      transition(settling(MINUTE, changes), { type: "awaited", at }) !== undefined
    assert.isTrue(asked({ looked_at: later(at, -SECOND) }))
    assert.isFalse(asked({ looked_at: later(at, 1 - SECOND) }))
    assert.isFalse(asked({ looked_at: null }))
    const { account } = walletOf(1)
    const hash = BlockHash.make("A1".repeat(32))
    const signed = signedBlock(
      walletOf(1),
      { type: "state", account, previous: hash, representative: account, balance: 1n, link: hash },
      0n
    )
    const block = { ...signed, work: null }
    assert.isFalse(asked({ block }))
    assert.isTrue(asked({ block, made_work: signed.work }))
  })
})
