import { Effect, Option, type Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { EmailCode } from "../../../../schemas/accounts/email-codes/EmailCode.ts"
import { LoginRequest } from "../../../../schemas/accounts/sessions/Session.ts"
import { RegistrationId } from "../../../../schemas/platform/Ids.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import type { Alone } from "../intents/alone.ts"
import { StateStore } from "../ports/StateStore.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import {
  beginSetup,
  completeSetup,
  readStep,
  removeStep,
  saveStep,
  type SetupStep
} from "../state/setup.sql.ts"
import { makeIdentities } from "./identities.ts"
import { makeKeys } from "./keys.ts"
import { requireNoSetup } from "./requireNoSetup.ts"

/** The content of an input file of `setup email`. */
export const EmailInput = LoginRequest

/** The content of an input file of `setup email-verify`. */
export const CodeInput = Schema.Struct({ code: EmailCode })

const Login = Schema.fromJsonString(LoginRequest)
const decodeLogin = Schema.decodeUnknownOption(Login)

/** A registration: its key from before the first request on, and its id from the answer on. */
const Registration = Schema.fromJsonString(
  Schema.Struct({
    email: LoginRequest.fields.email,
    idempotencyKey: Schema.String,
    registrationId: Schema.optionalKey(RegistrationId)
  })
)
const decodeRegistration = Schema.decodeUnknownOption(Registration)

type Email = LoginRequest["email"]

/** Makes the two steps of an identity by e-mail: a code by mail, and its confirmation. */
export const makeMailboxSetup = Effect.gen(function* () {
  const store = yield* StateStore
  const random = yield* SecureRandom.SecureRandom
  const { client } = yield* ServiceApi
  const select = yield* makeIdentities
  const ensureKey = yield* makeKeys

  const saved = <A>(step: SetupStep, decode: (data: unknown) => Option.Option<A>) =>
    store.read((tx) => Effect.succeed(Option.getOrUndefined(decode(readStep(tx, step)?.data))))

  const register = Effect.fnUntraced(function* (run: Alone, email: Email) {
    const before = yield* saved("registration", decodeRegistration)
    const isSame = before !== undefined && before.email === email && before.registrationId === undefined
    const idempotencyKey = isSame ? before.idempotencyKey : yield* random.uuidV4()
    yield* run.save((tx) => Effect.sync(() => saveStep(tx, "registration", { email, idempotencyKey })))
    const { registrationId } = yield* toFailure(
      client.registrations.register({
        headers: { "idempotency-key": idempotencyKey },
        payload: { email }
      })
    )
    yield* run.save((tx) =>
      Effect.sync(() => saveStep(tx, "registration", { email, idempotencyKey, registrationId }))
    )
  })

  const logIn = Effect.fnUntraced(function* (run: Alone, email: Email) {
    yield* run.save((tx) =>
      Effect.sync(() => {
        removeStep(tx, "registration")
        saveStep(tx, "login", { email })
      })
    )
    yield* toFailure(client.sessions.login({ payload: { email } }))
  })

  return {
    /** Asks for a code: for a new account, for a new session of the selected identity, or for an account elsewhere. */
    begin: Effect.fnUntraced(function* (run: Alone, email: Email, isNew: boolean) {
      yield* run.save((tx) =>
        Effect.gen(function* () {
          yield* requireNoSetup(tx)
          beginSetup(tx, "email", null, null)
        })
      )
      yield* isNew ? register(run, email) : logIn(run, email)
    }),

    logIn,

    /** Ends it with the six digits of the mail. */
    verify: Effect.fnUntraced(function* (run: Alone, { code }: typeof CodeInput.Type) {
      const registration = yield* saved("registration", decodeRegistration)
      const login = yield* saved("login", decodeLogin)
      const registrationId = registration?.registrationId
      if (registrationId === undefined && login === undefined) return yield* marked("code-refused")
      const tokens =
        registrationId !== undefined
          ? yield* toFailure(client.registrations.verify({ params: { registrationId }, payload: { code } }))
          : login !== undefined
            ? yield* toFailure(client.sessions.verify({ payload: { email: login.email, code } }))
            : yield* marked("code-refused")
      const session: Redacted.Redacted = yield* select(run, tokens, { method: "email", walletAddress: null })
      yield* ensureKey(run, session)
      yield* run.save((tx) =>
        Effect.sync(() => {
          // The address is needed no more.
          removeStep(tx, "registration")
          removeStep(tx, "login")
          completeSetup(tx)
        })
      )
      return session
    })
  }
})
