import { ByteSize, Effect, Layer, Option, Redacted, Stream } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RpcServer } from "effect/rpc"
import { AdministratorRpcs } from "../../../schemas/AdministratorRpcs.ts"
import { MalformedRequest, PayloadTooLarge, Unauthorized } from "../../../schemas/platform/errors/common.ts"
import { bearerOf } from "../../platform/http/bearer.ts"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { Administrators } from "./Administrators.ts"

/** Bytes of a body of calls at most, 64 KiB: several hundred calls. */
const BODY_BYTES_MAX = 64 * 1024

/** Calls that run at the same time, so that one body of calls leaves database connections to other requests. */
const CALLS_MAX = 4

const notAdministrator = problemAnswer(
  new Unauthorized({
    detail: "Send `Authorization: Bearer <ADMIN_TOKEN>`, with the token of this service."
  })
)

const tooLarge = problemAnswer(
  new PayloadTooLarge({
    detail: `Send at most ${BODY_BYTES_MAX} bytes; split the calls over several requests.`
  })
)

/** Waits for every answer of a body of calls, so that none is cut off by the end of its request. */
const whole = Effect.fnUntraced(function* (response: HttpServerResponse.HttpServerResponse) {
  const { body } = response
  if (body._tag !== "Stream") return response
  const lines = yield* Effect.orDie(Stream.runCollect(body.stream))
  return HttpServerResponse.uint8Array(Buffer.concat(lines), { contentType: body.contentType })
}, Effect.interruptible)

/** Starts the procedures. Returns the answer to the calls in the body of a request. */
const procedures = Effect.gen(function* () {
  // The answers to refused calls are written while the body is parsed, before a reader takes any: a bounded buffer
  // would stop that for ever. The bound of the body bounds the answers.
  const { httpEffect, protocol } = yield* RpcServer.makeProtocolWithHttpEffect({
    streamBufferSize: "unbounded"
  })
  yield* RpcServer.make(AdministratorRpcs, { concurrency: CALLS_MAX }).pipe(
    Effect.provideService(RpcServer.Protocol, protocol),
    Effect.forkScoped
  )
  return { answerCalls: Effect.flatMap(httpEffect, whole) }
})

/**
 * Serves the procedures of administrators, as lines of JSON over HTTP. The path needs an `ADMIN_TOKEN`. A request without
 * it is answered 401 before its body is read, and a body of more than 64 KiB 413.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { authenticate, isOn } = yield* Administrators
    if (!isOn) return
    const { answerCalls } = yield* procedures
    const router = yield* HttpRouter.HttpRouter

    const answer = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const token = bearerOf(request.headers["authorization"])
      const authority = authenticate(token === undefined ? undefined : Redacted.make(token))
      if (Option.isNone(authority)) return yield* notAdministrator
      if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES_MAX) return yield* tooLarge
      // The request keeps the text, so the procedures do not read the body again.
      return yield* Effect.matchEffect(request.text, {
        onSuccess: () => answerCalls,
        onFailure: ({ reason }) =>
          reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
            ? tooLarge
            : problemAnswer(new MalformedRequest())
      })
    }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(BODY_BYTES_MAX)))

    yield* router.add("POST", "/rpc", answer)
  })
)
