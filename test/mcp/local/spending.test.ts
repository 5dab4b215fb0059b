import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as StateStoreSqlite from "../../../layers/local/StateStoreSqlite.ts"
import { StateStore, type Transaction } from "../../../src/mcp/local/ports/StateStore.ts"
import { checkReserved, reserve } from "../../../src/mcp/local/purchases/spending.ts"
import { insertGrant, revokeGrants } from "../../../src/mcp/local/state/grants.sql.ts"
import { saveIdentity } from "../../../src/mcp/local/state/identity.sql.ts"
import { dispatchPurchase, endPurchase, insertPurchase } from "../../../src/mcp/local/state/purchases.sql.ts"
import { endReservation, sumsOf } from "../../../src/mcp/local/state/reservations.sql.ts"
import { checkFrontier, noteFrontier } from "../../../src/mcp/local/wallet/frontier.ts"
import { soak } from "../../support/soak.ts"
import { stateDirectory } from "./localEdition.ts"

const SCRIPTS = soak(25, 400)
const LONG = 1_800_000

const ORIGIN = "https://press.test"
const OWNER = "0190f3c2-7b1e-7c4a-9d52-000000000001"
const DAY = 86_400_000

/** Amounts of up to 39 digits, often close to each other. */
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 39n - 1n }),
  fc.integer({ min: 0, max: 5 }).map((units) => BigInt(units) * 10n ** 38n)
)

const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("grant"), total: amount, each: amount, days: fc.nat(3) })
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("authorize"), amount }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("dispatch") }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom("paid", "refused") }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("confirmed after all") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("revoke") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("a day passes") }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("crash") }) }
)
type Step = Partial<Record<"amount" | "each" | "total", bigint>> & {
  readonly kind: string
  readonly days?: number
}

interface ModelGrant {
  readonly id: string
  readonly total: bigint
  readonly each: bigint
  readonly endsAt: number
  revoked: boolean
  spent: bigint
  reserved: bigint
}

interface ModelPurchase {
  readonly id: string
  readonly amount: bigint
  readonly grant: ModelGrant
  readonly transaction: string
  phase: "authorized" | "refused" | "sent" | "settled"
}

/** The rules of spending over bigints: what each step has to answer, and the sums after it. */
class Model {
  now = 0
  frontier = 0
  readonly grants: Array<ModelGrant> = []
  readonly purchases: Array<ModelPurchase> = []

  isActive = ({ endsAt, revoked }: ModelGrant) => !revoked && endsAt > this.now
  get active() {
    return this.grants.findLast(this.isActive)
  }
  get open() {
    return this.purchases.find(({ phase }) => phase === "authorized" || phase === "sent")
  }
  fits = (grant: ModelGrant, amount: bigint, held: bigint) =>
    amount > 0n && amount <= grant.each && grant.spent + grant.reserved - held + amount <= grant.total
}

/** One process over the directory, which may crash. */
const makeProcess = Effect.fnUntraced(function* (directory: string) {
  const build = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(
      Layer.fresh(StateStoreSqlite.layer({ directory, origin: ORIGIN })),
      scope
    )
    return { scope, store: Context.get(context, StateStore) }
  })
  let current = yield* build
  yield* Effect.addFinalizer(() => Scope.close(current.scope, Exit.void))
  return {
    write: <A, E>(body: (tx: Transaction) => Effect.Effect<A, E>) => current.store.write(body),
    /** Ends in the middle of a transaction, and starts again. */
    crash: Effect.gen(function* () {
      yield* Effect.exit(
        current.store.write((tx) => {
          tx.run(`update reservations set state = 'released'`)
          tx.run(`delete from purchases`)
          return Effect.die("killed")
        })
      )
      yield* Scope.close(current.scope, Exit.void)
      current = yield* build
    })
  }
})

const frontierOf = (model: Model) => `F${model.frontier}`

const play = Effect.fnUntraced(function* (script: ReadonlyArray<Step>) {
  const directory = yield* stateDirectory
  const processes = [yield* makeProcess(directory), yield* makeProcess(directory)]
  const model = new Model()
  yield* processes[0]!.write((tx) =>
    Effect.sync(() =>
      saveIdentity(tx, {
        ownerId: OWNER,
        profileId: OWNER,
        handle: "buyer",
        method: "local-nano",
        walletAddress: null
      })
    )
  )
  let count = 0

  for (const [place, now] of script.entries()) {
    // Each step is done by the other process.
    const { crash, write } = processes[place % 2]!
    const answered = <A, E extends { readonly code: string }>(
      body: (tx: Transaction) => Effect.Effect<A, E>
    ) => Effect.match(write(body), { onFailure: ({ code }) => code, onSuccess: () => "ok" })
    const open = model.open

    switch (now.kind) {
      case "grant": {
        const grant: ModelGrant = {
          id: `grant-${String(count++).padStart(4, "0")}`,
          total: now.total ?? 0n,
          each: now.each ?? 0n,
          endsAt: model.now + (now.days ?? 0) * DAY,
          revoked: false,
          spent: 0n,
          reserved: 0n
        }
        // A person has one grant at a time: the newest counts.
        for (const earlier of model.grants) if (model.isActive(earlier)) earlier.revoked = true
        model.grants.push(grant)
        yield* write((tx) =>
          Effect.sync(() => {
            revokeGrants(tx, "spending")
            insertGrant(tx, {
              id: grant.id,
              kind: "spending",
              origin: ORIGIN,
              ownerId: OWNER,
              profileId: OWNER,
              postId: null,
              revision: null,
              digest: null,
              workflow: "buy_post",
              maxTotalRaw: grant.total,
              maxEachRaw: grant.each,
              expiresAt: grant.endsAt
            })
          })
        )
        break
      }
      case "authorize": {
        const id = `intent-${count++}`
        const amountRaw = now.amount ?? 0n
        const grant = model.active
        const answer = yield* answered((tx) =>
          Effect.gen(function* () {
            yield* reserve(tx, { intentId: id, origin: ORIGIN, ownerId: OWNER, amountRaw })
            insertPurchase(tx, { intentId: id, postId: "post", ownerId: OWNER, amountRaw })
          })
        )
        if (open !== undefined) assert.strictEqual(answer, "intent-in-progress")
        else if (grant === undefined) assert.include(["grant-required", "grant-expired"], answer)
        else if (!model.fits(grant, amountRaw, 0n)) assert.strictEqual(answer, "grant-exceeded")
        else {
          assert.strictEqual(answer, "ok")
          grant.reserved += amountRaw
          model.purchases.push({ id, amount: amountRaw, grant, transaction: `B${id}`, phase: "authorized" })
        }
        break
      }
      case "dispatch": {
        if (open?.phase !== "authorized") break
        const frontier = frontierOf(model)
        const answer = yield* answered((tx) =>
          Effect.gen(function* () {
            yield* checkReserved(tx, open.id, open.amount)
            yield* checkFrontier(tx, frontier)
            const payment = { header: Redacted.make("secret"), frontier, transaction: open.transaction }
            dispatchPurchase(tx, open.id, payment)
          })
        )
        const isAllowed = model.isActive(open.grant) && model.fits(open.grant, open.amount, open.amount)
        assert.strictEqual(answer === "ok", isAllowed, answer)
        if (answer === "ok") {
          open.phase = "sent"
          // Every payment is within the grant.
          assert.isTrue(open.grant.spent + open.grant.reserved <= open.grant.total)
        }
        break
      }
      case "paid":
      case "refused": {
        if (open?.phase !== "sent" && !(open?.phase === "authorized" && now.kind === "refused")) break
        const isPaid = now.kind === "paid"
        yield* write((tx) =>
          Effect.sync(() => {
            endReservation(tx, open.id, isPaid ? "spent" : "released")
            endPurchase(tx, open.id, isPaid ? "settled" : "refused")
          })
        )
        open.grant.reserved -= open.amount
        if (isPaid) {
          open.grant.spent += open.amount
          model.frontier++
        }
        open.phase = isPaid ? "settled" : "refused"
        break
      }
      case "confirmed after all": {
        const late = model.purchases.find(({ phase }) => phase === "refused")
        if (late === undefined) break
        yield* write((tx) => Effect.sync(() => noteFrontier(tx, late.transaction)))
        const wasSent = yield* write((tx) =>
          Effect.succeed(
            tx.first(`select payment from purchases where intent_id = ?`, late.id)?.["payment"] !== null
          )
        )
        if (!wasSent) break
        late.phase = "settled"
        late.grant.spent += late.amount
        model.frontier++
        break
      }
      case "revoke": {
        for (const grant of model.grants) if (model.isActive(grant)) grant.revoked = true
        yield* write((tx) => Effect.sync(() => revokeGrants(tx, "spending")))
        break
      }
      case "a day passes": {
        model.now += DAY
        yield* TestClock.setTime(model.now)
        break
      }
      default:
        yield* crash
    }

    for (const { id, reserved, spent } of model.grants) {
      const sums = yield* write((tx) => Effect.succeed(sumsOf(tx, id)))
      assert.deepStrictEqual(sums, { spentRaw: spent, reservedRaw: reserved }, `${place} ${now.kind}`)
    }
  }
}, Effect.scoped)

describe("spending", () => {
  it.effect(
    "Spending agrees with a model over bigints, in two processes that crash",
    () =>
      Effect.gen(function* () {
        const scripts = fc.sample(fc.array(step, { minLength: 10, maxLength: 30 }), {
          numRuns: SCRIPTS,
          seed: 1
        })
        for (const script of scripts) {
          yield* TestClock.setTime(0)
          yield* play(script as ReadonlyArray<Step>)
        }
      }),
    LONG
  )
})
