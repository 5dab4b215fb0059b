import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { readEmailCode } from "../../../schemas/accounts/email-codes/TypedEmailCode.ts"
import {
  RegistrationKey,
  type RegistrationReceipt,
  RegistrationRequest
} from "../../../schemas/accounts/registrations/Registration.ts"
import { RegistrationId } from "../../../schemas/platform/Ids.ts"
import { Registrations } from "../../accounts/registrations/Registrations.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { KEPT_FIELD } from "../../platform/pages/entered.ts"
import { messagePage } from "../../platform/pages/messagePage.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { isOfMailbox } from "../../platform/rate-limits/RateLimits.ts"
import { now } from "../../platform/time/now.ts"
import { closedPage } from "../browser/closedPage.ts"
import {
  backAndKept,
  codePages,
  type CodeResult,
  makeAskCode,
  REFUSED,
  signedIn
} from "../browser/codePages.ts"
import { makeBrowser } from "../browser/http.ts"
import { type Onward, otherWay } from "../browser/onward.ts"
import { backPath, DESK } from "../browser/paths.ts"
import { unsentIn, waitInWords } from "../browser/unsentMail.ts"
import { profilePath } from "../profile/profilePage.ts"
import { writePath } from "../write/writePage.ts"
import { signUpPage, type SignUpStep } from "./signUpPage.ts"

const decodeRequest = Schema.decodeUnknownOption(RegistrationRequest)
const isRegistrationId = Schema.is(RegistrationId)
const isKey = Schema.is(RegistrationKey)

const FIELDS = {
  back: LENGTHS.url,
  key: LENGTHS.word,
  email: LENGTHS.line,
  registrationId: LENGTHS.word,
  code: LENGTHS.line,
  page: LENGTHS.word
}
type SignUpField = keyof typeof FIELDS

/** Serves registrations by mail to browsers, under the limits of the API. */
export const SignUpRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const registrations = yield* Registrations
    const random = yield* SecureRandom.SecureRandom
    const browser = yield* makeBrowser
    const codes = yield* codePages
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

    const tooSoon = (onward: Onward, waitSeconds: number) =>
      page(
        messagePage({
          title: "We just sent you a code",
          said: `Enter the newest code on the page that asks for it, or start over in ${waitInWords(waitSeconds)}.`,
          more: otherWay(onward, "/sign-up", "Start over")
        }),
        429
      )

    const askCode = makeAskCode({
      pages: codes,
      seeOther,
      path: "/sign-up",
      shown: ({ email, onward, registrationId }, wrong) =>
        asked(onward, { step: "code", email, registrationId: registrationId ?? "", wrong }, 429)
    })

    /** Shows the page of a code that was mailed, at its own address. */
    const showCode = Effect.gen(function* () {
      yield* count("public-read")
      const { page: token = "" } = yield* HttpRouter.params
      const found = yield* codes.find(token)
      if (Option.isNone(found) || found.value.registrationId === null) return seeOther("/sign-up")
      const { back, email, kept, registrationId } = found.value
      if (yield* codes.isEntered(yield* browser.owner, found.value)) return seeOther(back)
      const onward = yield* browser.onwardOf(backAndKept(back, kept))
      const wrong = unsentIn(yield* query, yield* now)
      return asked(onward, { step: "code", email, registrationId, page: token, wrong })
    })

    const register = Effect.fnUntraced(function* (form: SentForm<SignUpField>, onward: Onward) {
      const typed = form.get("email") ?? ""
      const request = decodeRequest({ email: typed })
      if (Option.isNone(request)) return yield* begin(onward, typed, 400)
      const { email } = request.value
      const earlier = form.get("page")
      const recent = yield* registrations.recent(request.value)
      if (Option.isSome(recent)) {
        const { registrationId, waitSeconds } = recent.value
        const isSame = registrationId === form.get("registrationId")
        const state = { email, registrationId, onward, earlier: isSame ? earlier : undefined }
        return yield* askCode(state, { reason: "recent", waitSeconds })
      }
      const key = form.get("key")
      const client = clientOf(yield* HttpServerRequest.HttpServerRequest, trustedProxies)
      const sent = (name: string) => registrations.register(name, request.value, client)
      return yield* (isKey(key) ? sent(key) : Effect.flatMap(random.uuidV4(), sent)).pipe(
        // The reader went back to the page, and changed the address.
        Effect.catchTag("IdempotencyConflict", () => Effect.flatMap(random.uuidV4(), sent)),
        // A new key does not name another registration, and registration is open.
        Effect.catchTag(["IdempotencyConflict", "RegistrationClosed"], Effect.die),
        reportingRefusal,
        Effect.flatMap(({ registrationId }: RegistrationReceipt) =>
          askCode({ email, registrationId, onward, earlier: undefined })
        ),
        Effect.catchIf(isOfMailbox, ({ retryAfterSeconds: waitSeconds }) => {
          const id = form.get("registrationId")
          return isRegistrationId(id)
            ? askCode({ email, registrationId: id, onward, earlier }, { reason: "mailbox", waitSeconds })
            : Effect.succeed(tooSoon(onward, waitSeconds))
        })
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

    const verify = Effect.fnUntraced(function* (form: SentForm<SignUpField>, onward: Onward) {
      const email = form.get("email") ?? ""
      const registrationId = form.get("registrationId") ?? ""
      const token = form.get("page")
      const code = readEmailCode(form.get("code") ?? "")
      const redeemed =
        code === undefined || !isRegistrationId(registrationId)
          ? REFUSED
          : yield* codes.once(
              token,
              `${registrationId} ${code}`,
              registrations.verify(registrationId, code).pipe(
                Effect.flatMap(browser.open),
                Effect.map((opened) => signedIn(opened)),
                Effect.catchTags({
                  InvalidCode: () => Effect.succeed(REFUSED),
                  EmailTaken: () => Effect.succeed<CodeResult>({ outcome: "taken" }),
                  RegistrationClosed: () => Effect.succeed<CodeResult>({ outcome: "closed" })
                })
              )
            )
      if (redeemed.outcome === "signed-in")
        return yield* browser.signIn(
          Redacted.make(redeemed.token),
          // A form that needs a name asks for it, and so does the publication of what is written.
          onward.waiting === null && onward.note === null && onward.back !== writePath()
            ? seeOther(profilePath(onward.back))
            : browser.goOn(onward)
        )
      if (redeemed.outcome === "taken") return taken(onward)
      if (redeemed.outcome === "closed") return page(closedPage(onward), 403)
      return asked(onward, { step: "code", email, registrationId, page: token, wrong: "code" }, 403)
    })

    const signUp = Effect.gen(function* () {
      const form = yield* readDoorForm(FIELDS)
      yield* count("sign-in")
      const onward = yield* browser.onwardOf(form)
      if (!isRegistrationOpen) return page(closedPage(onward), 403)
      if (form.has("code")) return yield* verify(form, onward)
      // A form waits, and its reader came from another page of the sign-in.
      if (!form.has("email") && form.has(KEPT_FIELD)) return yield* begin(onward)
      return yield* register(form, onward)
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/sign-up", answering(show)),
      addPrivatePage("POST", "/sign-up", answering(signUp)),
      addPrivatePage("GET", "/sign-up/code/:page", answering(showCode))
    )
  })
)
