import * as NodeWS from "@effect/platform-node/NodeWS"
import {
  type Cause,
  Effect,
  HashSet,
  Option,
  Queue,
  Redacted,
  Schedule,
  Schema,
  Stream,
  SubscriptionRef
} from "effect"
import { Socket } from "effect/socket"
import { LRUCache } from "lru-cache"
import type { NanoPublicKey } from "../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../schemas/platform/NanoBlock.ts"
import { frameOf, pingFrame, subscribeFrame, updateFrame } from "./confirmationFrames.ts"
import type { RpcServer, RpcServers } from "./rpcUrl.ts"

/** Maximum bytes of a message. */
const FRAME_BYTES_MAX = 1024 * 1024

const CONNECT_PATIENCE = "5 seconds"
const ACK_PATIENCE = "10 seconds"
const PING_EVERY = "20 seconds"
/** Time without any message after which the connection is dead. A node answers each ping. */
const SILENCE_MAX = "45 seconds"

/** Time until the next connection, which starts over after each that worked. */
const BACKOFF = Schedule.jittered(
  Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")])
)

/** Hashes that are remembered, so that each block is reported once. */
const REMEMBERED_MAX = 10_000

type Keys = HashSet.HashSet<NanoPublicKey>

/** The connection does not work. */
class SocketUnusable extends Schema.TaggedError<SocketUnusable>()("SocketUnusable", {
  reason: Schema.Literals(["closed", "silent", "no_ack"])
}) {}

const socketOf = ({ authorization, url }: RpcServer) =>
  Socket.fromWebSocket(
    Effect.acquireRelease(
      Effect.sync(
        () =>
          new NodeWS.WebSocket(Redacted.value(url), {
            headers: Option.match(authorization, {
              onNone: () => ({}),
              onSome: (value) => ({ authorization: Redacted.value(value) })
            }),
            maxPayload: FRAME_BYTES_MAX,
            perMessageDeflate: false
          })
      ),
      // A silent node would not answer the good-bye.
      (socket) => Effect.sync(() => socket.terminate())
    ),
    { openTimeout: CONNECT_PATIENCE }
  )

/** The error underneath may show the URL. */
const closed = () => new SocketUnusable({ reason: "closed" })

type Wire = (text: string) => Effect.Effect<void, SocketUnusable>

/** Subscribes to accounts, and follows what is added and removed. Each message waits for its acknowledgement. */
const follow = Effect.fnUntraced(function* (
  keys: SubscriptionRef.SubscriptionRef<Keys>,
  write: Wire,
  acks: Queue.Dequeue<string>,
  subscribed: Effect.Effect<void>
) {
  const acknowledged = Queue.take(acks).pipe(
    Effect.timeoutOrElse({
      duration: ACK_PATIENCE,
      orElse: () => Effect.fail(new SocketUnusable({ reason: "no_ack" }))
    })
  )
  let told: Keys | undefined
  yield* Stream.runForEach(
    SubscriptionRef.changes(keys),
    Effect.fnUntraced(function* (wanted) {
      if (told === undefined) {
        // Some nodes send the confirmations of all accounts for an empty list.
        if (HashSet.isEmpty(wanted)) return
        yield* write(subscribeFrame(wanted))
      } else {
        const added = HashSet.difference(wanted, told)
        const removed = HashSet.difference(told, wanted)
        if (HashSet.isEmpty(added) && HashSet.isEmpty(removed)) return
        yield* write(updateFrame(added, removed))
      }
      yield* acknowledged
      told = wanted
      yield* subscribed
    })
  )
})

/** A connection until it ends. Fails unless a subscription of it was acknowledged. */
const session = Effect.fnUntraced(function* (
  server: RpcServer,
  keys: SubscriptionRef.SubscriptionRef<Keys>,
  tell: (hash: BlockHash) => Effect.Effect<void>,
  subscribed: Effect.Effect<void>
) {
  const socket = yield* socketOf(server)
  const { pull } = yield* Effect.mapError(socket.reader, closed)
  const { write: send } = yield* socket.writer
  const write: Wire = (text) => Effect.mapError(send(text), closed)
  const acks = yield* Queue.unbounded<string>()
  let hasWorked = false

  const listen = Effect.gen(function* () {
    const frames = yield* Effect.mapError(pull, closed).pipe(
      Effect.timeoutOrElse({
        duration: SILENCE_MAX,
        orElse: () => Effect.fail(new SocketUnusable({ reason: "silent" }))
      })
    )
    for (const bytes of frames) {
      const frame = Option.getOrUndefined(
        frameOf(typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes))
      )
      if (frame?.kind === "ack" && /^(subscribe|update)$/u.test(frame.of)) yield* Queue.offer(acks, frame.of)
      if (frame?.kind !== "confirmation") continue
      const wanted = yield* SubscriptionRef.get(keys)
      if (frame.keys.some((key) => HashSet.has(wanted, key))) yield* tell(frame.hash)
    }
  })
  const ping = Effect.delay(write(pingFrame), PING_EVERY)
  const works = Effect.suspend(() => {
    hasWorked = true
    return subscribed
  })
  const subscribe = follow(keys, write, acks, works)
  yield* Effect.all([Effect.forever(listen), Effect.forever(ping), subscribe], {
    concurrency: "unbounded",
    discard: true
  }).pipe(Effect.catch((error) => (hasWorked ? logLost(server, error) : Effect.fail(error))))
}, Effect.scoped)

const logLost = (server: RpcServer, { reason }: SocketUnusable) =>
  Effect.annotateLogs(Effect.logDebug("The WebSocket of a Nano node closed"), { server: server.name, reason })

/**
 * Hashes of blocks that a node calls confirmed and that concern these accounts, each once. It connects again for ever,
 * to the next websocket each time, and never fails.
 */
export const confirmedHashes = (
  servers: RpcServers,
  keys: SubscriptionRef.SubscriptionRef<Keys>
): Stream.Stream<BlockHash> =>
  Stream.callback<BlockHash>(
    Effect.fnUntraced(function* (queue: Queue.Queue<BlockHash, Cause.Done>) {
      const told = new LRUCache<BlockHash, true>({ max: REMEMBERED_MAX })
      const tell = (hash: BlockHash) =>
        Effect.suspend(() => {
          if (told.has(hash)) return Effect.void
          told.set(hash, true)
          return Effect.asVoid(Queue.offer(queue, hash))
        })
      let turn = 0
      let isAway = false
      const back = Effect.suspend(() => {
        if (!isAway) return Effect.void
        isAway = false
        return Effect.logInfo("The WebSocket of a Nano node is connected again")
      })
      const away = (error: SocketUnusable) => {
        if (isAway) return Effect.void
        isAway = true
        return Effect.annotateLogs(
          Effect.logWarning("No WebSocket of a Nano node is connected: polling for payments instead"),
          { reason: error.reason }
        )
      }
      const next = Effect.suspend(() =>
        session(servers[turn++ % servers.length] ?? servers[0], keys, tell, back)
      )
      return yield* next.pipe(
        Effect.tapError(away),
        Effect.retry(BACKOFF),
        Effect.ignore,
        Effect.andThen(Effect.sleep("1 second")),
        Effect.forever
      )
    }),
    { bufferSize: 1024 }
  )
