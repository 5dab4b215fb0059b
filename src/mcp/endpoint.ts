import { ByteSize, Effect, Layer, type Scope } from "effect"
import {
  type HttpClient,
  Headers,
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { MODERN_VERSION } from "../../schemas/mcp/edition.ts"
import type { RateLimited } from "../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../schemas/platform/errors/PublicBaseUrl.ts"
import { Settings } from "../platform/ports/Settings.ts"
import { limiting, reportingRefusal } from "../platform/rate-limits/http.ts"
import { makeTurnstile } from "../platform/work/turnstile.ts"
import { answerLegacy, modern, type ModernRequest } from "./legacy.ts"
import { listRequestOf, makeSharedResults, resultOf, type SharedResults } from "./lists.ts"
import {
  accepted,
  errorAnswer,
  isMessage,
  isObject,
  type JsonObject,
  messageOf,
  noMessage,
  type Refusal,
  RPC
} from "./messages.ts"
import type { libraryOf, makeLibrary } from "./tools/layer.ts"

/** Bytes of a message, at most. */
const MESSAGE_BYTES_MAX = 64 * 1024

const PATH = "/mcp"

const VERSION_HEADER = "mcp-protocol-version"
const VERSION_MEMBER = "io.modelcontextprotocol/protocolVersion"
const REVISION = /^\d{4}-\d{2}-\d{2}$/

/** Headers of a request that never reach the library or the API. */
const WITHHELD = ["authorization", "cookie", "origin"]

type Request = HttpServerRequest.HttpServerRequest
type Library = Effect.Success<ReturnType<typeof libraryOf>>
type MakeLibrary = typeof makeLibrary
type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

const refuse = (status: number, refusal: Refusal): Answer =>
  Effect.succeed(errorAnswer(null, refusal, status))

const invalid = (message: string): Refusal => ({ code: RPC.invalidRequest, message })

const tooLarge = refuse(413, invalid(`Send a message of at most ${MESSAGE_BYTES_MAX} bytes`))

/** Returns true for JSON in UTF-8. */
const isJson = (contentType: string | undefined) =>
  /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i.test(contentType ?? "")

/** The only revision with batches. Its clients send no header of a version. */
const BATCH_VERSION = "2025-03-26"

/**
 * Returns true for a message of the revision without sessions, or a later one. `initialize` begins a handshake for any
 * version that its client prefers.
 */
const isModern = (message: JsonObject, version: string | undefined) => {
  const meta = isObject(message["params"]) ? message["params"]["_meta"] : undefined
  const isDeclared = isObject(meta) && VERSION_MEMBER in meta
  const isNew = version !== undefined && REVISION.test(version) && version >= MODERN_VERSION
  return isDeclared || (isNew && message["method"] !== "initialize")
}

/** Returns a request with this body for the library, without credentials. */
const requestOf = (request: Request, text: string, headers: Readonly<Record<string, string>> = {}) => {
  const own = Headers.setAll(Headers.removeMany(request.headers, WITHHELD), headers)
  const given = request.modify({ url: PATH, headers: own })
  Object.defineProperty(given, "text", { value: Effect.succeed(text) })
  return given
}

const withoutHandshake: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream"
}

const textOf = (answer: HttpServerResponse.HttpServerResponse) =>
  Effect.promise(() => HttpServerResponse.toWeb(answer).text())

/** Reads the body of a request within its bound; undefined when it is too large or broken off. */
const bodyOf = (request: Request) =>
  Number(request.headers["content-length"] ?? 0) > MESSAGE_BYTES_MAX
    ? Effect.succeed("too-large" as const)
    : request.arrayBuffer.pipe(
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(MESSAGE_BYTES_MAX)),
        Effect.map((buffer) => new Uint8Array(buffer)),
        Effect.catch((error) =>
          Effect.succeed(
            HttpServerError.isHttpServerError(error) &&
              error.reason._tag === "RequestParseError" &&
              error.reason.reason === "BodyTooLarge"
              ? ("too-large" as const)
              : new Uint8Array()
          )
        )
      )

interface Front {
  /** Counts a message, and fails when the client has sent too many. */
  readonly count: Effect.Effect<void, RateLimited>
  readonly share: SharedResults
  readonly siteName: string
}

const answerMessage = Effect.fnUntraced(function* (
  request: Request,
  library: Effect.Effect<Library>,
  { count, share, siteName }: Front
) {
  if (!isJson(request.headers["content-type"])) {
    return yield* refuse(415, invalid("Send a message as application/json"))
  }
  const body = yield* bodyOf(request)
  if (body === "too-large") return yield* tooLarge
  const read = messageOf(body)
  if ("code" in read) return yield* refuse(400, read)
  const version = request.headers[VERSION_HEADER]

  const ask = Effect.fnUntraced(function* (asked: JsonObject, headers: ModernRequest["headers"] = {}) {
    const { answer, readArguments } = yield* library
    const given = requestOf(request, JSON.stringify(readArguments(asked)), headers)
    return yield* Effect.orDie(Effect.provideService(answer, HttpServerRequest.HttpServerRequest, given))
  })
  const askModern = ({ headers, message: asked }: ModernRequest) =>
    ask(asked, { ...withoutHandshake, ...headers }).pipe(
      Effect.flatMap(textOf),
      Effect.map((answer): JsonObject => JSON.parse(answer)),
      Effect.scoped
    )
  if ("batch" in read) {
    if (version !== undefined && version !== BATCH_VERSION)
      return yield* refuse(400, invalid("Send one message, not a batch"))
    yield* Effect.forEach(read.batch.slice(1), () => count)
    const answers = yield* Effect.forEach(read.batch, (message) => {
      if (!isMessage(message)) return Effect.succeed(errorAnswer(null, noMessage))
      return message["method"] === "initialize"
        ? Effect.succeed(errorAnswer(null, invalid("Send initialize alone, not in a batch")))
        : answerLegacy(message, version, { ask: askModern, share, siteName })
    })
    const texts = yield* Effect.forEach(
      answers.filter(({ status }) => status !== accepted.status),
      textOf
    )
    return texts.length === 0
      ? accepted
      : HttpServerResponse.text(`[${texts.join(",")}]`, { contentType: "application/json" })
  }
  const { message } = read
  if (!isModern(message, version))
    return yield* answerLegacy(message, version, { ask: askModern, share, siteName })
  const list = listRequestOf(message, request.headers)
  if (list === undefined) return yield* ask(message)
  return yield* share(list.method, list.id, resultOf(askModern(modern(0, list.method, {}))))
})

/**
 * Returns the library, which is loaded with the first message: a service without tool calls does not pay for it. It
 * lives as long as the layer, and is built outside of any request.
 */
const loadedOnce = Effect.fnUntraced(function* (
  { baseUrl, siteName }: { readonly baseUrl: string; readonly siteName: string },
  make: () => Promise<MakeLibrary>
) {
  const context = yield* Effect.context<HttpClient.HttpClient | Scope.Scope>()
  const run = Effect.runPromiseWith(context)
  let loading: Promise<Library> | undefined

  const turnstile = yield* makeTurnstile

  const load = async (): Promise<Library> => {
    const makeLibrary = await make()
    return run(makeLibrary(baseUrl, siteName))
  }

  return {
    library: Effect.andThen(
      turnstile,
      Effect.promise(() => {
        loading ??= load().catch((error: unknown) => {
          loading = undefined
          throw error
        })
        return loading
      })
    )
  }
})

/**
 * Serves the tools of a library. It answers the revision without sessions, and this front asks it on behalf of clients of
 * earlier ones. `Authorization` and cookies are never read.
 */
export const endpointOf = Effect.fnUntraced(function* (make: () => Promise<MakeLibrary>) {
  const router = yield* HttpRouter.HttpRouter
  const count = yield* limiting
  const baseUrl = yield* PublicBaseUrl
  const { mcpAllowedOrigins, siteName } = yield* Settings
  const { library } = yield* loadedOnce({ baseUrl, siteName }, make)
  const share = makeSharedResults()

  const mayAsk = (origin: string | undefined) =>
    origin === undefined ||
    origin === baseUrl ||
    mcpAllowedOrigins.includes(origin) ||
    mcpAllowedOrigins.includes("*")

  const counted = reportingRefusal(count("tool-requests"))

  const answer = (request: Request) =>
    mayAsk(request.headers["origin"])
      ? Effect.andThen(counted, answerMessage(request, library, { count: counted, share, siteName })).pipe(
          Effect.catchTag("RateLimited", ({ retryAfterSeconds }) =>
            refuse(429, {
              code: RPC.refused,
              message: "Too many requests",
              data: { retryAfterSeconds }
            })
          )
        )
      : refuse(403, invalid("Pages of this origin may not use the tool server"))

  // Some clients add a slash to the address that they are given.
  for (const path of [PATH, `${PATH}/`] as const) yield* router.add("POST", path, answer)
})

/** Serves the tools of the hosted edition (spec 4.8). */
export const EndpointRoutes = Layer.effectDiscard(
  endpointOf(() => import("./tools/layer.ts").then(({ makeLibrary }) => makeLibrary))
)
