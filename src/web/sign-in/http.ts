import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { readEmailCode } from "../../../schemas/accounts/email-codes/TypedEmailCode.ts"
import {
  LoginRequest,
  WalletChallengeRequest,
  WalletClaim
} from "../../../schemas/accounts/sessions/Session.ts"
import { SessionId } from "../../../schemas/platform/Ids.ts"
import { BrowserSessions } from "../../accounts/browser-sessions/BrowserSessions.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { EmailDoor } from "../../accounts/sessions/EmailDoor.ts"
import { WalletLogin } from "../../accounts/sessions/WalletLogin.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { KEPT_FIELD } from "../../platform/pages/entered.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { isOfMailbox } from "../../platform/rate-limits/RateLimits.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { now, wireTime } from "../../platform/time/now.ts"
import { backAndKept, codePages, makeAskCode, REFUSED, signedIn } from "../browser/codePages.ts"
import { makeBrowser } from "../browser/http.ts"
import { noAccountPage } from "../browser/noAccountPage.ts"
import type { Onward } from "../browser/onward.ts"
import { backPath, DESK, signInPath } from "../browser/paths.ts"
import { signInPage, type SignInStep } from "../browser/signInPage.ts"
import { unsentIn } from "../browser/unsentMail.ts"
import { profilePath } from "../profile/profilePage.ts"
import { writePath } from "../write/writePage.ts"
import { signedInPage } from "./signedInPage.ts"
import { signOutPage } from "./signOutPage.ts"

const decodeLogin = Schema.decodeUnknownOption(LoginRequest)
const decodeChallenge = Schema.decodeUnknownOption(WalletChallengeRequest)
const decodeClaim = Schema.decodeUnknownOption(WalletClaim)
const decodeSessionId = Schema.decodeUnknownOption(SessionId)

const FIELDS = {
  back: LENGTHS.url,
  email: LENGTHS.line,
  code: LENGTHS.line,
  page: LENGTHS.word,
  account: LENGTHS.line,
  challengeId: LENGTHS.line,
  signature: LENGTHS.line
}

/** Serves the sign-in of browsers, under the limits of the API, and the list of where an owner is signed in. */
export const SignInRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const door = yield* EmailDoor
    const wallets = yield* WalletLogin
    const browsers = yield* BrowserSessions
    const profiles = yield* Profiles
    const browser = yield* makeBrowser
    const codes = yield* codePages
    const secrets = yield* Secrets
    const { isRegistrationOpen, trustedProxies } = yield* Settings
    const count = yield* limiting
    const { answering, page, query, readDoorForm, readForm, seeOther } = yield* makePrivatePages

    const asked = (onward: Onward, step: SignInStep, status = 200) =>
      page(signInPage(onward, step, isRegistrationOpen), status)

    /** Asks for an address, with the token of the page that asks for the code. */
    const askedFirst = Effect.fnUntraced(function* (
      onward: Onward,
      step: Omit<Extract<SignInStep, { readonly step: "begin" }>, "step" | "page"> = {},
      status = 200
    ) {
      return asked(onward, { step: "begin", page: yield* secrets.token, ...step }, status)
    })

    const begin = Effect.gen(function* () {
      yield* count("public-read")
      const owner = yield* browser.owner
      if (Option.isSome(owner)) return page(signedInPage(yield* profiles.own(owner.value)))
      const back = backPath((yield* query).get("back"), DESK)
      return yield* askedFirst({ back, waiting: null, note: null })
    })

    /** The former path of the registration. */
    const beginSignUp = Effect.map(query, (named) => seeOther(signInPath(backPath(named.get("back"), DESK))))

    const askCode = makeAskCode({
      pages: codes,
      seeOther,
      shown: ({ email, isForAll, onward, token }, wrong) =>
        asked(onward, { step: "code", email, isForAll, page: token, wrong }, 429)
    })

    /** Shows the page of a code that was mailed, at its own address. */
    const showCode = Effect.gen(function* () {
      yield* count("public-read")
      const { page: token = "" } = yield* HttpRouter.params
      const found = yield* codes.find(token)
      if (Option.isNone(found)) return seeOther("/sign-in")
      const { back, email, isForAll, kept } = found.value
      if (yield* codes.isEntered(yield* browser.owner, found.value)) return seeOther(back)
      const onward = yield* browser.onwardOf(backAndKept(back, kept))
      const wrong = unsentIn(yield* query, yield* now)
      return asked(onward, { step: "code", email, isForAll, page: token, wrong })
    })

    const mailCode = Effect.fnUntraced(function* (
      login: LoginRequest,
      onward: Onward,
      sent: string | undefined
    ) {
      const { email } = login
      const begun = yield* codes.begin(sent, email)
      const state = { ...begun, email, isForAll: isRegistrationOpen, onward }
      // A stranger's page has no code, so only the reader who asked learns of it.
      const wait = yield* door.recent(login, begun.code)
      if (Option.isSome(wait)) return yield* askCode(state, { reason: "recent", waitSeconds: wait.value })
      const request = yield* HttpServerRequest.HttpServerRequest
      return yield* reportingRefusal(
        door.mailCode(login, begun.code, clientOf(request, trustedProxies))
      ).pipe(
        Effect.flatMap(({ isForAll }) => askCode({ ...state, isForAll })),
        // Another browser asked for a code, or a mail of another kind went to the mailbox.
        Effect.catchIf(isOfMailbox, ({ retryAfterSeconds }) =>
          askCode(state, { reason: "mailbox", waitSeconds: retryAfterSeconds })
        )
      )
    })

    const byMail = Effect.fnUntraced(function* (fields: Readonly<Record<string, string>>, onward: Onward) {
      const login = decodeLogin({ email: fields["email"] })
      if (Option.isNone(login))
        return yield* askedFirst(onward, { wrong: "email", email: fields["email"] ?? "" }, 400)
      const { code: typed, page: token } = fields
      if (typed === undefined) return yield* mailCode(login.value, onward, token)
      const { email } = login.value
      const code = readEmailCode(typed)
      const found = yield* codes.findOf(token, email)
      const redeemed =
        code === undefined || token === undefined || Option.isNone(found)
          ? REFUSED
          : yield* codes.once(
              token,
              `${email} ${code}`,
              door.verify({ email, code }, found.value.code).pipe(
                Effect.flatMap(({ isNew, tokens }) =>
                  Effect.map(browser.open(tokens), (opened) => signedIn(opened, isNew))
                ),
                Effect.catchTag("InvalidCode", () => Effect.succeed(REFUSED))
              )
            )
      if (redeemed.outcome === "refused") {
        const isForAll = Option.isSome(found) ? found.value.isForAll : isRegistrationOpen
        return asked(onward, { step: "code", email, isForAll, page: token, wrong: "code" }, 403)
      }
      // A form that needs a name asks for it.
      // The page that publishes asks a writer for both names.
      const isNamedFirst =
        redeemed.isNew && onward.waiting === null && onward.note === null && onward.back !== writePath()
      return yield* browser.signIn(
        Redacted.make(redeemed.token),
        isNamedFirst ? seeOther(profilePath(onward.back)) : browser.goOn(onward)
      )
    })

    const byWallet = Effect.fnUntraced(function* (fields: Readonly<Record<string, string>>, onward: Onward) {
      const wrong = yield* askedFirst(onward, { wrong: "account" }, 400)
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
        Effect.flatMap(browser.open),
        Effect.flatMap((token) => browser.signIn(token, browser.goOn(onward))),
        Effect.catchTags({
          InvalidChallenge: () => challenged(true),
          RegistrationClosed: () => Effect.succeed(page(noAccountPage(onward), 403))
        })
      )
    })

    const signIn = Effect.gen(function* () {
      const form = yield* readDoorForm(FIELDS)
      yield* count("sign-in")
      const onward = yield* browser.onwardOf(form)
      const fields = Object.fromEntries(form.entries)
      if (fields["account"] !== undefined) return yield* byWallet(fields, onward)
      // A form waits, and its reader came from another page of the sign-in.
      if (fields["email"] === undefined && fields[KEPT_FIELD] !== undefined) return yield* askedFirst(onward)
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
      const form = yield* readForm({ session: LENGTHS.word })
      const owner = yield* browser.owner
      if (Option.isNone(owner)) return browser.cookie.clear(seeOther("/"))
      const id = Option.getOrElse(decodeSessionId(form.get("session")), () => owner.value.sessionId)
      yield* browsers.end(owner.value, id)
      return id === owner.value.sessionId ? browser.cookie.clear(seeOther("/")) : seeOther("/sign-out")
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/sign-in", answering(begin)),
      addPrivatePage("POST", "/sign-in", answering(signIn)),
      addPrivatePage("GET", "/sign-up", answering(beginSignUp)),
      addPrivatePage("GET", "/sign-in/code/:page", answering(showCode)),
      addPrivatePage("GET", "/sign-out", answering(list)),
      addPrivatePage("POST", "/sign-out", answering(signOut))
    )
  })
)
