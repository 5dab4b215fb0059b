import { assert } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { NanoLedgerMemory } from "../../../../layers/testing/NanoLedgerMemory.ts"
import * as StateStoreCrashing from "../../../../layers/testing/StateStoreCrashing.ts"
import { publicKeyOfAddress, RAW_PER_XNO } from "../../../../schemas/platform/Nano.ts"
import { StateStore, type Transaction } from "../../../../src/mcp/local/ports/StateStore.ts"
import { Setups } from "../../../../src/mcp/local/setup/Setups.ts"
import { type GrantKind, insertGrant } from "../../../../src/mcp/local/state/grants.sql.ts"
import { readIdentity } from "../../../../src/mcp/local/state/identity.sql.ts"
import { saveMeta } from "../../../../src/mcp/local/state/meta.sql.ts"
import { walletOf } from "../../../../src/mcp/local/wallet/wallet.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { inTime } from "../../../support/actors/buyer.ts"
import { workOff } from "../../../support/actors/uploader.ts"
import { soak } from "../../../support/soak.ts"
import { BASE_URL } from "../../../support/TestClient.ts"
import { funded } from "../localBuyer.ts"
import { edition, stateDirectory, toolsOf } from "../localEdition.ts"
import { endLeases, rowsOf, secretOf } from "../stateFile.ts"
import { type Sent, Wire } from "../Wire.ts"
import type { Writer } from "./writer.ts"
import { writes } from "./writes.ts"

const KINDS: ReadonlyArray<GrantKind> = ["discussion", "standing", "spending"]

/** Gives the selected identity every permission for a day. */
export const allowAll = (tx: Transaction, origin: string) => {
  const identity = readIdentity(tx)
  if (identity === undefined) throw new Error("no identity is selected")
  for (const kind of KINDS) {
    insertGrant(tx, {
      id: `all-${kind}`,
      kind,
      origin,
      ownerId: identity.ownerId,
      profileId: identity.profileId,
      postId: null,
      revision: null,
      digest: null,
      workflow: kind === "spending" ? "buy_post" : null,
      maxTotalRaw: kind === "spending" ? 100n * RAW_PER_XNO : null,
      maxEachRaw: kind === "spending" ? RAW_PER_XNO : null,
      expiresAt: tx.now + 86_400_000
    })
  }
  return identity
}

/** A process that ends at one of its acts: a write of its state, or a request. */
export const lifeOf = (last: number, moment: StateStoreCrashing.Moment) => {
  let acts = 0
  let isOver = false
  return {
    acts: () => acts,
    act: () => {
      if (acts++ !== last) return undefined
      isOver = true
      return moment
    },
    isOver: () => isOver
  }
}

/** Calls a tool in a process of its own, which ends at an act. Returns the number of its acts, and its answer, if it came. */
export const calledUntil = Effect.fnUntraced(function* (
  directory: string,
  tool: string,
  args: object,
  last = Infinity,
  moment: StateStoreCrashing.Moment = "before",
  onSent: (request: Sent) => void = () => {}
) {
  const wire = yield* Wire
  const life = lifeOf(last, moment)
  const store = StateStoreCrashing.layer({ directory, origin: BASE_URL }, life)
  const exit = yield* Effect.gen(function* () {
    const { call } = yield* toolsOf
    wire.trouble = (request) => {
      if (life.isOver()) return "unsent"
      onSent(request)
      const end = life.act()
      return end === undefined ? undefined : end === "before" ? "unsent" : "lost"
    }
    return yield* inTime(call(tool, args))
  }).pipe(Effect.scoped, Effect.provide(edition(directory, BASE_URL, store)), Effect.exit)
  wire.trouble = () => undefined
  return { acts: life.acts(), answer: Exit.isSuccess(exit) && !life.isOver() ? exit.value : undefined }
})

/** Makes an agent with money and every permission, over the service of a test. */
export const makeWriter = Effect.fnUntraced(function* (number: number) {
  const directory = yield* stateDirectory
  const { book } = yield* NanoLedgerMemory
  const ownerId = yield* Effect.gen(function* () {
    yield* (yield* Setups).newIdentity({ intent: "agent", name: "A writer", handle: `writer_${number}` })
    const store = yield* StateStore
    return yield* store.write((tx) =>
      Effect.sync(() => {
        saveMeta(tx, "nano-rpc", "http://127.0.0.1:1")
        return allowAll(tx, BASE_URL).ownerId
      })
    )
  }).pipe(Effect.provide(edition(directory)))
  const seed = Redacted.make(secretOf(directory, "wallet-seed"))
  yield* funded(seed, 10n * RAW_PER_XNO)
  const world = yield* Effect.context<Effect.Services<ReturnType<typeof calledUntil> | typeof workOff>>()
  const key = publicKeyOfAddress(walletOf(seed).account)
  return {
    directory,
    ownerId,
    stranger: yield* authorOf(900 + number),
    wallet: Effect.map(book.chain(key, 1), ([head]) => ({
      blocks: head?.height ?? 0,
      balanceRaw: head?.block.balance ?? 0n
    })).pipe(Effect.orDie),
    workOff: Effect.provideContext(workOff, world),
    call: (tool, args) =>
      calledUntil(directory, tool, args).pipe(
        Effect.map(({ answer }) => {
          assert.isFalse(answer?.isError, answer?.text)
          return answer?.result
        }),
        Effect.provideContext(world)
      )
  } satisfies Writer as Writer
})

/** Checks, when a request with an effect leaves, that the disk has all that a resume needs. */
const durable =
  (directory: string, tool: string) =>
  ({ headers, method, path }: Sent) => {
    if (!writes[tool]!.isEffect(method, path, headers)) return
    const open = rowsOf(directory, "select id, phase, idempotency_key from intents where phase <> 'complete'")
    assert.lengthOf(open, 1)
    const [{ id, idempotency_key: key, phase } = {}] = open
    assert.strictEqual(phase, "possibly-dispatched")
    assert.include([key, undefined], headers["idempotency-key"])
    if (tool !== "svc_buy_post") return
    const [held] = rowsOf(directory, "select state from reservations where intent_id = ?", String(id))
    const [sent] = rowsOf(directory, "select payment from purchases where intent_id = ?", String(id))
    assert.deepStrictEqual(
      [held?.["state"], sent?.["payment"]],
      ["reserved", headers["payment-signature"] as string]
    )
  }

let numbers = 0

/** Ends a tool once, in a process of its own. Another process brings about its effect, which the service has once. */
export const crashed = Effect.fnUntraced(function* (
  writer: Writer,
  tool: string,
  last: number,
  moment: StateStoreCrashing.Moment
) {
  const { directory } = writer
  const { args, check } = yield* writes[tool]!.prepare(writer, ++numbers)
  const intent = { intent_id: crypto.randomUUID(), ...args }
  const { answer } = yield* calledUntil(directory, tool, intent, last, moment, durable(directory, tool))
  assert.isUndefined(answer, `${tool} answered before act ${last}`)
  endLeases(directory)
  const [saved] = rowsOf(directory, "select phase from intents where id = ?", intent.intent_id)
  const where = `${tool}, ${moment} act ${last}, ${String(saved?.["phase"] ?? "not saved")}`
  // The same call resumes it, and so does the tool for all of them.
  const isNamed = saved !== undefined && last % 2 === 1
  const resumed = isNamed
    ? yield* calledUntil(directory, "svc_operation", { operation_id: intent.intent_id, action: "resume" })
    : yield* calledUntil(directory, tool, intent)
  assert.isFalse(resumed.answer?.isError, `${where}: ${resumed.answer?.text}`)
  const result = isNamed ? resumed.answer?.result.operations[0].result : resumed.answer?.result
  assert.isNotNull(result, `${where}: ${resumed.answer?.text}`)
  yield* check(result)
  assert.lengthOf(rowsOf(directory, "select id from intents where phase <> 'complete'"), 0, where)
})

/** In the short form, acts take turns: a process ends before two of them and after the next two. */
const TURNS = soak(2, 1)

/** Returns the moments of an act at which a process ends. */
export const momentsOf = (act: number) =>
  (["before", "after"] as const).filter((_, at) => ((act >> 1) + at) % TURNS === 0)

/** Ends a tool before and after each of its acts. Returns their number. */
export const crashedEverywhere = Effect.fnUntraced(function* (writer: Writer, tool: string) {
  const { args, check } = yield* writes[tool]!.prepare(writer, ++numbers)
  const intent = { intent_id: crypto.randomUUID(), ...args }
  const checkSent = durable(writer.directory, tool)
  const { acts, answer } = yield* calledUntil(writer.directory, tool, intent, Infinity, "before", checkSent)
  assert.isFalse(answer?.isError, answer?.text)
  yield* check(answer?.result)
  for (let last = 0; last < acts; last++) {
    for (const moment of momentsOf(last)) yield* crashed(writer, tool, last, moment)
  }
  return acts
})
