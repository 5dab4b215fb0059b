import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { NotFound, RateLimited } from "../../../schemas/platform/errors/common.ts"
import { enteredOf, enteredText, KEPT_FIELD } from "../pages/entered.ts"
import { errorPageOf } from "../pages/errorPage.ts"
import { documentOf, type Page } from "../pages/layout.ts"
import { messagePage } from "../pages/messagePage.ts"
import { Site, type SiteView } from "../pages/Site.ts"
import { reportingRefusal } from "../rate-limits/http.ts"
import { makeCookies, type OwnCookie } from "./cookies.ts"
import { KEPT_CHARACTERS_MAX, keptForms, targetOf } from "./keptForms.ts"
import {
  FORM_BYTES_MAX,
  FormRefused,
  KeptFormRefused,
  makeCheckFileForm,
  makeReadForm,
  makeReadLongForm
} from "./ownForms.ts"
import { queryOf } from "./pageForms.ts"
import { pageHeadersOf } from "./pageHeaders.ts"
import { type FieldBounds, formOfValues, type SentForm } from "./SentForm.ts"

type Response = HttpServerResponse.HttpServerResponse
type Headers = Readonly<Record<string, string>>

const refusals: Readonly<Record<FormRefused["status"], { readonly title: string; readonly said: string }>> = {
  400: {
    title: "We couldn't read that form",
    said: "Part of it is missing. Go back, reload the page and try again."
  },
  403: {
    title: "That form came from another site",
    said: "Nothing was changed. Open the page here and try again."
  },
  413: {
    title: "That's too much text",
    said: "Nothing was saved. Go back: what you wrote is still there. Shorten it and try again."
  },
  415: {
    title: "We couldn't read that form",
    said: "It came in a format our pages don't send. Go back and use the form on the page."
  }
}

const keptRefused = (entered: string) =>
  messagePage({
    title: "We didn't send that again",
    said: "What you pressed before you signed in can only be sent once, within an hour. Check whether it went through. If it didn't, go back to its page and press the button again.",
    more: enteredText(entered)
  })

const refusedPage = ({ entered, status }: FormRefused) =>
  messagePage({ ...refusals[status], more: enteredText(entered) })

/** The failures that every private route has. */
type Failure = FormRefused | KeptFormRefused | NotFound | RateLimited

/**
 * Makes answers for one reader alone: pages that no cache keeps and no search engine lists, and the forms behind them.
 * Only this service learns the address of such a page. Older browsers need that to say where a form comes from.
 */
export const makePrivatePages = Effect.map(Effect.all([Site, keptForms]), ([site, forms]) =>
  privatePagesOf(site, forms, "same-origin")
)

/**
 * Makes answers for readers who open the link of a mail. The address of such a page is a secret, so no other page
 * learns it.
 */
export const makeLinkPages = Effect.map(Effect.all([Site, keptForms]), ([site, forms]) =>
  privatePagesOf(site, forms, "no-referrer")
)

const privatePagesOf = (
  site: SiteView,
  forms: Effect.Success<typeof keptForms>,
  referrerPolicy: "same-origin" | "no-referrer"
) => {
  const headers: Headers = {
    ...pageHeadersOf(site),
    "cache-control": "private, no-store",
    "referrer-policy": referrerPolicy,
    "x-robots-tag": "noindex"
  }

  const page = (shown: Page, status = 200, more: Headers = {}): Response =>
    HttpServerResponse.text(documentOf(site, { ...shown, isIndexed: false }), {
      status,
      contentType: "text/html; charset=utf-8",
      headers: { ...headers, ...more }
    })

  const readForm = makeReadForm(site.baseUrl)

  /** Refuses a form with a value that is longer than any that is accepted. The reader gets its texts back, within their bounds. */
  const whole = <Name extends string>(form: SentForm<Name>) =>
    form.cut.every((name) => name === KEPT_FIELD)
      ? Effect.succeed(form)
      : Effect.fail(
          new FormRefused({
            status: 413,
            entered: enteredOf(form.entries.filter(([name]) => name !== KEPT_FIELD))
          })
        )

  /** Reads a form. If it carries one that waited for a sign-in, that one is used, once. `otherwise` reads a form with another page's. */
  const readFormOr =
    (otherwise: (sent: SentForm) => Effect.Effect<SentForm, KeptFormRefused>) =>
    <Name extends string>(bounds: FieldBounds<Name>) =>
      Effect.gen(function* () {
        const sent = yield* readForm<Name | typeof KEPT_FIELD>({
          [KEPT_FIELD]: KEPT_CHARACTERS_MAX,
          ...bounds
        } as FieldBounds<Name | typeof KEPT_FIELD>)
        const sealed = sent.get(KEPT_FIELD)
        if (sealed === undefined) return sent
        const kept = yield* forms.open(sealed)
        const target = targetOf(yield* HttpServerRequest.HttpServerRequest)
        if (Option.isNone(kept) || kept.value.path !== target) return yield* otherwise(sent as SentForm)
        const form = formOfValues<Name | typeof KEPT_FIELD>(
          kept.value.fields,
          bounds as FieldBounds<Name | typeof KEPT_FIELD>
        )
        return (yield* forms.claim(kept.value))
          ? form
          : yield* new KeptFormRefused({ entered: enteredOf(form.entries) })
      })

  const readFormOfPath = readFormOr(() => Effect.fail(new KeptFormRefused({ entered: "" })))
  const readFormOfDoor = readFormOr(Effect.succeed)

  const problem = (status: number) => page(errorPageOf(status), status)

  return {
    headers,
    page,
    problem,
    json: (value: unknown, status = 200): Response =>
      HttpServerResponse.jsonUnsafe(value, { status, headers: { ...headers } }),
    /** Sends the browser on, so that a reload does not send the form again. */
    seeOther: (path: string): Response =>
      HttpServerResponse.empty({ status: 303, headers: { ...headers, location: path } }),
    /** Sends the browser on with the same form. */
    sameForm: (path: string): Response =>
      HttpServerResponse.empty({ status: 307, headers: { ...headers, location: path } }),
    /** The parameters of the address. Pages ignore those that they do not know. */
    query: Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => queryOf(url)),
    readForm: <Name extends string>(bounds: FieldBounds<Name>) =>
      Effect.flatMap(readFormOfPath(bounds), whole),
    /** As `readForm`, for a page that shows a cut value next to the reason. */
    readFormWithCuts: readFormOfPath,
    /** Reads a form of a page that carries the form of another page on. */
    readDoorForm: <Name extends string>(bounds: FieldBounds<Name>) =>
      Effect.flatMap(readFormOfDoor(bounds), whole),
    /** Reads a form whose fields are not known, as it was sent. */
    readFormAsSent: readForm<string>(FORM_BYTES_MAX),
    /** Reads the form in which a Post is written. */
    readLongForm: makeReadLongForm(site.baseUrl),
    /** Checks where a form with a file comes from. `readFileForm` reads it. */
    checkFileForm: makeCheckFileForm(site.baseUrl),
    cookie: makeCookies(site.baseUrl) as (name: string, path: string, maxAgeSeconds: number) => OwnCookie,
    /** Answers the failures of a private route with pages. */
    answering: <E, R>(answer: Effect.Effect<Response, E | Failure, R>) =>
      reportingRefusal(answer).pipe(
        Effect.catchIf(
          (error): error is Extract<E | Failure, Failure> => isFailure(error),
          (error: Failure) => {
            if (error._tag === "FormRefused") return Effect.succeed(page(refusedPage(error), error.status))
            if (error._tag === "KeptFormRefused") return Effect.succeed(page(keptRefused(error.entered), 409))
            return Effect.succeed(problem(error._tag === "NotFound" ? 404 : 429))
          }
        )
      )
  }
}

const isFailure = (error: unknown): error is Failure =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  (error._tag === "FormRefused" ||
    error._tag === "KeptFormRefused" ||
    error._tag === "NotFound" ||
    error._tag === "RateLimited")
