import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { TokenPair } from "../../../schemas/accounts/sessions/Session.ts"
import { type BrowserAuthority, CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { AuditLog, RESTRICTION } from "../../accounts/administration/AuditLog.ts"
import { BROWSER_COOKIE, BrowserSessions } from "../../accounts/browser-sessions/BrowserSessions.ts"
import { FAMILY_LIFETIME_MILLIS } from "../../accounts/sessions/Sessions.ts"
import { AccountDeletions } from "../../engagement/account-deletion/AccountDeletions.ts"
import { makeCookies } from "../../platform/http/cookies.ts"
import { keptForms, targetOf } from "../../platform/http/keptForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { SentForm } from "../../platform/http/SentForm.ts"
import { enteredOf, KEPT_FIELD } from "../../platform/pages/entered.ts"
import { html } from "../../platform/pages/html.ts"
import { messagePage } from "../../platform/pages/messagePage.ts"
import { Site } from "../../platform/pages/Site.ts"
import { operatorContact } from "../../platform/ports/operatorContact.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { objectionTo } from "../pages/parts/objection.ts"
import { lostPage, type Onward } from "./onward.ts"
import { backPath, DELETION, DESK, EXPORT, PURCHASES, signInPath } from "./paths.ts"
import { signInPage } from "./signInPage.ts"

type Response = HttpServerResponse.HttpServerResponse

const restrictedPage = (reason: string | null, contact: string | undefined) =>
  messagePage({
    title: "Your account is restricted",
    said: "Our moderators have restricted it, so you can only read with it.",
    more: html`${reason !== null && html`<p>Reason: “<bdi>${reason}</bdi>”</p>`}
      <p>${objectionTo(contact)}</p>
      <p class="note">
        <a href="${PURCHASES}">What you bought</a> · <a href="${EXPORT}" download>Download everything</a> ·
        <a href="/sign-out">Sign out</a>
      </p>`
  })

/** A form that a reader sent without a session. */
interface Unsigned {
  /** The page to which the reader may go back. */
  readonly back: string
  /** A sentence that says what happens to the form after the sign-in. */
  readonly said?: string
  /** 200 for a button of a page that does not know its reader. */
  readonly status?: 200 | 401
}

const TOO_LATE = "That took too long. Please try again after you've signed in."
const TOO_LONG = "You're not signed in. Sign in, go back, and send it again."
const SIGNED_OUT = "You were signed out. Sign in, and we'll carry on with what you sent."

/** Makes the reader of the cookie by which a browser is signed in. Only private pages use it. */
export const makeBrowser = Effect.gen(function* () {
  const { authenticate, end, formerOwnerOf, open } = yield* BrowserSessions
  const { baseUrl, isRegistrationOpen } = yield* Site
  const { reasonForAuthor } = yield* AuditLog
  const deletions = yield* AccountDeletions
  const contact = yield* operatorContact
  const count = yield* limiting
  const kept = yield* keptForms
  const secrets = yield* Secrets
  const { page, readFormAsSent, sameForm, seeOther } = yield* makePrivatePages
  const cookie = makeCookies(baseUrl)(BROWSER_COOKIE, "/", FAMILY_LIFETIME_MILLIS / 1000)

  /** The owner who is signed in in this browser. */
  const owner = Effect.gen(function* () {
    const token = cookie.read(yield* HttpServerRequest.HttpServerRequest)
    return token === undefined ? Option.none() : yield* authenticate(token)
  })

  /** The owner who was signed in in this browser, even if the session has ended since. */
  const formerOwner = Effect.gen(function* () {
    const token = cookie.read(yield* HttpServerRequest.HttpServerRequest)
    return token === undefined ? Option.none() : yield* formerOwnerOf(token)
  })

  /** Returns where a form of the sign-in leads. */
  const onwardOf = Effect.fnUntraced(function* (
    form: SentForm<"back" | typeof KEPT_FIELD>
  ): Effect.fn.Return<Onward> {
    const back = backPath(form.get("back"), DESK)
    const sealed = form.get(KEPT_FIELD)
    if (sealed === undefined) return { back, waiting: null, note: null }
    return Option.match(yield* kept.open(sealed), {
      onNone: () => ({ back, waiting: null, note: TOO_LATE }),
      onSome: (it) => ({
        back,
        waiting: { sealed, path: it.path, entered: enteredOf(it.fields) },
        note: it.said
      })
    })
  })

  /** Keeps a form of a path until its reader has signed in, and returns where the sign-in leads. */
  const keep = Effect.fnUntraced(function* (
    back: string,
    path: string,
    form: Pick<SentForm, "entries">,
    note: string
  ): Effect.fn.Return<Onward> {
    return Option.match(yield* kept.seal(path, form, note), {
      onNone: () => ({ back, waiting: null, note: TOO_LONG }),
      onSome: (sealed) => ({ back, waiting: { sealed, path, entered: enteredOf(form.entries) }, note })
    })
  })

  /**
   * Answers a form that was sent without a session with the sign-in, which sends it on. A script gets 401, so that it submits
   * the form as a browser does.
   */
  const askToSignIn = Effect.fnUntraced(function* ({ back, said = SIGNED_OUT, status = 401 }: Unsigned) {
    yield* count("public-read")
    const request = yield* HttpServerRequest.HttpServerRequest
    const sent = yield* Effect.orElseSucceed(readFormAsSent, () => null)
    // The form of a browser without cookies, or the one that waits for the names of an account.
    const earlier = Option.getOrUndefined(yield* kept.open(sent?.get(KEPT_FIELD) ?? ""))
    const onward =
      earlier !== undefined
        ? yield* keep(back, earlier.path, new SentForm(new Map(earlier.fields)), earlier.said)
        : yield* keep(back, targetOf(request), sent ?? new SentForm(new Map()), said)
    return page(
      signInPage(
        sent === null ? { back, waiting: null, note: TOO_LONG } : onward,
        { step: "begin", page: yield* secrets.token },
        isRegistrationOpen
      ),
      request.headers["accept"] === "application/json" ? 401 : status
    )
  })

  /** Counts a form of an owner as the API does. */
  const counted = (signedIn: BrowserAuthority, times = 1) =>
    Effect.provideService(count("account", times), CurrentOwner, signedIn)

  /**
   * Tells a restricted account the reason that was written for it, and whom to ask. A closing account goes to the page on which
   * its owner keeps it.
   */
  const restricted = Effect.fnUntraced(function* (signedIn: BrowserAuthority) {
    if (yield* deletions.isClosing(signedIn)) return seeOther(DELETION)
    return page(restrictedPage(yield* reasonForAuthor(signedIn.ownerId, RESTRICTION), contact), 403)
  })

  return {
    cookie,
    owner,
    formerOwner,
    counted,
    restricted,
    /** The account whose purchases are read in this browser, also a restricted one; null for a reader without one. */
    account: Effect.map(owner, (found) => (Option.isSome(found) ? found.value.ownerId : null)),
    /** The account that buys in this browser; null for a reader without one, and for a restricted account. */
    reader: Effect.map(owner, (found) =>
      Option.isSome(found) && !found.value.isRestricted ? found.value.ownerId : null
    ),
    keep,
    onwardOf,
    askToSignIn,
    /** Sends a reader on who has signed in, with the form that waited for it. */
    goOn: ({ back, note, waiting }: Onward): Response => {
      if (waiting !== null) return sameForm(waiting.path)
      return note === null ? seeOther(back) : page(lostPage(back, note), 409)
    },
    /**
     * Acts for the owner who is signed in. Any other reader goes to the sign-in, and from there back to a path. A form
     * waits for the sign-in, and is then sent again. A restricted account reads only the pages that are open to it.
     */
    asOwner: <E, R>(
      back: string,
      act: (signedIn: BrowserAuthority) => Effect.Effect<Response, E, R>,
      {
        isOpenToRestricted = false,
        ...unsigned
      }: Omit<Unsigned, "back"> & { readonly isOpenToRestricted?: boolean } = {}
    ) =>
      Effect.gen(function* () {
        const found = yield* owner
        if (Option.isNone(found)) {
          const { method } = yield* HttpServerRequest.HttpServerRequest
          return method === "POST" ? yield* askToSignIn({ ...unsigned, back }) : seeOther(signInPath(back))
        }
        if (found.value.isRestricted && !isOpenToRestricted) return yield* restricted(found.value)
        yield* counted(found.value)
        return yield* act(found.value)
      }),
    /** Makes the token of this browser for a session that was opened just now. */
    open: Effect.fnUntraced(function* (pair: TokenPair) {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      return yield* open(pair, headers["user-agent"] ?? "")
    }),
    /** Signs this browser in with an answer. The session of its previous cookie ends, so no tab can use it. */
    signIn: Effect.fnUntraced(function* (token: Redacted.Redacted, answer: Response) {
      const shown = cookie.read(yield* HttpServerRequest.HttpServerRequest)
      const former = yield* owner
      const isSame = shown !== undefined && Redacted.value(shown) === Redacted.value(token)
      if (Option.isSome(former) && !isSame) yield* Effect.orDie(end(former.value, former.value.sessionId))
      return cookie.set(token)(answer)
    })
  }
})
