import { Clock, DateTime, Effect, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ApiKey, IssuedKey } from "../../../../schemas/accounts/api-keys/ApiKey.ts"
import { RegistrationId } from "../../../../schemas/platform/Ids.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import type { Alone } from "../intents/alone.ts"
import { StateStore } from "../ports/StateStore.ts"
import { actingWith, ServiceApi } from "../service/ServiceApi.ts"
import { readCredential, saveCredential } from "../state/credentials.sql.ts"
import { readMeta } from "../state/meta.sql.ts"
import { readStep, saveStep } from "../state/setup.sql.ts"

const KeyStep = Schema.fromJsonString(Schema.Struct({ idempotencyKey: Schema.String }))
const decodeStep = Schema.decodeUnknownOption(KeyStep)

const RegistrationStep = Schema.fromJsonString(Schema.Struct({ registrationId: RegistrationId }))
const decodeRegistration = Schema.decodeUnknownOption(RegistrationStep)

type Issued = Pick<IssuedKey, "apiKey" | "key">

const millisOf = (time: string | null) => (time === null ? null : DateTime.makeUnsafe(time).epochMilliseconds)

/** Makes the step that gets a Publishing key, even if answers of earlier tries were lost. */
export const makeKeys = Effect.gen(function* () {
  const store = yield* StateStore
  const random = yield* SecureRandom.SecureRandom
  const { client } = yield* ServiceApi
  const label = yield* store.read((tx) => Effect.succeed(`svc-mcp ${readMeta(tx, "installation") ?? ""}`))

  const rotate = (keyId: string) => client.apiKeys.rotate({ params: { keyId }, payload: { label } })

  const isActive = (now: number) => (key: ApiKey) =>
    key.label === label && key.revokedAt === null && (millisOf(key.expiresAt) ?? Infinity) > now

  /** Replaces the key of this installation, which an earlier try got and lost. Undefined when there is none. */
  const recovered = Effect.gen(function* () {
    const { keys } = yield* client.apiKeys.list()
    const own = keys.find(isActive(yield* Clock.currentTimeMillis))
    return own === undefined ? undefined : yield* rotate(own.keyId)
  })

  /** Replaces a key whose secret was lost with the answer that had it. */
  const replaced = (lost: ApiKey) => rotate(lost.keyId).pipe(Effect.catchTag("NotFound", () => recovered))

  /** Saves the name of an issuance before it is sent, so that the service recognizes a repeat. */
  const named = (run: Alone, isNew: boolean) =>
    Effect.flatMap(random.uuidV4(), (fresh) =>
      run.save((tx) =>
        Effect.sync(() => {
          const saved = readStep(tx, "key")
          const known = saved === undefined ? Option.none() : decodeStep(saved.data)
          if (!isNew && saved?.isDone === false && Option.isSome(known)) return known.value.idempotencyKey
          saveStep(tx, "key", { idempotencyKey: fresh })
          return fresh
        })
      )
    )

  const issue = (idempotencyKey: string) =>
    client.apiKeys
      .issue({ headers: { "idempotency-key": idempotencyKey }, payload: { label } })
      .pipe(Effect.catchTag("KeyAlreadyIssued", ({ apiKey }) => replaced(apiKey)))

  const issued = (run: Alone): Effect.Effect<Issued | undefined, unknown> =>
    Effect.gen(function* () {
      const first = yield* issue(yield* named(run, false))
      if (first !== undefined) return first
      // The key of the saved name is gone, as after a revocation by hand.
      return yield* issue(yield* named(run, true))
    })

  const ofRegistration = (registrationId: RegistrationId): Effect.Effect<Issued | undefined, unknown> =>
    client.registrations
      .issueKey({ params: { registrationId }, payload: {} })
      .pipe(Effect.catchTag("KeyAlreadyIssued", ({ apiKey }) => replaced(apiKey)))

  /** Gets a key with the session of an owner, and saves it. Keeps the one that is there, unless it has to be replaced. */
  return Effect.fnUntraced(function* (run: Alone, session: Redacted.Redacted, isLost = false) {
    const { known, registration } = yield* store.read((tx) =>
      Effect.succeed({
        known: readCredential(tx, "publishing-key"),
        registration: decodeRegistration(readStep(tx, "registration")?.data)
      })
    )
    if (known !== undefined && !isLost) return
    const asked = Option.isSome(registration)
      ? toFailure(ofRegistration(registration.value.registrationId))
      : toFailure(issued(run))
    const got = yield* actingWith(session)(asked)
    if (got === undefined) return yield* marked("service-unavailable")
    yield* run.save((tx) =>
      Effect.sync(() => {
        saveCredential(tx, "publishing-key", {
          value: Redacted.make(got.key),
          keyId: got.apiKey.keyId,
          expiresAt: millisOf(got.apiKey.expiresAt)
        })
        saveStep(tx, "key", {}, true)
      })
    )
  })
})
