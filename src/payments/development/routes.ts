import { ByteSize, Effect, Layer, Option } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { isLocalCaller, makeLocalCheck } from "../../platform/http/localCallers.ts"
import { unknownPath } from "../../platform/http/unmatched.ts"
import { DevelopmentLedger, type LedgerBook } from "../../platform/ports/DevelopmentLedger.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { nodeActions } from "./nodeActions.ts"
import { actionOf, NodeError, nodeRequestOf } from "./nodeRequest.ts"

const BODY_BYTES_MAX = 8192

const nodeError = (words: string) => new NodeError({ words })

/** Reads the body of a request, up to its bound. */
const requestText = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ text }) => text).pipe(
  Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(BODY_BYTES_MAX)),
  Effect.mapError(() => nodeError(`The body cannot be read, or has more than ${BODY_BYTES_MAX} bytes`))
)

const answering = (book: LedgerBook, count: Effect.Success<typeof limiting>) => {
  const actions = nodeActions(book)

  return Effect.gen(function* () {
    yield* reportingRefusal(count("development-ledger"))
    const request = nodeRequestOf(yield* requestText)
    if (Option.isNone(request)) return yield* nodeError("Unable to parse JSON")
    const name = actionOf(request.value) ?? ""
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined
    if (action === undefined) return yield* nodeError("Unknown command")
    if (name === "faucet") yield* reportingRefusal(count("development-faucet"))
    return yield* action(request.value)
  }).pipe(
    Effect.catchTags({
      NodeError: ({ words }) => Effect.succeed({ error: words }),
      LedgerUnavailable: () => Effect.succeed({ error: "The ledger is not available, try again" }),
      RateLimited: ({ retryAfterSeconds }) =>
        Effect.succeed({ error: `Too many requests, try again in ${retryAfterSeconds} seconds` })
    }),
    // Nodes answer errors with status 200, too.
    Effect.map((answer) =>
      HttpServerResponse.jsonUnsafe(answer, {
        headers: { "cache-control": "no-store", "x-pennypress-ledger": "development" }
      })
    )
  )
}

/** Makes the function that answers a program of this machine; for any other caller the route does not exist. */
const onlyLocal = Effect.map(
  makeLocalCheck(isLocalCaller),
  (isLocal) =>
    <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        isLocal(request) ? answer : problemAnswer(unknownPath())
      )
)

/**
 * Serves the development ledger to wallets of this machine as a Nano node does. Its faucet gives money away, so that
 * strangers could read paid texts for nothing. With another ledger, this route does not exist.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const book = yield* DevelopmentLedger
    return Option.isNone(book)
      ? Layer.empty
      : HttpRouter.add("POST", "/dev/nano", (yield* onlyLocal)(answering(book.value, yield* limiting)))
  })
)
