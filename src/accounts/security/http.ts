import { Effect, Layer, Option, Redacted, type Types } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { NotFound, Unauthorized } from "../../../schemas/platform/errors/common.ts"
import {
  CurrentCredential,
  CurrentOwner,
  CurrentPublisher,
  Viewer
} from "../../../schemas/platform/security/authorities.ts"
import {
  OwnerOrKey,
  OwnerSession,
  OwnerSessionProblem,
  PublicRead,
  PublishingKey
} from "../../../schemas/platform/security/middleware.ts"
import { bearerOf } from "../../platform/http/bearer.ts"
import { ApiKeys } from "../api-keys/ApiKeys.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { makePublisherOf } from "./publishers.ts"
import { type Expected, refusalOf } from "./refusals.ts"

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, R>
type Presented = { readonly credential: Redacted.Redacted }

const refused = (expected: Expected, credential: Redacted.Redacted | undefined) =>
  new Unauthorized({ detail: refusalOf(expected, credential) })

const ownerSession = Effect.map(Sessions, (sessions) =>
  Effect.fnUntraced(function* (answer: Answer<CurrentOwner>, { credential }: Presented) {
    const owner = yield* sessions.authenticate(credential)
    if (Option.isNone(owner)) return yield* refused("access token", credential)
    return yield* Effect.provideService(answer, CurrentOwner, owner.value)
  })
)

const publishingKey = Effect.map(makePublisherOf, (publisherOf) =>
  Effect.fnUntraced(function* (answer: Answer<CurrentPublisher>, { credential }: Presented) {
    return yield* Effect.provideService(answer, CurrentPublisher, yield* publisherOf(credential))
  })
)

const isKey = (credential: Redacted.Redacted) => Redacted.value(credential).startsWith("ppk_")

const ownerOrKey = Effect.gen(function* () {
  const sessions = yield* Sessions
  const apiKeys = yield* ApiKeys

  return Effect.fnUntraced(function* (answer: Answer<CurrentCredential>, { credential }: Presented) {
    if (isKey(credential)) {
      const publisher = yield* apiKeys.authenticate(credential)
      if (Option.isNone(publisher)) return yield* refused("either", credential)
      const kind = "publishing_key" as const
      return yield* Effect.provideService(answer, CurrentCredential, { kind, publisher: publisher.value })
    }
    const owner = yield* sessions.authenticate(credential)
    if (Option.isNone(owner)) return yield* refused("either", credential)
    return yield* Effect.provideService(answer, CurrentCredential, {
      kind: "owner_session" as const,
      owner: owner.value
    })
  })
})

const isMalformedId = (error: unknown) => HttpApiError.HttpApiSchemaError.is(error) && error.kind === "Params"

/** Tells caches that an error, like the answer in its place, is for one Authorization. */
const varyingError = Effect.withFiber<void>((fiber) => {
  HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "vary", "Authorization"))
  )
  return Effect.void
})

const publicRead = Effect.gen(function* () {
  const sessions = yield* Sessions
  const apiKeys = yield* ApiKeys
  const anonymousViewer = { ownerId: null }

  /** Returns the viewer behind an Authorization header. A Publishing key cannot act as a reader (spec 5.1). */
  const viewer = Effect.fnUntraced(function* (authorization: string) {
    const token = bearerOf(authorization)
    const credential = token === undefined ? undefined : Redacted.make(token)
    if (credential !== undefined && isKey(credential)) {
      if (Option.isSome(yield* apiKeys.authenticate(credential))) return anonymousViewer
    } else if (credential !== undefined) {
      const ownerId = yield* sessions.viewerOf(credential)
      if (Option.isSome(ownerId)) return { ownerId: ownerId.value }
    }
    return yield* refused("viewer", credential)
  })

  // Assembled once for each operation, as nearly every public read comes without a credential.
  return (answer: Answer<Viewer>) => {
    const found = Effect.catchIf(answer, isMalformedId, () => Effect.fail(new NotFound()))
    const anonymous = Effect.provideService(found, Viewer, anonymousViewer)
    const read = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { authorization } }) =>
      authorization === undefined
        ? anonymous
        : Effect.flatMap(viewer(authorization), (reader) => Effect.provideService(found, Viewer, reader))
    )
    return Effect.tapCause(read, () => varyingError)
  }
})

/** The checks before the handlers. Each provides the value that only a passed check provides. */
export const layer = Layer.mergeAll(
  Layer.effect(
    OwnerSession,
    Effect.map(ownerSession, (ownerSession) => OwnerSession.of({ ownerSession }))
  ),
  Layer.effect(
    OwnerSessionProblem,
    Effect.map(ownerSession, (ownerSession) => OwnerSessionProblem.of({ ownerSession }))
  ),
  Layer.effect(
    PublishingKey,
    Effect.map(publishingKey, (publishingKey) => PublishingKey.of({ publishingKey }))
  ),
  Layer.effect(
    OwnerOrKey,
    Effect.map(ownerOrKey, (ownerOrKey) => OwnerOrKey.of({ ownerOrKey }))
  ),
  Layer.effect(PublicRead, publicRead)
)
