import { Effect, Layer, Option, Redacted, type Types } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import {
  CurrentCredential,
  CurrentOwner,
  CurrentPublisher,
  Viewer
} from "../../../schemas/platform/security/authorities.ts"
import {
  InvalidCredentialProblem,
  OwnerOrKey,
  OwnerSession,
  OwnerSessionProblem,
  PublicRead,
  PublishingKey,
  Unauthorized
} from "../../../schemas/platform/security/middleware.ts"
import { bearerOf } from "../../platform/http/bearer.ts"
import { ApiKeys } from "../api-keys/ApiKeys.ts"
import { Sessions } from "../sessions/Sessions.ts"

type Answer<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, R>
type Presented = { readonly credential: Redacted.Redacted }

/** One check for both families; they differ in the error of a refusal alone. */
const ownerSession = <E>(refusal: () => E) =>
  Effect.map(Sessions, (sessions) =>
    Effect.fnUntraced(function* (answer: Answer<CurrentOwner>, { credential }: Presented) {
      const owner = yield* sessions.authenticate(credential)
      if (Option.isNone(owner)) return yield* Effect.fail(refusal())
      return yield* Effect.provideService(answer, CurrentOwner, owner.value)
    })
  )

const publishingKey = Effect.map(ApiKeys, (apiKeys) =>
  Effect.fnUntraced(function* (answer: Answer<CurrentPublisher>, { credential }: Presented) {
    const publisher = yield* apiKeys.authenticate(credential)
    if (Option.isNone(publisher)) return yield* new InvalidCredentialProblem({})
    return yield* Effect.provideService(answer, CurrentPublisher, publisher.value)
  })
)

const ownerOrKey = Effect.gen(function* () {
  const sessions = yield* Sessions
  const apiKeys = yield* ApiKeys
  return Effect.fnUntraced(function* (answer: Answer<CurrentCredential>, { credential }: Presented) {
    if (Redacted.value(credential).startsWith("ppk_")) {
      const publisher = yield* apiKeys.authenticate(credential)
      if (Option.isNone(publisher)) return yield* new Unauthorized()
      const kind = "publishing_key" as const
      return yield* Effect.provideService(answer, CurrentCredential, { kind, publisher: publisher.value })
    }
    const owner = yield* sessions.authenticate(credential)
    if (Option.isNone(owner)) return yield* new Unauthorized()
    return yield* Effect.provideService(answer, CurrentCredential, {
      kind: "owner_session" as const,
      owner: owner.value
    })
  })
})

const isMalformedId = (error: unknown) => HttpApiError.HttpApiSchemaError.is(error) && error.kind === "Params"

const publicRead = Effect.gen(function* () {
  const sessions = yield* Sessions
  const anybody = { ownerId: null }

  const viewer = Effect.fnUntraced(function* (authorization: string) {
    const token = bearerOf(authorization)
    const ownerId = token === undefined ? Option.none() : yield* sessions.viewerOf(Redacted.make(token))
    if (Option.isNone(ownerId)) return yield* new Unauthorized()
    return { ownerId: ownerId.value }
  })

  // Put together once for each operation: nearly every public read is anybody's.
  return (answer: Answer<Viewer>) => {
    const found = Effect.catchIf(answer, isMalformedId, () => Effect.fail(new NotFound()))
    const anonymous = Effect.provideService(found, Viewer, anybody)
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { authorization } }) =>
      authorization === undefined
        ? anonymous
        : Effect.flatMap(viewer(authorization), (reader) => Effect.provideService(found, Viewer, reader))
    )
  }
})

/** The checks that stand before the handlers; each gives the value that only a passed check can give. */
export const SecurityLive = Layer.mergeAll(
  Layer.effect(
    OwnerSession,
    Effect.map(
      ownerSession(() => new Unauthorized()),
      (ownerSession) => OwnerSession.of({ ownerSession })
    )
  ),
  Layer.effect(
    OwnerSessionProblem,
    Effect.map(
      ownerSession(() => new InvalidCredentialProblem({})),
      (ownerSession) => OwnerSessionProblem.of({ ownerSession })
    )
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
