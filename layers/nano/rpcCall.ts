import { type Duration, Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientError } from "effect/http"
import { fromShallowJson } from "../../schemas/platform/jsonBounds.ts"
import type { RpcServer } from "./rpcUrl.ts"

/**
 * A server gave no answer that can be used. It contains neither the URL nor the request nor the error underneath,
 * because these hold credentials.
 */
export class RpcFailure extends Schema.TaggedError<RpcFailure>()("RpcFailure", {
  /**
   * `refused`: HTTP says no. `error`: the answer is an error of the server's own. `network`: the server is on another
   * network. `gap`: the server lacks the block before a published one.
   */
  reason: Schema.Literals(["unreachable", "timeout", "refused", "protocol", "error", "network", "gap"]),
  /** A code, or a few harmless words of the server, for the log. */
  detail: Schema.String
}) {}

/** The server answered `{"error": …}`. The caller knows what the words mean. */
export class RpcError extends Schema.TaggedError<RpcError>()("RpcError", { words: Schema.String }) {}

/** The members of an answer, which is an object. */
export type RpcAnswer = Readonly<Record<string, unknown>>

/** An action of a node with its parameters. */
export type RpcAction = Readonly<Record<string, unknown>> & { readonly action: string }

const Code = Schema.Struct({ code: Schema.String.check(Schema.isPattern(/^[A-Z][A-Z0-9_]{1,63}$/u)) })
const codeOf = (cause: unknown) =>
  Option.match(Schema.decodeUnknownOption(Code)(cause), { onNone: () => "", onSome: ({ code }) => code })

const reasonOf = (code: string): RpcFailure["reason"] => {
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") return "timeout"
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE" || code.startsWith("HPE_")) return "protocol"
  return "unreachable"
}

const failureOf = ({ reason }: HttpClientError.HttpClientError) => {
  const code = "cause" in reason ? codeOf(reason.cause) : ""
  return new RpcFailure({ reason: reasonOf(code), detail: code })
}

/** Codes of a connection that the server closed while it was idle, as it may at any time. */
const CLOSED = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])

const requestOf = (server: RpcServer, action: RpcAction) =>
  HttpClientRequest.post(Redacted.value(server.url)).pipe(
    HttpClientRequest.setHeaders({
      accept: "application/json",
      // Some public nodes refuse callers that do not name themselves.
      "user-agent": "pennypress",
      ...Option.match(server.authorization, {
        onNone: () => ({}),
        onSome: (authorization) => ({ authorization: Redacted.value(authorization) })
      })
    }),
    HttpClientRequest.bodyJsonUnsafe(action)
  )

const decodeAnswer = Schema.decodeEffect(fromShallowJson(Schema.Record(Schema.String, Schema.Unknown)))

/** Words that hold no key: letters, spaces and a few marks. */
const HARMLESS = /^[A-Za-z][A-Za-z ,.'-]{0,79}$/u

/** Returns the words of an error for the log, if these can be shown. */
export const shownWords = (words: string) => (HARMLESS.test(words) ? words : "an error in other words")

/** Sends one action to one server, and returns its answer. */
export type SendRpc = (
  server: RpcServer,
  action: RpcAction,
  patience: Duration.Input
) => Effect.Effect<RpcAnswer, RpcFailure | RpcError>

/** Makes a client over another one, which bounds connections and bytes. */
export const sendWith = (client: HttpClient.HttpClient): SendRpc => {
  const scoped = HttpClient.withScope(client)
  return (server, action, patience) =>
    Effect.gen(function* () {
      const response = yield* scoped.execute(requestOf(server, action))
      if (response.status !== 200) {
        return yield* new RpcFailure({ reason: "refused", detail: `HTTP ${response.status}` })
      }
      const answer = yield* Effect.mapError(
        decodeAnswer(yield* response.text),
        () => new RpcFailure({ reason: "protocol", detail: "no JSON object" })
      )
      if (answer["error"] === undefined) return answer
      return yield* new RpcError({ words: typeof answer["error"] === "string" ? answer["error"] : "" })
    }).pipe(
      // Ends the connection of an answer that is not read whole.
      Effect.scoped,
      Effect.catchTag("HttpClientError", (error) => Effect.fail(failureOf(error))),
      Effect.retry({
        times: 1,
        while: (error) => error._tag === "RpcFailure" && CLOSED.has(error.detail)
      }),
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(new RpcFailure({ reason: "timeout", detail: "no answer" }))
      }),
      // The spans of a client show the URL, which may hold a key.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
}
