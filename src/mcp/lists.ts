import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { MODERN_VERSION } from "../../schemas/mcp/edition.ts"
import { type Id, isObject, type JsonObject } from "./messages.ts"

type Headers = Readonly<Record<string, string | undefined>>
type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** A request for one of the lists: the answer is the same for everyone, except for the id. */
interface ListRequest {
  readonly id: Id
  readonly method: string
}

/** The lists that the library has. It refuses others quickly. */
const LISTS = new Set(["server/discover", "tools/list", "resources/list"])

const META = "io.modelcontextprotocol/"
const PLAIN_META = new Set([`${META}protocolVersion`, `${META}clientInfo`, `${META}clientCapabilities`])

const hasOnly = (object: JsonObject, names: ReadonlySet<string>) =>
  Object.keys(object).every((name) => names.has(name))

/** Returns true for the metadata that a client sends with every request, and no other. */
const isPlainMeta = (meta: unknown) =>
  isObject(meta) &&
  meta[`${META}protocolVersion`] === MODERN_VERSION &&
  isObject(meta[`${META}clientCapabilities`]) &&
  hasOnly(meta, PLAIN_META)

/**
 * Reads a request of the revision without sessions for the beginning of a list, as its clients send it. Returns undefined
 * for any other message, which the library judges.
 */
export const listRequestOf = (message: JsonObject, headers: Headers): ListRequest | undefined => {
  const { id, method, params } = message
  const accepted = headers["accept"] ?? ""
  const isPlain =
    (typeof id === "string" || (typeof id === "number" && Number.isFinite(id))) &&
    typeof method === "string" &&
    LISTS.has(method) &&
    headers["mcp-method"] === method &&
    headers["mcp-protocol-version"] === MODERN_VERSION &&
    accepted.includes("application/json") &&
    accepted.includes("text/event-stream") &&
    isObject(params) &&
    hasOnly(params, new Set(["_meta"])) &&
    isPlainMeta(params["_meta"])
  return isPlain ? { id, method } : undefined
}

/** Returns the result of a message that the library answers. It refuses no request for a list. */
export const resultOf = (answer: Effect.Effect<JsonObject>): Effect.Effect<JsonObject> =>
  Effect.flatMap(answer, ({ result }) =>
    isObject(result) ? Effect.succeed(result) : Effect.die(new Error("The library refuses a list"))
  )

/**
 * Makes the function that answers with a result which is the same for everyone. It is made once for each name: the
 * library takes milliseconds of the main thread to make one, and any stranger may ask.
 */
export const makeSharedResults = () => {
  const results = new Map<string, string>()
  return (name: string, id: Id, make: Effect.Effect<JsonObject>): Answer => {
    const known = results.get(name)
    const result =
      known === undefined
        ? Effect.tap(Effect.map(make, JSON.stringify), (text) => Effect.sync(() => results.set(name, text)))
        : Effect.succeed(known)
    return Effect.map(result, (text) =>
      HttpServerResponse.text(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`, {
        contentType: "application/json"
      })
    )
  }
}
export type SharedResults = ReturnType<typeof makeSharedResults>
