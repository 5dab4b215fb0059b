import { Context, Effect, Layer, Option, Redacted, type Types } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiError } from "effect/http-api"
import { NotFound, Unauthorized } from "../../../schemas/platform/errors/common.ts"
import { fieldErrorsOf } from "../../../schemas/platform/errors/fieldErrors.ts"
import { summaryOf } from "../../../schemas/platform/errors/summary.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import {
  CurrentCredential,
  CurrentOwner,
  CurrentPublisher,
  Viewer
} from "../../../schemas/platform/security/authorities.ts"
import {
  OptionalOwner,
  OwnerOrKey,
  OwnerSession,
  OwnerSessionProblem,
  PublicRead,
  PublishingKey
} from "../../../schemas/platform/security/middleware.ts"
import { AllowedWhileRestricted } from "../../../schemas/platform/security/restriction.ts"
import { bearerOf } from "../../platform/http/bearer.ts"
import { ApiKeys } from "../api-keys/ApiKeys.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { makePublisherOf } from "./publishers.ts"
import { type Expected, refusalOf } from "./refusals.ts"
import { makeRestricted } from "./restriction.ts"

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, R>
type Presented = { readonly credential: Redacted.Redacted; readonly endpoint: HttpApiEndpoint.Top }

const refused = (expected: Expected, credential: Redacted.Redacted | undefined) =>
  new Unauthorized({ detail: refusalOf(expected, credential) })

/** Refuses what a restricted account may not do: everything except reads and annotated operations. */
const makeAdmit = Effect.map(
  makeRestricted,
  (refuse) =>
    (
      { isRestricted, ownerId }: { readonly isRestricted: boolean; readonly ownerId: OwnerId },
      { annotations, method }: HttpApiEndpoint.Top
    ) =>
      !isRestricted || method === "GET" || Context.get(annotations, AllowedWhileRestricted)
        ? Effect.void
        : refuse(ownerId)
)

const ownerSession = Effect.map(Effect.all([Sessions, makeAdmit]), ([sessions, admit]) =>
  Effect.fnUntraced(function* (answer: Answer<CurrentOwner>, { credential, endpoint }: Presented) {
    const owner = yield* sessions.authenticate(credential)
    if (Option.isNone(owner)) return yield* refused("access token", credential)
    yield* admit(owner.value, endpoint)
    return yield* Effect.provideService(answer, CurrentOwner, owner.value)
  })
)

const publishingKey = Effect.map(Effect.all([makePublisherOf, makeAdmit]), ([publisherOf, admit]) =>
  Effect.fnUntraced(function* (answer: Answer<CurrentPublisher>, { credential, endpoint }: Presented) {
    const publisher = yield* publisherOf(credential)
    yield* admit(publisher, endpoint)
    return yield* Effect.provideService(answer, CurrentPublisher, publisher)
  })
)

const isKey = (credential: Redacted.Redacted) => Redacted.value(credential).startsWith("ppk_")

const ownerOrKey = Effect.gen(function* () {
  const sessions = yield* Sessions
  const apiKeys = yield* ApiKeys
  const admit = yield* makeAdmit

  return Effect.fnUntraced(function* (
    answer: Answer<CurrentCredential>,
    { credential, endpoint }: Presented
  ) {
    if (isKey(credential)) {
      const publisher = yield* apiKeys.authenticate(credential)
      if (Option.isNone(publisher)) return yield* refused("either", credential)
      yield* admit(publisher.value, endpoint)
      const kind = "publishing_key" as const
      return yield* Effect.provideService(answer, CurrentCredential, { kind, publisher: publisher.value })
    }
    const owner = yield* sessions.authenticate(credential)
    if (Option.isNone(owner)) return yield* refused("either", credential)
    yield* admit(owner.value, endpoint)
    return yield* Effect.provideService(answer, CurrentCredential, {
      kind: "owner_session" as const,
      owner: owner.value
    })
  })
})

const isMalformedId = (error: unknown) => HttpApiError.HttpApiSchemaError.is(error) && error.kind === "Params"

/** Answers an id that no resource can have as not found, and says what an id is. */
const withoutMalformedIds = <R>(answer: Answer<R>) =>
  Effect.catchIf(answer, isMalformedId, (error) => {
    const { cause } = error as object as HttpApiError.HttpApiSchemaError
    const { errors, unlisted } = fieldErrorsOf(cause.issue, "path")
    return Effect.fail(new NotFound({ detail: summaryOf(errors, unlisted) }))
  })

/** Tells caches that an error, like the answer it replaces, is for one Authorization. */
const varyingError = Effect.withFiber<void>((fiber) => {
  HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "vary", "Authorization"))
  )
  return Effect.void
})

const anonymousViewer = { ownerId: null }

const publicRead = Effect.gen(function* () {
  const sessions = yield* Sessions
  const apiKeys = yield* ApiKeys
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

  // Assembled once for each operation, because nearly every public read comes without a credential.
  return (answer: Answer<Viewer>) => {
    const found = withoutMalformedIds(answer)
    const anonymous = Effect.provideService(found, Viewer, anonymousViewer)
    const read = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { authorization } }) =>
      authorization === undefined
        ? anonymous
        : Effect.flatMap(viewer(authorization), (reader) => Effect.provideService(found, Viewer, reader))
    )
    return Effect.tapCause(read, () => varyingError)
  }
})

/**
 * Headers that change the answers about paid content. Even caches that ignore `Cache-Control` then keep these answers
 * apart.
 */
const PAID_VARY = "Authorization, PAYMENT-SIGNATURE, X-Purchase-Receipt, X-Gift-Token"

const varyingPaid = Effect.withFiber<void>((fiber) => {
  HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "vary", PAID_VARY))
  )
  return Effect.void
})

const optionalOwner = Effect.map(Effect.all([Sessions, makeAdmit]), ([sessions, admit]) => {
  const ownerOf = Effect.fnUntraced(function* (authorization: string, endpoint: HttpApiEndpoint.Top) {
    const token = bearerOf(authorization)
    const credential = token === undefined ? undefined : Redacted.make(token)
    const owner = credential === undefined ? Option.none() : yield* sessions.authenticate(credential)
    if (Option.isNone(owner)) return yield* refused("access token", credential)
    yield* admit(owner.value, endpoint)
    return owner.value
  })

  // Assembled once for each operation, because most of these requests come without a credential.
  return (answer: Answer<Viewer>, { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }) => {
    const found = withoutMalformedIds(answer)
    const anonymous = Effect.provideService(found, Viewer, anonymousViewer)
    const read = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { authorization } }) =>
      authorization === undefined
        ? anonymous
        : Effect.flatMap(ownerOf(authorization, endpoint), ({ ownerId }) =>
            Effect.provideService(found, Viewer, { ownerId })
          )
    )
    return Effect.andThen(varyingPaid, read)
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
  Layer.effect(
    OptionalOwner,
    Effect.map(optionalOwner, (optionalOwner) => OptionalOwner.of(optionalOwner))
  ),
  Layer.effect(PublicRead, publicRead)
)
