import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { problemAnswer } from "../../platform/http/errorAnswer.ts"
import { limiting, reportingRefusal } from "../../platform/rate-limits/http.ts"
import { AccountEmail } from "./AccountEmail.ts"
import { CONFIRMATION_PATH } from "./confirmationUrl.ts"

const page = (title: string, ...paragraphs: ReadonlyArray<string>) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"></head>
<body>
<h1>${title}</h1>
${paragraphs.map((text) => `<p>${text}</p>`).join("\n")}
</body>
</html>
`

const answer = (status: number, html: string) =>
  HttpServerResponse.text(html, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy":
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      "cache-control": "private, no-store",
      // The address of this page holds the code.
      "referrer-policy": "no-referrer"
    }
  })

// A code is six digits, so there is nothing in it to escape.
const codePage = (code: string) =>
  answer(
    200,
    page(
      "Confirm your e-mail address",
      `Your code is <strong>${code}</strong>.`,
      "Give it, or the address of this page, to the program that asked for it: <code>POST /api/v1/account/email/verify</code>.",
      "Nothing has changed yet. If you did not ask for this, close the page."
    )
  )

const unknownPage = answer(
  404,
  page(
    "This link is not good any more",
    "It is older than ten minutes, or not complete.",
    "Ask for a new one: <code>POST /api/v1/account/email/resend</code>."
  )
)

/**
 * Serves the page of a confirmation link: it shows the code and the next step. It changes nothing, so that
 * programs which open the links of mails confirm nothing (spec 4.1.6).
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const accountEmail = yield* AccountEmail
    const count = yield* limiting
    return HttpRouter.add(
      "GET",
      CONFIRMATION_PATH,
      Effect.gen(function* () {
        yield* reportingRefusal(count("public-read"))
        const { url } = yield* HttpServerRequest.HttpServerRequest
        const query = new URL(url, "http://localhost").searchParams
        const token = query.get("type") === "email_change" ? query.get("token") : null
        const code = token === null ? Option.none() : yield* accountEmail.codeOf(token)
        return Option.match(code, { onNone: () => unknownPage, onSome: codePage })
      }).pipe(Effect.catchTag("RateLimited", (error) => problemAnswer(error)))
    )
  })
)
