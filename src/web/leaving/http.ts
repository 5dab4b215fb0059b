import { Effect, Layer, Option, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { DeletionRequest } from "../../../schemas/accounts/deletion/Deletion.ts"
import { readEmailCode } from "../../../schemas/accounts/email-codes/TypedEmailCode.ts"
import { type BrowserAuthority, CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { AccountEmail } from "../../accounts/account-email/AccountEmail.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { AccountDeletions } from "../../engagement/account-deletion/AccountDeletions.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { RateLimitExceeded } from "../../platform/rate-limits/RateLimits.ts"
import type { WrongCode } from "../browser/codeForm.ts"
import { makeBrowser } from "../browser/http.ts"
import { ACCOUNT, DELETION, signInPath } from "../browser/paths.ts"
import {
  beginPage,
  closedPage,
  closingPage,
  codePage,
  type ConfirmView,
  signaturePage,
  tooLatePage
} from "./deletionPages.ts"

const decode = Schema.decodeUnknownOption(DeletionRequest)

/** A closing account may read these pages, too. */
const OPEN = { isOpenToRestricted: true } as const

/** Serves the page that deletes an account, its confirmation, and the button that keeps the account. */
export const LeavingRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const deletions = yield* AccountDeletions
    const profiles = yield* Profiles
    const emails = yield* AccountEmail
    const { trustedProxies } = yield* Settings
    const count = yield* limiting
    const { asOwner, cookie } = yield* makeBrowser
    const { answering, page, readForm, seeOther } = yield* makePrivatePages
    const isLimit = (error: unknown): error is RateLimitExceeded => error instanceof RateLimitExceeded

    const show = asOwner(
      DELETION,
      Effect.fnUntraced(function* (owner) {
        const deletion = yield* deletions.read(owner)
        if (deletion.state === "closing") return page(closingPage(deletion))
        const { handle } = yield* profiles.own(owner)
        return page(beginPage(deletion, handle, owner.isModerator))
      }),
      OPEN
    )

    /** Makes a challenge, and asks for its confirmation. The answer to a wrong signature has another text. */
    const ask = Effect.fnUntraced(function* (owner: BrowserAuthority, view: ConfirmView, isRefused: boolean) {
      const client = clientOf(yield* HttpServerRequest.HttpServerRequest, trustedProxies)
      const made = yield* reportingRefusal(deletions.challenge(owner, client))
      const status = isRefused || view.isWrongHandle ? 422 : 200
      return made.kind === "signature"
        ? page(signaturePage(view, made.challenge, isRefused), status)
        : yield* askCode(owner, view, undefined, status)
    })

    const askCode = Effect.fnUntraced(function* (
      owner: BrowserAuthority,
      view: ConfirmView,
      wrong: WrongCode | undefined,
      status: number
    ) {
      const { email } = yield* emails.read(owner)
      return page(codePage(view, email ?? "", wrong), status)
    })

    const confirm = Effect.gen(function* () {
      const form = yield* readForm({
        step: LENGTHS.word,
        handle: LENGTHS.line,
        challengeId: LENGTHS.line,
        signature: LENGTHS.line,
        code: LENGTHS.line
      })
      return yield* asOwner(
        DELETION,
        Effect.fnUntraced(function* (owner) {
          yield* Effect.provideService(count("account-code"), CurrentOwner, owner)
          const { handle } = yield* profiles.own(owner)
          const typed = (form.get("handle") ?? "").trim()
          const isNamed = typed.replace(/^@/, "").toLowerCase() === handle.toLowerCase()
          const isBegin = form.get("step") === "begin"
          const view = { handle, typed, isWrongHandle: !isBegin && !isNamed }
          const typedCode = form.get("code")
          const code = typedCode === undefined ? undefined : readEmailCode(typedCode)
          const wrong = () =>
            typedCode === undefined
              ? ask(owner, view, isNamed)
              : askCode(owner, view, isNamed ? "code" : undefined, 422)
          const request = decode({
            handle: typed,
            ...(code === undefined
              ? { challengeId: form.get("challengeId"), signature: form.get("signature")?.trim() }
              : { code })
          })
          const answered = isBegin
            ? ask(owner, view, false)
            : Option.isNone(request)
              ? wrong()
              : deletions.request(owner, request.value).pipe(
                  Effect.map(({ dueAt }) => cookie.clear(page(closedPage(dueAt ?? "")))),
                  Effect.catchTag(["InvalidConfirmation", "Validation"], wrong)
                )
          return yield* answered.pipe(
            Effect.catchTag("AlreadyClosing", () => Effect.succeed(seeOther(DELETION))),
            Effect.catchIf(isLimit, ({ retryAfterSeconds }) =>
              askCode(owner, view, { reason: "recent", waitSeconds: retryAfterSeconds }, 429)
            )
          )
        }),
        OPEN
      )
    })

    const keep = Effect.gen(function* () {
      yield* readForm({})
      return yield* asOwner(
        DELETION,
        (owner) =>
          deletions.keep(owner).pipe(
            Effect.as(seeOther(ACCOUNT)),
            Effect.catchTags({
              DeletionDue: () => Effect.succeed(page(tooLatePage, 409)),
              // The browser was signed in before the account closed.
              Unauthorized: () => Effect.succeed(seeOther(signInPath(DELETION)))
            })
          ),
        OPEN
      )
    })

    const shown = Effect.andThen(count("public-read"), show)
    return Layer.mergeAll(
      addPrivatePage("GET", "/desk/account/delete", answering(shown)),
      addPrivatePage("POST", "/desk/account/delete", answering(confirm)),
      addPrivatePage("POST", "/desk/account/delete/keep", answering(keep))
    )
  })
)
