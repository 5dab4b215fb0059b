import { Array, type Duration, Effect, Order, Ref, Schedule } from "effect"
import { connectRpc } from "./connectRpc.ts"
import { decodeVersion } from "./rpcAnswers.ts"
import { type RpcAction, type RpcAnswer, type RpcError, RpcFailure, shownWords } from "./rpcCall.ts"
import { makePool, type RpcMember } from "./rpcPool.ts"
import type { RpcServers } from "./rpcUrl.ts"

/** Time for an answer. A node looks at a new block longer than at what it has. */
const PATIENCE = "3 seconds"
const PROCESS_PATIENCE = "5 seconds"

const CHECK_EVERY = "1 minute"

/** A node and an action, with what its answer or its error means. */
export interface RpcQuestion<A, E> {
  readonly action: RpcAction
  readonly read: (answer: RpcAnswer) => Effect.Effect<A, RpcFailure>
  /** The meaning of an error in the node's words; undefined when it means none. */
  readonly readError: (words: string) => Effect.Effect<A, RpcFailure | E> | undefined
}

/** A node of our network. */
export interface RpcNode {
  readonly ask: <A, E = never>(question: RpcQuestion<A, E>) => Effect.Effect<A, RpcFailure | E>
  /** True while the node is left alone. */
  readonly isAway: Effect.Effect<boolean>
  /** True from the moment that the node is left alone until it answers again. */
  readonly isFailing: Effect.Effect<boolean>
}

/** The names that nodes give to networks, by CAIP-2 name. */
export const nodeNames: ReadonlyMap<string, string> = new Map([["nano:mainnet", "live"]])

/** The network of a node, as far as it is known. */
type Network = "unknown" | "ours" | "other"

const noMeaning = (error: RpcError) =>
  Effect.fail(new RpcFailure({ reason: "error", detail: shownWords(error.words) }))

/**
 * Connects to the nodes. A node is asked for its network before it is asked for anything else, again after it was
 * unreachable, and every minute. One of another network is not used.
 */
export const connectNodes = Effect.fnUntraced(function* (servers: RpcServers, network: string) {
  const send = yield* connectRpc
  const pool = yield* makePool(servers, "node")
  const expected = nodeNames.get(network) ?? network.replace(/^nano:/u, "")

  const nodeOf = Effect.fnUntraced(function* ({ ask, isAway, isFailing, server }: RpcMember) {
    const known = yield* Ref.make<Network>("unknown")
    const isTold = yield* Ref.make(false)

    const learn = Effect.gen(function* () {
      const answer = yield* Effect.catchTag(
        send(server, { action: "version" }, PATIENCE),
        "RpcError",
        noMeaning
      )
      const version = yield* decodeVersion(answer)
      const found = version.network === expected ? "ours" : "other"
      const before = yield* Ref.getAndSet(known, found)
      if (found === "ours" || before === found) return
      yield* Effect.annotateLogs(
        Effect.logError("Ignoring a Nano node that is not on the network of NANO_NETWORK"),
        { server: server.name, network: shownWords(version.network), expected }
      )
    })
    const other = new RpcFailure({ reason: "network", detail: "another network" })
    const check = ask("version", () => learn)
    const ensure = Effect.gen(function* () {
      if ((yield* Ref.get(known)) === "unknown") yield* learn
      if ((yield* Ref.get(known)) === "other") return yield* other
    })
    const forget = Ref.update(known, (network) => (network === "ours" ? "unknown" : network))

    const warn = Effect.fnUntraced(function* ({ detail, reason }: RpcFailure) {
      if (yield* Ref.getAndSet(isTold, true)) return
      yield* Effect.annotateLogs(Effect.logWarning("A Nano node does not report its network"), {
        server: server.name,
        reason: `${reason} ${detail}`.trim()
      })
    })

    const node: RpcNode = {
      ask: Effect.fnUntraced(
        function* (question) {
          if ((yield* Ref.get(known)) === "other") return yield* other
          const { action, read, readError } = question
          const patience: Duration.Input = action.action === "process" ? PROCESS_PATIENCE : PATIENCE
          const asked = Effect.matchEffect(send(server, action, patience), {
            onSuccess: read,
            onFailure: (error) =>
              error._tag === "RpcError" ? (readError(error.words) ?? noMeaning(error)) : Effect.fail(error)
          })
          return yield* ask(action.action, () => Effect.andThen(ensure, asked))
        },
        Effect.tapError((error) => (isUnreachable(error) ? forget : Effect.void))
      ),
      isAway: Effect.gen(function* () {
        return (yield* Ref.get(known)) === "other" || (yield* isAway)
      }),
      isFailing
    }
    // The result of a check shows in the next call and in the log.
    yield* check.pipe(
      Effect.tap(Ref.set(isTold, false)),
      Effect.tapError((failure) => Effect.andThen(forget, warn(failure))),
      Effect.ignore,
      Effect.repeat(Schedule.spaced(CHECK_EVERY)),
      Effect.forkScoped
    )
    return node
  })

  const [first, ...others] = pool
  const nodes: Array.NonEmptyReadonlyArray<RpcNode> = [
    yield* nodeOf(first),
    ...(yield* Effect.forEach(others, nodeOf))
  ]
  return nodes
})

const isUnreachable = (error: unknown) => error instanceof RpcFailure && error.reason === "unreachable"

/**
 * Asks the nodes in their order until one answers. A node that failed too often comes last, so that a caller waits for it
 * only if no other answers. Fails as the last of them.
 */
export const firstAnswer = Effect.fnUntraced(function* <A, E = never>(
  nodes: Array.NonEmptyReadonlyArray<RpcNode>,
  question: RpcQuestion<A, E>
): Effect.fn.Return<A, RpcFailure | E> {
  const failing = new Set<RpcNode>()
  for (const node of nodes) if (yield* node.isFailing) failing.add(node)
  const [first, ...others] = Array.sortWith(nodes, (node) => failing.has(node), Order.Boolean)
  return yield* others.reduce(
    (earlier, node) =>
      Effect.catchIf(
        earlier,
        (error) => error instanceof RpcFailure,
        () => node.ask(question)
      ),
    first.ask(question)
  )
})
