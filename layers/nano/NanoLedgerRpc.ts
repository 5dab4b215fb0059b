import { Effect, Layer, Option, Schedule, Schema, Stream } from "effect"
import { addressOfPublicKey } from "../../schemas/platform/Nano.ts"
import { type BlockHash, SignedBlock } from "../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../src/platform/nano/blocks.ts"
import {
  type LedgerAccount,
  LedgerRefused,
  LedgerUnavailable,
  NanoLedger
} from "../../src/platform/ports/NanoLedger.ts"
import { readBlock } from "./blockQuorum.ts"
import { confirmedHashes } from "./confirmationSocket.ts"
import { makeIncoming } from "./incomingBlocks.ts"
import { accountOf, publishedOf, refusals } from "./rpcAnswers.ts"
import { RpcFailure } from "./rpcCall.ts"
import { connectNodes, firstAnswer } from "./rpcNodes.ts"
import type { RpcServers } from "./rpcUrl.ts"

export interface Options {
  /** Nodes, in the order in which they are asked. */
  readonly servers: RpcServers
  /** Websockets of such nodes. Without them the service learns of payments by asking alone. */
  readonly sockets: Option.Option<RpcServers>
  /** Nodes that must call a block confirmed. */
  readonly quorum: number
  /** The CAIP-2 name of the network. A node of another one is not used. */
  readonly network: string
  readonly workThreshold: bigint
}

const judgement = (words: string) => {
  if (words === "Old block") return Effect.succeed("known" as const)
  // A node that is behind lacks what another one has.
  if (words.startsWith("Gap ")) return Effect.fail(new RpcFailure({ reason: "gap", detail: words }))
  const reason = refusals.get(words)
  return reason === undefined ? undefined : Effect.fail(new LedgerRefused({ reason }))
}

const reasonOf = ({ reason }: RpcFailure): LedgerUnavailable["reason"] => {
  switch (reason) {
    case "error":
      return "refused"
    case "gap":
      return "out_of_sync"
    case "network":
      return "protocol"
    default:
      return reason
  }
}

const unavailable = (failure: RpcFailure) => new LedgerUnavailable({ reason: reasonOf(failure) })

const encodeBlock = Schema.encodeSync(SignedBlock)

/** Waits between reads of a block that a websocket calls confirmed, until the quorum agrees. */
const AGREEMENT = Schedule.upTo(Schedule.spaced("500 millis"), { times: 9 })
const READS_AT_ONCE = 8

const make = Effect.fnUntraced(function* ({ network, quorum, servers, sockets, workThreshold }: Options) {
  const nodes = yield* connectNodes(servers, network)
  const read = (hash: BlockHash) => readBlock(nodes, quorum, hash)
  const readIncoming = yield* makeIncoming(nodes, read)

  const account: NanoLedger["Service"]["account"] = Effect.fn("NanoLedgerRpc.account")(function* (key) {
    const found = yield* firstAnswer<Option.Option<LedgerAccount>>(nodes, {
      action: { action: "account_info", account: addressOfPublicKey(key), include_confirmed: "true" },
      read: (answer) => Effect.asSome(accountOf(answer)),
      readError: (words) => (words === "Account not found" ? Effect.succeedNone : undefined)
    })
    if (quorum === 1 || Option.isNone(found) || found.value.confirmedFrontier === null) return found
    const frontier = yield* read(found.value.confirmedFrontier)
    const isConfirmed = Option.exists(frontier, (block) => block.isConfirmed && block.account === key)
    return isConfirmed ? found : Option.some({ ...found.value, confirmedFrontier: null })
  }, Effect.mapError(unavailable))

  const publish: NanoLedger["Service"]["publish"] = Effect.fn("NanoLedgerRpc.publish")(
    function* (block) {
      return yield* firstAnswer<"accepted" | "known", LedgerRefused>(nodes, {
        action: { action: "process", json_block: "true", subtype: "send", block: encodeBlock(block) },
        read: (answer) => publishedOf(answer, blockHash(block)),
        readError: judgement
      })
    },
    Effect.mapError((error) => {
      if (error._tag === "LedgerRefused") return error
      return error.reason === "gap" ? new LedgerRefused({ reason: "gap" }) : unavailable(error)
    })
  )

  /** None unless the quorum agrees within a few seconds. */
  const confirmed = (hash: BlockHash) =>
    read(hash).pipe(
      Effect.flatMap((found) => Effect.fromOption(Option.filter(found, ({ isConfirmed }) => isConfirmed))),
      Effect.retry(AGREEMENT),
      Effect.option
    )

  return NanoLedger.of({
    kind: "node",
    network,
    workThreshold,
    isAway: Effect.map(
      Effect.forEach(nodes, ({ isAway }) => isAway),
      (aways) => aways.filter((isAway) => !isAway).length < quorum
    ),
    account,
    block: Effect.fn("NanoLedgerRpc.block")(read, Effect.mapError(unavailable)),
    publish,
    incoming: Effect.fn("NanoLedgerRpc.incoming")(readIncoming, Effect.mapError(unavailable)),
    confirmations: (keys) =>
      Option.match(sockets, {
        onNone: () => Stream.never,
        onSome: (sockets) =>
          confirmedHashes(sockets, keys).pipe(
            Stream.mapEffect(confirmed, { concurrency: READS_AT_ONCE, unordered: true }),
            Stream.flatMap((found) => Stream.fromIterable(Option.toArray(found)))
          )
      })
  })
})

/** Nano nodes over HTTP, and their websockets. The service starts while they are away. */
export const layer = (options: Options) => Layer.effect(NanoLedger, make(options))
