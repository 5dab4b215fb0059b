import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, HashSet, Logger, Queue, Stream, SubscriptionRef } from "effect"
import { TestClock } from "effect/testing"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import type { StateBlock } from "../../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import type { LedgerBlock } from "../../../src/platform/ports/NanoLedger.ts"
import { eventually } from "../../support/eventually.ts"
import {
  author,
  authorKey,
  blockInfo,
  ledgerAt,
  type NodeReply,
  payer,
  payerKey,
  scriptedNode,
  sendBlock,
  sent,
  sentHash
} from "./scriptedNode.ts"
import { scriptedSocket, type SocketEnd, type SocketRequest } from "./scriptedSocket.ts"

const frame = (block: StateBlock) => ({
  topic: "confirmation",
  time: "1795000000000",
  message: {
    account: block.account,
    amount: "1",
    hash: blockHash(block),
    confirmation_type: "active_quorum",
    block: { ...blockInfo(block).contents, subtype: "send" }
  }
})

const blocks = new Map<unknown, StateBlock>(
  [1, 2, 3].map(sendBlock).map((block) => [blockHash(block), block])
)

interface Options {
  readonly script?: (request: SocketRequest, end: SocketEnd, connection: number) => "done" | undefined
  readonly info?: (hash: unknown) => NodeReply | undefined
  readonly keys?: ReadonlyArray<NanoPublicKey>
}

/** Confirmations of a ledger with one node and one websocket, as they come. */
const listening = Effect.fnUntraced(function* ({ info, keys = [authorKey], script }: Options = {}) {
  const node = yield* scriptedNode(({ action, body }) => {
    if (action !== "block_info") return undefined
    const block = blocks.get(body["hash"])
    return info?.(body["hash"]) ?? (block === undefined ? { error: "Block not found" } : blockInfo(block))
  })
  const socket = yield* scriptedSocket(script)
  const ledger = yield* ledgerAt([node.url], { socket: socket.url.replace("ws://", "ws://press:hunter2@") })
  const watched = yield* SubscriptionRef.make(HashSet.fromIterable(keys))
  const found = yield* Queue.unbounded<LedgerBlock>()
  const fiber = yield* Effect.forkScoped(
    Stream.runForEach(ledger.confirmations(watched), (block) => Queue.offer(found, block))
  )
  const actions = (action: string) => socket.requests.filter((request) => request.action === action)
  const until = (what: string, condition: () => boolean) => eventually(what, Effect.sync(condition))
  return { node, socket, watched, found, fiber, actions, until }
})

/** Moves the clock until a condition holds, which real sockets bring about. */
const adjustUntil = Effect.fnUntraced(function* (condition: () => boolean) {
  while (!condition()) {
    yield* TestClock.adjust("1 second")
    yield* Effect.promise(() => setImmediate())
  }
})

describe("confirmations by websocket", () => {
  it.effect("Confirmed blocks are read again, each once", () =>
    Effect.gen(function* () {
      const { actions, found, node, socket, until } = yield* listening()
      yield* until("the subscription", () => actions("subscribe").length === 1)
      assert.deepStrictEqual(actions("subscribe")[0]?.options?.accounts, [author.account])
      assert.strictEqual(
        socket.handshakes[0]?.headers.authorization,
        `Basic ${Buffer.from("press:hunter2").toString("base64")}`
      )
      for (const number of [1, 1, 2, 1]) socket.ends[0]?.send(frame(sendBlock(number)))
      const hashes = [(yield* Queue.take(found)).hash, (yield* Queue.take(found)).hash]
      assert.sameMembers(hashes, [sentHash, blockHash(sendBlock(2))])
      socket.ends[0]?.send(frame(sendBlock(3)))
      assert.strictEqual((yield* Queue.take(found)).hash, blockHash(sendBlock(3)))
      assert.lengthOf(node.asked(), 3)
    })
  )

  it.effect("Blocks that the node itself does not confirm are not reported", () =>
    Effect.gen(function* () {
      const { actions, found, node, socket, until } = yield* listening({
        info: (hash) => (hash === sentHash ? blockInfo(sent, { confirmed: "false" }) : undefined)
      })
      yield* until("the subscription", () => actions("subscribe").length === 1)
      socket.ends[0]?.send(frame(sent))
      yield* until("the first look", () => node.asked().length > 0)
      yield* adjustUntil(() => node.asked().length >= 10)
      socket.ends[0]?.send(frame(sendBlock(2)))
      assert.strictEqual((yield* Queue.take(found)).hash, blockHash(sendBlock(2)))
      assert.strictEqual(yield* Queue.size(found), 0)
    })
  )

  it.effect("Subscriptions follow the watched accounts", () =>
    Effect.gen(function* () {
      const { actions, socket, until, watched } = yield* listening({ keys: [] })
      yield* until("the connection", () => socket.handshakes.length === 1)
      yield* SubscriptionRef.set(watched, HashSet.make(authorKey))
      yield* until("the subscription", () => actions("subscribe").length === 1)
      yield* SubscriptionRef.set(watched, HashSet.make(payerKey))
      yield* until("the update", () => actions("update").length === 1)
      assert.deepInclude(actions("update")[0]?.options, {
        accounts_add: [payer.account],
        accounts_del: [author.account]
      })
      assert.lengthOf(actions("subscribe"), 1)
      assert.lengthOf(socket.handshakes, 1)
    })
  )

  it.effect("The websocket survives nonsense", () =>
    Effect.gen(function* () {
      const { actions, found, socket, until } = yield* listening()
      yield* until("the subscription", () => actions("subscribe").length === 1)
      const other = frame(sent)
      const nonsense = [
        "",
        "null",
        "[]",
        "{",
        "[".repeat(100_000),
        new Uint8Array([0xff, 0xfe, 0]),
        { ack: 1 },
        { topic: "confirmation" },
        { topic: "confirmation", message: null },
        { ...other, topic: "vote" },
        { ...other, message: { ...other.message, hash: "no" } },
        { ...other, message: { ...other.message, account: "nano_1" } },
        // A block that concerns no account of ours, and one that no node has.
        { ...other, message: { ...other.message, block: undefined } },
        { ...other, message: { ...other.message, hash: "A".repeat(64) } }
      ]
      nonsense.forEach((it) => socket.ends[0]?.send(it))
      socket.ends[0]?.send(frame(sendBlock(2)))
      assert.strictEqual((yield* Queue.take(found)).hash, blockHash(sendBlock(2)))
      assert.lengthOf(socket.handshakes, 1)
    })
  )

  it.effect("A lost connection, or a frame that is too large, leads to a new subscription", () =>
    Effect.gen(function* () {
      const { actions, found, socket, until } = yield* listening()
      const endings = [
        (end?: SocketEnd) => end?.close(),
        (end?: SocketEnd) => end?.send("x".repeat(2_000_000))
      ]
      for (const [index, ending] of endings.entries()) {
        yield* until("the subscription", () => actions("subscribe").length === index + 1)
        ending(socket.ends[index])
        yield* adjustUntil(() => socket.handshakes.length === index + 2)
      }
      yield* until("the last subscription", () => actions("subscribe").length === 3)
      socket.ends[2]?.send(frame(sent))
      assert.strictEqual((yield* Queue.take(found)).hash, sentHash)
    })
  )

  it.effect("A ping every 20 seconds ends a silent connection", () =>
    Effect.gen(function* () {
      const { actions, socket, until } = yield* listening({
        script: ({ action }, _, connection) => (action === "ping" && connection === 2 ? "done" : undefined)
      })
      yield* until("the subscription", () => actions("subscribe").length === 1)
      for (let ping = 1; ping <= 5; ping++) {
        yield* adjustUntil(() => actions("ping").length === ping)
      }
      assert.lengthOf(socket.handshakes, 1)
      socket.ends[0]?.close()
      yield* adjustUntil(() => actions("subscribe").length === 2)
      yield* adjustUntil(() => socket.handshakes.length === 3)
      yield* until("the third subscription", () => actions("subscribe").length === 3)
    })
  )

  it.effect("A connection that acknowledges nothing is given up", () =>
    Effect.gen(function* () {
      const { actions, socket, until } = yield* listening({
        script: ({ action }, _, connection) =>
          action === "subscribe" && connection === 1 ? "done" : undefined
      })
      yield* until("the subscription", () => actions("subscribe").length === 1)
      yield* adjustUntil(() => socket.handshakes.length === 2)
    })
  )

  it.effect("An unavailable websocket is waited for, logged once, and shows no credentials", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      let seconds = 0
      const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])
      const away = yield* Effect.scoped(scriptedSocket())
      const node = yield* scriptedNode(() => undefined)
      const ledger = yield* ledgerAt([node.url], { socket: away.url.replace("ws://", "ws://press:hunter2@") })
      const watched = yield* SubscriptionRef.make(HashSet.make(authorKey))
      const fiber = yield* Effect.forkChild(
        Effect.provide(Stream.runDrain(ledger.confirmations(watched)), logger)
      )
      yield* adjustUntil(() => logged.length > 0)
      yield* adjustUntil(() => ++seconds > 200)
      assert.isUndefined(fiber.pollUnsafe())
      assert.lengthOf(logged, 1)
      yield* Fiber.interrupt(fiber)
      assert.notInclude(logged.join("\n"), "hunter2")
      assert.include(logged[0], "No WebSocket")
    })
  )
})
