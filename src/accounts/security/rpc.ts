import { Context, Effect, Layer, Redacted } from "effect"
import type { Headers } from "effect/http"
import { Unauthorized } from "../../../schemas/platform/errors/common.ts"
import {
  Administrator,
  CurrentAdministrator,
  NotAdministrator,
  Operator
} from "../../../schemas/platform/security/administrator.ts"
import { CurrentPublisher } from "../../../schemas/platform/security/authorities.ts"
import { Publisher, PUBLISHING_KEY_HEADER } from "../../../schemas/platform/security/publisher.ts"
import { AllowedWhileRestricted } from "../../../schemas/platform/security/restriction.ts"
import { bearerOf } from "../../platform/http/bearer.ts"
import { Administrators } from "../administration/Administrators.ts"
import { makePublisherOf } from "./publishers.ts"
import { makeRestricted } from "./restriction.ts"

/** Returns the authority behind the token of a call, or fails. */
const makeAdministratorOf = Effect.map(Administrators, ({ authenticate }) => (headers: Headers.Headers) => {
  const token = bearerOf(headers["authorization"])
  const authority = authenticate(token === undefined ? undefined : Redacted.make(token))
  return Effect.mapError(Effect.fromOption(authority), () => new NotAdministrator())
})

const administrator = Layer.effect(
  Administrator,
  Effect.map(makeAdministratorOf, (administratorOf) =>
    Administrator.of((call, { headers }) =>
      Effect.provideServiceEffect(call, CurrentAdministrator, administratorOf(headers))
    )
  )
)

const operator = Layer.effect(
  Operator,
  Effect.map(makeAdministratorOf, (administratorOf) =>
    Operator.of((call, { headers }) => Effect.andThen(administratorOf(headers), call))
  )
)

const keyMissing = new Unauthorized({
  detail: "The call has no Publishing key. Send the key of the owner for whom the call acts in X-Api-Key."
})

const publisher = Layer.effect(
  Publisher,
  Effect.map(Effect.all([makePublisherOf, makeRestricted]), ([publisherOf, refuse]) =>
    Publisher.of((call, { headers, rpc }) => {
      const key = headers[PUBLISHING_KEY_HEADER]
      const presented = key === undefined ? Effect.fail(keyMissing) : publisherOf(Redacted.make(key))
      const isAllowed = Context.get(rpc.annotations, AllowedWhileRestricted)
      const authority = Effect.tap(presented, ({ isRestricted, ownerId }) =>
        isAllowed || !isRestricted ? Effect.void : refuse(ownerId)
      )
      return Effect.provideServiceEffect(call, CurrentPublisher, authority)
    })
  )
)

/** The checks before the procedures. Each provides the authority that only a passed check provides. */
export const layer = Layer.mergeAll(administrator, operator, publisher)
