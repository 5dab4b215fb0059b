import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { PaymentSessionId } from "../../../schemas/platform/Ids.ts"
import {
  NanoPublicKey,
  PRICE_MAX_RAW,
  PRICE_MIN_RAW,
  PRICE_STEP_RAW
} from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { lookSeconds } from "../../../src/payments/sessions/cadence.ts"
import { type Hit, type LiveSession, matchOf } from "../../../src/payments/sessions/matching.ts"
import { roundedBaseOf, TAG_MAX, TAG_MIN, taggedAmount } from "../../../src/payments/sessions/tags.ts"

const START = Date.UTC(2026, 10, 21)
const MINUTE = 60_000
const base = 25n * 10n ** 28n

const at = (minutes: number) => new Date(START + minutes * MINUTE)
const hashOf = (number: number) => BlockHash.make(number.toString(16).toUpperCase().padStart(64, "0"))

const keyOf = (number: number) => NanoPublicKey.make(number.toString(16).padStart(64, "0"))

/** A session of an account whose holder waits, and says that the payment was sent. */
const session = (number: number, changes: Partial<LiveSession> = {}): LiveSession => ({
  id: PaymentSessionId.make(`00000000-0000-4000-8000-${String(number).padStart(12, "0")}`),
  baseRaw: base,
  amountRaw: taggedAmount(base, number),
  createdAt: at(0),
  endsAt: at(15),
  lateUntil: at(15 + 24 * 60),
  waitedUntil: at(1),
  saidSentAt: at(1.1),
  isExactOnly: false,
  saidPayer: null,
  paidBy: null,
  seenBlock: null,
  duplicates: [],
  ...changes
})

const hit = (amountRaw: bigint, changes: Partial<Hit> = {}): Hit => ({
  hash: hashOf(1),
  payer: keyOf(1),
  amountRaw,
  at: at(1),
  lookedAt: at(1),
  ...changes
})

/** Returns a match as text: the number of its session, and how. */
const matched = (one: Hit, sessions: ReadonlyArray<LiveSession>) => {
  const match = matchOf(one, sessions)
  if (match === undefined) return "nobody's"
  const number = Number(match.session.id.slice(-12))
  return match.kind === "duplicate"
    ? `${number} duplicate`
    : `${number} ${match.matchedBy}${match.late ? " late" : ""}`
}

const [one, two] = [session(1), session(2)]

describe("a payment", () => {
  it("A payment of the exact amount belongs to its session, next to any other sessions", () => {
    assert.strictEqual(matched(hit(base + 1n), [two, one]), "1 exact")
    assert.strictEqual(matched(hit(base + 2n), [two, one]), "2 exact")
    assert.strictEqual(matched(hit(base + 3n), [two, one]), "nobody's")
  })

  it("A payment without a tag, or rounded by at most 10^18 raw, matches the only session of its base", () => {
    const rounding = 10n ** 18n
    for (const off of [0n, 1_024_000_000_000n, 10n ** 9n, rounding, -1n, -rounding])
      assert.strictEqual(matched(hit(base + off), [one]), "1 base", String(off))
    for (const off of [2n, 10n ** 9n - 1n, rounding + 1n, -rounding - 1n, PRICE_STEP_RAW, -PRICE_STEP_RAW])
      assert.strictEqual(matched(hit(base + off), [one]), "nobody's", String(off))
  })

  it("A payment without a tag matches no session when several of its base are open", () => {
    assert.strictEqual(matched(hit(base), [one, two]), "nobody's")
    const other = session(3, { baseRaw: base + PRICE_STEP_RAW, amountRaw: base + PRICE_STEP_RAW + 3n })
    assert.strictEqual(matched(hit(base), [one, other]), "1 base")
    // Those that were paid, that expired and that came later do not count.
    const gone = [
      session(4, { paidBy: hashOf(9) }),
      session(5, { endsAt: at(1) }),
      session(6, { createdAt: at(2) })
    ]
    assert.strictEqual(matched(hit(base), [...gone, two]), "2 base")
    assert.strictEqual(matched(hit(base), gone), "nobody's")
  })

  it("A payment without a tag matches only while its holder waits and says that it was sent", () => {
    const of = (changes: Partial<LiveSession>) => matched(hit(base), [session(1, changes)])
    assert.strictEqual(of({}), "1 base")
    assert.strictEqual(of({ saidSentAt: null }), "nobody's")
    assert.strictEqual(of({ waitedUntil: null }), "nobody's")
    assert.strictEqual(of({ waitedUntil: at(0.5) }), "1 base")
    assert.strictEqual(of({ waitedUntil: new Date(at(0.5).getTime() - 1) }), "nobody's")
    // The holder may have waited since the look began.
    assert.strictEqual(of({ waitedUntil: at(1.1) }), "1 base")
    assert.strictEqual(of({ saidPayer: keyOf(1) }), "1 base")
    assert.strictEqual(of({ saidPayer: keyOf(2) }), "nobody's")
    // One that was seen meanwhile is not lost when its holder leaves.
    assert.strictEqual(of({ waitedUntil: null, saidSentAt: null, seenBlock: hashOf(1) }), "1 base")
    // The exact amount needs no word.
    assert.strictEqual(
      matched(hit(base + 1n), [session(1, { waitedUntil: null, saidSentAt: null, isExactOnly: true })]),
      "1 exact"
    )
    // A silent session of the same base may be meant, too.
    const silent = session(2, { saidSentAt: null, waitedUntil: null })
    assert.strictEqual(matched(hit(base), [one, silent]), "nobody's")
  })

  it("A word counts only for blocks before it, and a purchase without an account needs its exact amount", () => {
    const of = (changes: Partial<LiveSession>, changed: Partial<Hit> = {}) =>
      matched(hit(base, changed), [session(1, changes)])
    const second = (millis: number) => new Date(at(1).getTime() + millis)
    assert.strictEqual(of({ saidSentAt: at(0) }), "nobody's")
    // A ledger that knows whole seconds does not say when in its second a block came.
    assert.strictEqual(of({ saidSentAt: second(999) }), "nobody's")
    assert.strictEqual(of({ saidSentAt: second(1000) }), "1 base")
    assert.strictEqual(of({ saidSentAt: second(249) }, { at: second(250) }), "nobody's")
    assert.strictEqual(of({ saidSentAt: second(250) }, { at: second(250) }), "1 base")
    assert.strictEqual(of({ isExactOnly: true }), "nobody's")
    // Its payment may be meant for such a session all the same.
    assert.strictEqual(matched(hit(base), [one, session(2, { isExactOnly: true })]), "nobody's")
  })

  it("A payment without a tag stays with the session that it was seen for", () => {
    const seen = session(2, { seenBlock: hashOf(1) })
    assert.strictEqual(matched(hit(base), [one, seen]), "2 base")
    assert.strictEqual(matched(hit(base, { hash: hashOf(2) }), [one, seen]), "nobody's")
  })

  it("A payment after the session's end is late, and after the late time matches nothing", () => {
    const late = (minutes: number) => matched(hit(base + 1n, { at: at(minutes) }), [one])
    assert.deepStrictEqual([14.99, 15, 24 * 60, 15 + 24 * 60].map(late), [
      "1 exact",
      "1 exact late",
      "1 exact late",
      "nobody's"
    ])
    assert.strictEqual(matched(hit(base, { at: at(15) }), [one]), "nobody's")
  })

  it("A payment older than the session matches nothing, in whole seconds of the ledger", () => {
    const made = session(1, { createdAt: new Date(START + 1_999) })
    const before = (millis: number) => matched(hit(base + 1n, { at: new Date(START + millis) }), [made])
    // The clock of a node may be an hour behind, for amounts that are no other session's.
    const hour = 60 * MINUTE
    assert.deepStrictEqual([999 - hour, 1_000 - hour, 1_999].map(before), ["nobody's", "1 exact", "1 exact"])
    const rounded = (millis: number) => matched(hit(base, { at: new Date(START + millis) }), [made])
    assert.deepStrictEqual([999, 1_000].map(rounded), ["nobody's", "1 base"])
  })

  it("A payment for a paid session is a duplicate, once", () => {
    const paid = session(1, { paidBy: hashOf(7), duplicates: [hashOf(8)] })
    assert.strictEqual(matched(hit(base + 1n), [paid]), "1 duplicate")
    assert.strictEqual(matched(hit(base + 1n, { hash: hashOf(7) }), [paid]), "nobody's")
    assert.strictEqual(matched(hit(base + 1n, { hash: hashOf(8) }), [paid]), "nobody's")
    assert.strictEqual(matched(hit(base), [paid]), "nobody's")
  })
})

const steps = fc.bigInt({ min: PRICE_MIN_RAW / PRICE_STEP_RAW, max: PRICE_MAX_RAW / PRICE_STEP_RAW })
const tags = fc.integer({ min: TAG_MIN, max: TAG_MAX })

describe("amounts with tags", () => {
  it("An amount has one base and one tag", () => {
    fc.assert(
      fc.property(steps, tags, steps, tags, (aStep, aTag, bStep, bTag) => {
        const isSame = aStep === bStep && aTag === bTag
        const [a, b] = [
          taggedAmount(aStep * PRICE_STEP_RAW, aTag),
          taggedAmount(bStep * PRICE_STEP_RAW, bTag)
        ]
        assert.strictEqual(a === b, isSame)
        assert.isUndefined(roundedBaseOf(a))
      })
    )
  })

  it("An amount never matches two sessions, in any order of reading them", () => {
    const sessionsOf = fc.uniqueArray(
      fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 5 })),
      {
        selector: ([step, tag]) => `${step} ${tag}`,
        maxLength: 12
      }
    )
    const offsets = fc.bigInt({ min: -3n * 10n ** 18n, max: 3n * 10n ** 18n })
    const amounts = fc.tuple(
      fc.integer({ min: 0, max: 4 }),
      fc.oneof(offsets, fc.bigInt({ min: 0n, max: 6n }))
    )
    fc.assert(
      fc.property(sessionsOf, amounts, fc.integer({ min: -5, max: 30 }), (made, [step, offset], minute) => {
        const sessions = made.map(([its, tag], index) => {
          const baseRaw = base + BigInt(its) * PRICE_STEP_RAW
          return session(index, { baseRaw, amountRaw: taggedAmount(baseRaw, tag) })
        })
        const paid = hit(base + BigInt(step) * PRICE_STEP_RAW + offset, { at: at(minute) })
        assert.strictEqual(matched(paid, sessions), matched(paid, sessions.toReversed()))
      }),
      { numRuns: 500 }
    )
  })
})

describe("looks at the ledger", () => {
  it("Looks come every 2 s for two minutes, every 10 s until the expiry, and then every 5 minutes", () => {
    const seconds = (minutes: number) => lookSeconds({ createdAt: at(0), expiresAt: at(15) }, at(minutes))
    assert.deepStrictEqual(
      [0, 1.99, 2, 14.99, 15, 600].map((minutes) => seconds(minutes)),
      [2, 2, 10, 10, 300, 300]
    )
  })
})
