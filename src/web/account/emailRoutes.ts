import { Effect, Layer, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import {
  EmailChangeRequest,
  EmailVerifyRequest
} from "../../../schemas/accounts/account-email/AccountEmail.ts"
import { readEmailCode } from "../../../schemas/accounts/email-codes/TypedEmailCode.ts"
import { InvalidCode } from "../../../schemas/accounts/sessions/Session.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { AccountEmail } from "../../accounts/account-email/AccountEmail.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { isOfMailbox, RateLimitExceeded } from "../../platform/rate-limits/RateLimits.ts"
import { makeBrowser } from "../browser/http.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { waitInWords } from "../browser/unsentMail.ts"
import { donePath, makeAccountPages } from "./accountPages.ts"

const decodeChange = Schema.decodeUnknownEffect(EmailChangeRequest)
const decodeCode = Schema.decodeUnknownEffect(EmailVerifyRequest)

const NONE = "No address is waiting for a code. Enter the new address first."

/** Returns what to do about a mail that was not sent. */
const tooMany = (error: RateLimitExceeded) => {
  const wait = waitInWords(error.retryAfterSeconds)
  return isOfMailbox(error)
    ? `We emailed this address a moment ago. Enter the newest code, or ask for another in ${wait}.`
    : `Too many emails were sent. Ask for another in ${wait}.`
}

/** Serves the forms that change the email address of an account. */
export const AccountEmailRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const emails = yield* AccountEmail
    const { trustedProxies } = yield* Settings
    const count = yield* limiting
    const shown = yield* makeAccountPages
    const { asOwner } = yield* makeBrowser
    const { answering, readForm, seeOther } = yield* makePrivatePages

    const client = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
      clientOf(request, trustedProxies)
    )
    const isLimit = (error: unknown): error is RateLimitExceeded => error instanceof RateLimitExceeded

    const change = Effect.gen(function* () {
      const email = ((yield* readForm({ email: LENGTHS.line })).get("email") ?? "").trim()
      return yield* asOwner(ACCOUNT, (owner) => {
        const refused = (sentence: string, status: number) =>
          shown(owner, { refused: { control: "email", sentence, typed: email } }, status)
        return decodeChange({ email }).pipe(
          Effect.flatMap((request) =>
            Effect.flatMap(client, (from) => reportingRefusal(emails.change(owner, request.email, from)))
          ),
          Effect.map(({ pendingEmail }) => seeOther(donePath(pendingEmail === null ? "kept" : "sent"))),
          Effect.catchTag("SchemaError", () =>
            refused("Enter a full email address, such as ada@example.com.", 422)
          ),
          Effect.catchIf(isLimit, (error) => refused(tooMany(error), 429))
        )
      })
    })

    const again = Effect.gen(function* () {
      yield* readForm({})
      return yield* asOwner(ACCOUNT, (owner) =>
        Effect.flatMap(client, (from) => reportingRefusal(emails.resend(owner, from))).pipe(
          Effect.as(seeOther(donePath("sent"))),
          Effect.catchTag("NoPendingEmail", () => shown(owner, { told: NONE }, 409)),
          Effect.catchIf(isLimit, (error) =>
            shown(owner, { refused: { control: "code", sentence: tooMany(error), typed: "" } }, 429)
          )
        )
      )
    })

    const confirm = Effect.gen(function* () {
      const typed = (yield* readForm({ code: LENGTHS.line })).get("code") ?? ""
      return yield* asOwner(
        ACCOUNT,
        Effect.fnUntraced(function* (owner) {
          yield* Effect.provideService(count("account-code"), CurrentOwner, owner)
          const wrong = () => {
            const sentence = "That code is wrong or has expired. Enter the newest one, or ask for another."
            return shown(owner, { refused: { control: "code", sentence, typed } }, 422)
          }
          return yield* decodeCode({ code: readEmailCode(typed) }).pipe(
            Effect.mapError(() => new InvalidCode()),
            Effect.flatMap((request) => emails.verify(owner, request)),
            Effect.as(seeOther(donePath("email"))),
            Effect.catchTags({
              InvalidCode: wrong,
              // Only a link can be invalid otherwise.
              Validation: wrong,
              NoPendingEmail: () => shown(owner, { told: NONE }, 409),
              EmailTaken: () =>
                shown(
                  owner,
                  { told: "Another account already uses this address. Enter a different one." },
                  409
                )
            })
          )
        })
      )
    })

    return Layer.mergeAll(
      addPrivatePage("POST", "/desk/account/email", answering(change)),
      addPrivatePage("POST", "/desk/account/email/again", answering(again)),
      addPrivatePage("POST", "/desk/account/email/code", answering(confirm))
    )
  })
)
