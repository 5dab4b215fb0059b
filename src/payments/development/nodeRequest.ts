import { Effect, Option, Schema } from "effect"
import { isTooDeep } from "../../../schemas/platform/jsonBounds.ts"
import { NanoAddress, publicKeyOfAddress, RawAmount } from "../../../schemas/platform/Nano.ts"
import { BlockHash, SignedBlock } from "../../../schemas/platform/NanoBlock.ts"

/** A refusal in the words of a Nano node, which sends it with status 200. */
export class NodeError extends Schema.TaggedError<NodeError>()("NodeError", { words: Schema.String }) {}

/** A request as it was sent. Nodes take every value as text. */
export type NodeRequest = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is NodeRequest =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Reads the JSON of a request, which is an object. */
export const nodeRequestOf = (text: string): Option.Option<NodeRequest> =>
  isTooDeep(text)
    ? Option.none()
    : Option.filter(Option.liftThrowable((json: string): unknown => JSON.parse(json))(text), isRecord)

const textOf = (request: NodeRequest, member: string): string | undefined => {
  if (!Object.hasOwn(request, member)) return undefined
  const value = request[member]
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined
}

const orRefuse = <A>(value: Option.Option<A>, words: string) =>
  Effect.mapError(Effect.fromOption(value), () => new NodeError({ words }))

const member =
  <A>(name: string, schema: Schema.Codec<A, string>, words: string) =>
  (request: NodeRequest): Effect.Effect<A, NodeError> =>
    orRefuse(Schema.decodeOption(schema)(textOf(request, name) ?? ""), words)

export const actionOf = (request: NodeRequest) => textOf(request, "action")
export const accountOf = (request: NodeRequest) =>
  Effect.map(member("account", NanoAddress, "Bad account number")(request), publicKeyOfAddress)
export const hashOf = member("hash", BlockHash, "Bad hash number")
export const headOf = (request: NodeRequest) =>
  Object.hasOwn(request, "head")
    ? Effect.asSome(member("head", BlockHash, "Bad hash number")(request))
    : Effect.succeedNone
export const amountOf = member("amount", RawAmount, "Bad amount number")
export const thresholdOf = (request: NodeRequest) =>
  Object.hasOwn(request, "threshold")
    ? Effect.asSome(member("threshold", RawAmount, "Bad threshold number")(request))
    : Effect.succeedNone

/** Returns a choice of the caller's, which is spelled `true` or `false`. */
export const flagOf = (request: NodeRequest, name: string, fallback = false) => {
  const text = textOf(request, name)
  return text === undefined ? fallback : text === "true"
}

/** Maximum number of entries in one answer. */
const COUNT_MAX = 100

/** Returns the number of entries that the caller requests, up to the maximum of one answer. */
export const countOf = (request: NodeRequest): Effect.Effect<number, NodeError> => {
  const text = textOf(request, "count") ?? String(COUNT_MAX)
  if (!/^-?\d{1,20}$/.test(text)) return Effect.fail(new NodeError({ words: "Invalid count limit" }))
  // Some wallets ask for all entries with -1.
  return Effect.succeed(text.startsWith("-") ? COUNT_MAX : Math.min(Number(text), COUNT_MAX))
}

const SUBTYPES = ["send", "receive", "open", "change"] as const

export const subtypeOf = Effect.fnUntraced(function* (request: NodeRequest) {
  if (!Object.hasOwn(request, "subtype")) return undefined
  const subtype = SUBTYPES.find((it) => it === request["subtype"])
  return subtype ?? (yield* new NodeError({ words: "Invalid subtype" }))
})

const decodeBlock = Schema.decodeUnknownOption(SignedBlock)

/** Reads the block of a request: an object, or its JSON as text. */
export const blockOf = (request: NodeRequest): Effect.Effect<SignedBlock, NodeError> => {
  const block = Object.hasOwn(request, "block") ? request["block"] : undefined
  const sent = typeof block === "string" ? nodeRequestOf(block) : Option.some(block)
  return orRefuse(Option.flatMap(sent, decodeBlock), "Block is invalid")
}
