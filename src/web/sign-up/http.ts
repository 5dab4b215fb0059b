import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import {
  RegistrationKey,
  type RegistrationReceipt,
  RegistrationRequest
} from "../../../schemas/accounts/registrations/Registration.ts"
import { RegistrationId } from "../../../schemas/platform/Ids.ts"
import { Registrations } from "../../accounts/registrations/Registrations.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { KEPT_FIELD } from "../../platform/pages/entered.ts"
import { messagePage } from "../../platform/pages/messagePage.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { isOfMailbox } from "../../platform/rate-limits/RateLimits.ts"
import { closedPage } from "../browser/closedPage.ts"
import { makeBrowser } from "../browser/http.ts"
import { type Onward, otherWay } from "../browser/onward.ts"
import { backPath, DESK } from "../browser/paths.ts"
import { profilePath } from "../profile/profilePage.ts"
import { signUpPage, type SignUpStep } from "./signUpPage.ts"

const decodeRequest = Schema.decodeUnknownOption(RegistrationRequest)
const decodeVerification = Schema.decodeUnknownOption(
  Schema.Struct({ registrationId: RegistrationId, code: EmailCode })
)
const isKey = Schema.is(RegistrationKey)

/** Serves registrations by mail to browsers, under the limits of the API. */
export const SignUpRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const registrations = yield* Registrations
    const random = yield* SecureRandom.SecureRandom
    const browser = yield* makeBrowser
    const { isRegistrationOpen, trustedProxies } = yield* Settings
    const count = yield* limiting
    const { answering, page, query, readDoorForm, seeOther } = yield* makePrivatePages

    const asked = (onward: Onward, step: SignUpStep, status = 200) => page(signUpPage(onward, step), status)

    const begin = Effect.fnUntraced(function* (onward: Onward, email = "", status = 200) {
      const key = yield* random.uuidV4()
      return asked(onward, { step: "begin", key, isWrong: status !== 200, email }, status)
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const onward = { back: backPath((yield* query).get("back"), DESK), waiting: null, note: null }
      return isRegistrationOpen ? yield* begin(onward) : page(closedPage(onward))
    })

    const tooSoon = (onward: Onward) =>
      page(
        messagePage({
          title: "We just sent you a code",
          said: "Enter the newest code on the page that asks for it, or wait a while and start over.",
          more: otherWay(onward, "/sign-up", "Start over")
        }),
        429
      )

    const register = Effect.fnUntraced(function* (form: URLSearchParams, onward: Onward) {
      const typed = form.get("email") ?? ""
      const request = decodeRequest({ email: typed })
      if (Option.isNone(request)) return yield* begin(onward, typed, 400)
      const key = form.get("key")
      const client = clientOf(yield* HttpServerRequest.HttpServerRequest, trustedProxies)
      const earlier = form.get("registrationId")
      const sent = (name: string) => registrations.register(name, request.value, client)
      return yield* (isKey(key) ? sent(key) : Effect.flatMap(random.uuidV4(), sent)).pipe(
        // The reader went back to the page, and changed the address.
        Effect.catchTag("IdempotencyConflict", () => Effect.flatMap(random.uuidV4(), sent)),
        // A new key does not name another registration, and registration is open.
        Effect.catchTag(["IdempotencyConflict", "RegistrationClosed"], Effect.die),
        reportingRefusal,
        Effect.map(({ email, registrationId }: RegistrationReceipt) =>
          asked(onward, { step: "code", email, registrationId })
        ),
        Effect.catchIf(isOfMailbox, () =>
          Effect.succeed(
            earlier === null
              ? tooSoon(onward)
              : asked(onward, { step: "code", email: typed, registrationId: earlier, wrong: "soon" }, 429)
          )
        )
      )
    })

    const taken = (onward: Onward) =>
      page(
        messagePage({
          title: "You already have an account",
          said: "Sign in with this address to get another code.",
          more: otherWay(onward, "/sign-in", "Sign in")
        }),
        409
      )

    const verify = Effect.fnUntraced(function* (form: URLSearchParams, onward: Onward) {
      const email = form.get("email") ?? ""
      const registrationId = form.get("registrationId") ?? ""
      const refused = () => asked(onward, { step: "code", email, registrationId, wrong: "code" }, 403)
      const proof = decodeVerification({ registrationId, code: form.get("code")?.trim() })
      if (Option.isNone(proof)) return refused()
      return yield* registrations.verify(proof.value.registrationId, proof.value.code).pipe(
        Effect.flatMap((pair) =>
          // A form that needs a name asks for it.
          browser.signIn(
            pair,
            onward.waiting === null && onward.note === null
              ? seeOther(profilePath(onward.back))
              : browser.goOn(onward)
          )
        ),
        Effect.catchTags({
          InvalidCode: () => Effect.sync(refused),
          EmailTaken: () => Effect.succeed(taken(onward)),
          RegistrationClosed: () => Effect.succeed(page(closedPage(onward), 403))
        })
      )
    })

    const signUp = Effect.gen(function* () {
      const form = yield* readDoorForm
      yield* count("sign-in")
      const onward = yield* browser.onwardOf(form)
      if (!isRegistrationOpen) return page(closedPage(onward), 403)
      if (form.has("code")) return yield* verify(form, onward)
      // A form waits, and its reader came from another page of the sign-in.
      if (!form.has("email") && form.has(KEPT_FIELD)) return yield* begin(onward)
      return yield* register(form, onward)
    })

    return Layer.merge(
      HttpRouter.add("GET", "/sign-up", answering(show)),
      HttpRouter.add("POST", "/sign-up", answering(signUp))
    )
  })
)
