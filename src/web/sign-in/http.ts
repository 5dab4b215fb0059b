import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import {
  LoginRequest,
  VerifyRequest,
  WalletChallengeRequest,
  WalletClaim
} from "../../../schemas/accounts/sessions/Session.ts"
import { SessionId } from "../../../schemas/platform/Ids.ts"
import { BrowserSessions } from "../../accounts/browser-sessions/BrowserSessions.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { EmailLogin } from "../../accounts/sessions/EmailLogin.ts"
import { WalletLogin } from "../../accounts/sessions/WalletLogin.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { KEPT_FIELD } from "../../platform/pages/entered.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { isOfMailbox } from "../../platform/rate-limits/RateLimits.ts"
import { wireTime } from "../../platform/time/now.ts"
import { noAccountPage } from "../browser/closedPage.ts"
import { makeBrowser } from "../browser/http.ts"
import type { Onward } from "../browser/onward.ts"
import { backPath, DESK, signInPath } from "../browser/paths.ts"
import { signInPage, type SignInStep } from "../browser/signInPage.ts"
import { signedInPage } from "./signedInPage.ts"
import { signOutPage } from "./signOutPage.ts"

const decodeLogin = Schema.decodeUnknownOption(LoginRequest)
const decodeVerify = Schema.decodeUnknownOption(VerifyRequest)
const decodeChallenge = Schema.decodeUnknownOption(WalletChallengeRequest)
const decodeClaim = Schema.decodeUnknownOption(WalletClaim)
const decodeSessionId = Schema.decodeUnknownOption(SessionId)

/** Serves the sign-in of browsers, under the limits of the API, and the list of where an owner is signed in. */
export const SignInRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const emails = yield* EmailLogin
    const wallets = yield* WalletLogin
    const browsers = yield* BrowserSessions
    const profiles = yield* Profiles
    const browser = yield* makeBrowser
    const { isRegistrationOpen, trustedProxies } = yield* Settings
    const count = yield* limiting
    const { answering, page, query, readDoorForm, readForm, seeOther } = yield* makePrivatePages

    const asked = (onward: Onward, step: SignInStep, status = 200) =>
      page(signInPage(onward, step, isRegistrationOpen), status)

    const begin = Effect.gen(function* () {
      yield* count("public-read")
      const owner = yield* browser.owner
      if (Option.isSome(owner)) return page(signedInPage(yield* profiles.own(owner.value)))
      const back = backPath((yield* query).get("back"), DESK)
      return asked({ back, waiting: null, note: null }, { step: "begin" })
    })

    const byMail = Effect.fnUntraced(function* (fields: Readonly<Record<string, string>>, onward: Onward) {
      const login = decodeLogin({ email: fields["email"] })
      if (Option.isNone(login))
        return asked(onward, { step: "begin", wrong: "email", email: fields["email"] ?? "" }, 400)
      const { email } = login.value
      if (fields["code"] === undefined) {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* reportingRefusal(emails.login(login.value, clientOf(request, trustedProxies))).pipe(
          Effect.as(asked(onward, { step: "code", email })),
          // The code of the first press of the button is on its way.
          Effect.catchIf(isOfMailbox, () =>
            Effect.succeed(asked(onward, { step: "code", email, wrong: "soon" }, 429))
          )
        )
      }
      const refused = () => asked(onward, { step: "code", email, wrong: "code" }, 403)
      const verify = decodeVerify({ email, code: fields["code"].trim() })
      if (Option.isNone(verify)) return refused()
      return yield* emails.verify(verify.value).pipe(
        Effect.flatMap((pair) => browser.signIn(pair, browser.goOn(onward))),
        Effect.catchTag("InvalidCode", () => Effect.sync(refused))
      )
    })

    const byWallet = Effect.fnUntraced(function* (fields: Readonly<Record<string, string>>, onward: Onward) {
      const wrong = asked(onward, { step: "begin", wrong: "account" }, 400)
      const account = (fields["account"] ?? "").trim()
      const request = decodeChallenge({ account })
      if (Option.isNone(request)) return wrong
      const challenged = (isWrong: boolean) =>
        wallets.challenge(request.value.account).pipe(
          Effect.map((challenge) =>
            asked(onward, { step: "signature", challenge, isWrong }, isWrong ? 403 : 200)
          ),
          Effect.catchTag("Validation", () => Effect.succeed(wrong))
        )
      if (fields["signature"] === undefined) return yield* challenged(false)
      const claim = decodeClaim({
        account,
        challengeId: fields["challengeId"],
        signature: fields["signature"].trim()
      })
      if (Option.isNone(claim)) return yield* challenged(true)
      return yield* wallets.claim(claim.value).pipe(
        Effect.flatMap((pair) => browser.signIn(pair, browser.goOn(onward))),
        Effect.catchTags({
          InvalidChallenge: () => challenged(true),
          RegistrationClosed: () => Effect.succeed(page(noAccountPage(onward), 403))
        })
      )
    })

    const signIn = Effect.gen(function* () {
      const form = yield* readDoorForm
      yield* count("sign-in")
      const onward = yield* browser.onwardOf(form)
      const fields = Object.fromEntries(form)
      if (fields["account"] !== undefined) return yield* byWallet(fields, onward)
      // A form waits, and its reader came from another page of the sign-in.
      if (fields["email"] === undefined && fields[KEPT_FIELD] !== undefined)
        return asked(onward, { step: "begin" })
      return yield* byMail(fields, onward)
    })

    const list = Effect.gen(function* () {
      yield* count("public-read")
      const owner = yield* browser.owner
      if (Option.isNone(owner)) return seeOther(signInPath("/sign-out"))
      const rows = yield* browsers.list(owner.value)
      return page(
        signOutPage(
          rows.map(({ created_at, label, session_id }) => ({
            id: session_id,
            label,
            since: wireTime(created_at),
            isThis: session_id === owner.value.sessionId
          }))
        )
      )
    })

    const signOut = Effect.gen(function* () {
      const form = yield* readForm
      const owner = yield* browser.owner
      if (Option.isNone(owner)) return browser.cookie.clear(seeOther("/"))
      const id = Option.getOrElse(decodeSessionId(form.get("session")), () => owner.value.sessionId)
      yield* browsers.end(owner.value, id)
      return id === owner.value.sessionId ? browser.cookie.clear(seeOther("/")) : seeOther("/sign-out")
    })

    return Layer.mergeAll(
      HttpRouter.add("GET", "/sign-in", answering(begin)),
      HttpRouter.add("POST", "/sign-in", answering(signIn)),
      HttpRouter.add("GET", "/sign-out", answering(list)),
      HttpRouter.add("POST", "/sign-out", answering(signOut))
    )
  })
)
