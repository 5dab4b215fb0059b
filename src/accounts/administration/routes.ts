import { ByteSize, Effect, Layer, Option, Redacted, Semaphore, Stream } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RpcServer } from "effect/rpc"
import { AdministratorRpcs } from "../../../schemas/AdministratorRpcs.ts"
import { MalformedRequest, PayloadTooLarge, Unauthorized } from "../../../schemas/platform/errors/common.ts"
import { exceededBound, JSON_LEVELS_MAX, JSON_VALUES_MAX } from "../../../schemas/platform/jsonBounds.ts"
import { ServiceRpcs } from "../../../schemas/ServiceRpcs.ts"
import { bearerOf } from "../../platform/http/bearer.ts"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { Administrators } from "./Administrators.ts"

const MEBIBYTE = 1024 * 1024

/** Maximum number of bytes of a body with several calls: 64 KiB are several hundred calls. */
const CALLS_BYTES_MAX = 64 * 1024

/** Maximum number of bytes of a body with one call: an image of 5 MiB takes 7 MiB in base64. */
const CALL_BYTES_MAX = 8 * MEBIBYTE

/** Maximum number of bodies above 64 KiB in memory. Others wait, and are not read meanwhile. */
const LARGE_BODIES_AT_ONCE = 2

/** Maximum number of bytes of the answers to one body. The largest page of own Posts has fewer. */
const ANSWERS_BYTES_MAX = 16 * MEBIBYTE

/** Maximum number of concurrent calls, so that one body of calls leaves database connections to other requests. */
const CALLS_MAX = 4

const notAdministrator = problemAnswer(
  new Unauthorized({
    detail: "Send `Authorization: Bearer <ADMIN_TOKEN>`, with the token of this service."
  })
)

const tooLarge = (detail: string) => problemAnswer(new PayloadTooLarge({ detail }))

const bodyTooLarge = tooLarge(
  `Send one call of at most ${CALL_BYTES_MAX} bytes with ${JSON_VALUES_MAX} members and elements, or several of at most ${CALLS_BYTES_MAX} bytes together.`
)

const bodyTooDeep = problemAnswer(
  new MalformedRequest({ detail: `Nest objects and arrays at most ${JSON_LEVELS_MAX} levels deep.` })
)

const answersTooLarge = tooLarge(
  `The answers have more than ${ANSWERS_BYTES_MAX} bytes together: split the calls over several requests.`
)

const NEWLINE = 0x0a

/**
 * Returns the refusal of a body, or undefined. A large body is one line, which is a call, with as many values as a body
 * of JSON may have.
 */
const refusalOf = (body: Uint8Array) => {
  const isLarge = body.length > CALLS_BYTES_MAX
  const exceeded = exceededBound(body, isLarge ? {} : { valuesMax: Infinity })
  if (exceeded === "levels") return bodyTooDeep
  const end = body.indexOf(NEWLINE)
  const hasSeveralLines = end !== -1 && end < body.length - 1
  return exceeded === "values" || (isLarge && hasSeveralLines) ? bodyTooLarge : undefined
}

/** Waits for every answer of a body of calls, so that none is cut off by the end of its request. */
const whole = Effect.fnUntraced(function* (response: HttpServerResponse.HttpServerResponse) {
  const { body } = response
  if (body._tag !== "Stream") return response
  const lines: Array<Uint8Array> = []
  let bytes = 0
  // The calls that are left when the answers become too large are interrupted with the end of the request.
  yield* body.stream.pipe(
    Stream.takeWhile((line) => (bytes += line.length) <= ANSWERS_BYTES_MAX),
    Stream.runForEach((line) => Effect.sync(() => lines.push(line))),
    Effect.orDie
  )
  if (bytes > ANSWERS_BYTES_MAX) return yield* answersTooLarge
  return HttpServerResponse.uint8Array(Buffer.concat(lines), { contentType: body.contentType })
}, Effect.interruptible)

/** Starts the procedures. Returns the answer to the calls in the body of a request. */
const procedures = Effect.gen(function* () {
  // The answers to refused calls are written while the body is parsed, before a reader takes any: a bounded buffer
  // would stop that for ever. The bound of a body of several calls bounds them.
  const { httpEffect, protocol } = yield* RpcServer.makeProtocolWithHttpEffect({
    streamBufferSize: "unbounded"
  })
  yield* RpcServer.make(AdministratorRpcs.merge(ServiceRpcs), {
    concurrency: CALLS_MAX,
    // A call that dies does not end the other calls of its body.
    disableFatalDefects: true
  }).pipe(Effect.provideService(RpcServer.Protocol, protocol), Effect.forkScoped)
  return { answerCalls: Effect.flatMap(httpEffect, whole) }
})

/**
 * Serves the procedures of administrators and of the operator's other services, as lines of JSON over HTTP. The path needs
 * an `ADMIN_TOKEN`. A request without it is answered 401 before its body is read, and a body that is too large 413.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { authenticate, isOn } = yield* Administrators
    if (!isOn) return
    const { answerCalls } = yield* procedures
    const router = yield* HttpRouter.HttpRouter
    const largeBodies = yield* Semaphore.make(LARGE_BODIES_AT_ONCE)

    const read = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      return yield* Effect.matchEffect(request.arrayBuffer, {
        // The request keeps the bytes, so the procedures do not read the body again.
        onSuccess: (bytes) => refusalOf(new Uint8Array(bytes)) ?? answerCalls,
        onFailure: ({ reason }) =>
          reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
            ? bodyTooLarge
            : problemAnswer(new MalformedRequest())
      })
    }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(CALL_BYTES_MAX)))

    const answer = Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const token = bearerOf(headers["authorization"])
      const authority = authenticate(token === undefined ? undefined : Redacted.make(token))
      if (Option.isNone(authority)) return yield* notAdministrator
      const bytes = Number(headers["content-length"] ?? CALL_BYTES_MAX)
      if (bytes > CALL_BYTES_MAX) return yield* bodyTooLarge
      return yield* bytes > CALLS_BYTES_MAX ? largeBodies.withPermit(read) : read
    })

    yield* router.add("POST", "/rpc", answer)
  })
)
