import { Effect, Option, Schema } from "effect"
import type { Environment } from "../config/environment.ts"
import { connectRpc } from "../nano/connectRpc.ts"
import type { SendRpc } from "../nano/rpcCall.ts"
import { nodeNames } from "../nano/rpcNodes.ts"
import type { RpcServer } from "../nano/rpcUrl.ts"
import { about, type Finding, within } from "./Finding.ts"

const { fault, ok, warning } = about("ledger")

const decodeVersion = Schema.decodeUnknownEffect(
  Schema.Struct({ network: Schema.String, node_vendor: Schema.String })
)
const decodeCounts = Schema.decodeUnknownEffect(
  Schema.Struct({ count: Schema.FiniteFromString, cemented: Schema.FiniteFromString })
)

/** Blocks that a node may have without their confirmation before it is called behind. */
const UNCONFIRMED_TOLD = 10_000

const PATIENCE = "5 seconds"

const node = (send: SendRpc, server: RpcServer, expected: string) =>
  Effect.gen(function* () {
    const version = yield* decodeVersion(yield* send(server, { action: "version" }, PATIENCE))
    if (version.network !== expected)
      return fault(
        `The node ${server.name} is not on the network of NANO_NETWORK.`,
        `Use a node of the network "${expected}" in NANO_RPC_URL, or change NANO_NETWORK.`
      )
    const { cemented, count } = yield* decodeCounts(yield* send(server, { action: "block_count" }, PATIENCE))
    return count - cemented > UNCONFIRMED_TOLD
      ? warning(
          `The node ${server.name} has ${count - cemented} unconfirmed blocks: it is behind.`,
          "Wait until it has caught up, or put another node first in NANO_RPC_URL."
        )
      : ok(`The node ${server.name} answers (${version.node_vendor}).`)
  }).pipe(
    Effect.orElseSucceed(() =>
      fault(
        `The node ${server.name} does not answer like a node.`,
        "Check the address and the key in NANO_RPC_URL, and that RPC is enabled and open to this machine."
      )
    )
  )

/** Checks that each node answers, that it is on the right network, and that enough of them agree. */
export const ledgerCheck = (environment: Environment) => {
  const { NANO_LEDGER, NANO_NETWORK, NANO_RPC_QUORUM, NANO_RPC_URL } = environment
  if (NANO_LEDGER === "off")
    return Effect.succeed([
      warning("No Nano node is set: nothing can be bought.", "Set NANO_RPC_URL to one or more nodes.")
    ])
  if (NANO_LEDGER === "development" || Option.isNone(NANO_RPC_URL))
    return Effect.succeed([ok("The service uses the development ledger: its money has no value.")])
  const expected = nodeNames.get(NANO_NETWORK) ?? NANO_NETWORK.replace(/^nano:/u, "")
  const check = Effect.gen(function* () {
    const send = yield* connectRpc
    const found: ReadonlyArray<Finding> = yield* Effect.forEach(
      NANO_RPC_URL.value,
      (server) => node(send, server, expected),
      { concurrency: "unbounded" }
    )
    const usable = found.filter(({ state }) => state !== "fault").length
    return usable >= NANO_RPC_QUORUM
      ? found
      : [
          ...found,
          fault(
            `${usable} nodes are usable, but NANO_RPC_QUORUM is ${NANO_RPC_QUORUM}: no payment can be confirmed.`,
            "Add nodes to NANO_RPC_URL."
          )
        ]
  })
  return within("ledger", Effect.scoped(check), "Check the addresses in NANO_RPC_URL.")
}
