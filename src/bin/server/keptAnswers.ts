import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect, Layer, Option } from "effect"
import { makeKeptAnswers, type UnroutedRequest } from "../../platform/http/keptAnswers.ts"
import type { Representation, RequestHeaders } from "../../platform/http/representation.ts"
import type { Answerer } from "./nodeServer.ts"

const unrouted = ({ headers, method = "", socket, url = "" }: IncomingMessage): UnroutedRequest => ({
  method,
  url,
  // Node joins the lines of every header that may be repeated, except for cookies, which public reads ignore.
  headers: headers as RequestHeaders,
  peerAddress: Option.fromUndefinedOr(socket.remoteAddress)
})

const write = (response: ServerResponse, { body, headers, status }: Representation) => {
  response.writeHead(status, headers)
  response.end(body)
}

/**
 * Answers requests for kept answers before they are routed. `leave` takes those that cannot be answered after all, as
 * when the rate limit is used up.
 */
export const layer = (answerFirst: (answerer: Answerer) => void, leave: Answerer) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const find = yield* makeKeptAnswers
      const run = Effect.runForkWith(yield* Effect.context<never>())
      answerFirst((request, response) => {
        const answer = find(unrouted(request))
        if (answer === undefined) return false
        run(
          Effect.matchCause(answer, {
            onSuccess: (found) => write(response, found),
            onFailure: () => void leave(request, response)
          })
        )
        return true
      })
    })
  )
