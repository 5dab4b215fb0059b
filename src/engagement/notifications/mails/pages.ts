import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { EmailKey } from "../../../../schemas/engagement/notifications/Preferences.ts"
import { problemAnswer } from "../../../platform/http/errorAnswer.ts"
import { limiting, reportingRefusal } from "../../../platform/rate-limits/http.ts"
import { UNSUBSCRIBE_PATH, Unsubscriptions } from "./Unsubscriptions.ts"

/** The mails that each preference governs, for people. */
const words: Readonly<Record<EmailKey, string>> = {
  notify_new_purchase: "sales and tips",
  notify_new_post: "new Posts of authors whom you follow",
  notify_new_follow: "new followers",
  notify_account_issues: "your account",
  notify_summaries: "your day",
  notify_new_comment: "comments on your Posts",
  notify_comment_reply: "replies to your comments",
  notify_commented_post_activity: "discussions that you took part in"
}

const page = (status: number, title: string, ...content: ReadonlyArray<string>) =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"></head>
<body>
<h1>${title}</h1>
${content.join("\n")}
</body>
</html>
`,
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy":
          "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
        "cache-control": "private, no-store",
        // The address of this page holds the token.
        "referrer-policy": "no-referrer"
      }
    }
  )

/** The button sends what a mail program sends for one click, to the address of the page (RFC 8058). */
const question = (key: EmailKey) =>
  page(
    200,
    "Get no more of these mails?",
    `<p>The button ends mails about ${words[key]}. Nothing has changed yet.</p>`,
    `<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Send me no more of them</button></form>`
  )

const confirmation = (key: EmailKey) =>
  page(
    200,
    "You get no more of these mails",
    `<p>Mails about ${words[key]} are off. Mails that are on their way may still arrive.</p>`,
    `<p>To get them again, send <code>{"${key}": true}</code> to <code>PUT /api/v1/notification-preferences</code>.</p>`
  )

const unknown = page(
  404,
  "This link is not complete",
  "<p>Open the whole link of the mail, or change your notification preferences.</p>"
)

/**
 * Serves the links that end mails of a kind. GET changes nothing, because programs open the links of mails. POST
 * switches the kind off, whatever its body: mail programs send theirs in several forms.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const unsubscriptions = yield* Unsubscriptions
    const count = yield* limiting

    const answered = (
      act: (token: string) => Effect.Effect<Option.Option<EmailKey>>,
      show: (key: EmailKey) => HttpServerResponse.HttpServerResponse
    ) =>
      Effect.gen(function* () {
        yield* reportingRefusal(count("public-read"))
        const { url } = yield* HttpServerRequest.HttpServerRequest
        const token = new URL(url, "http://localhost").searchParams.get("token")
        const key = token === null ? Option.none() : yield* act(token)
        return Option.match(key, { onNone: () => unknown, onSome: show })
      }).pipe(Effect.catchTag("RateLimited", (error) => problemAnswer(error)))

    return Layer.merge(
      HttpRouter.add("GET", UNSUBSCRIBE_PATH, answered(unsubscriptions.keyOf, question)),
      HttpRouter.add("POST", UNSUBSCRIBE_PATH, answered(unsubscriptions.switchOff, confirmation))
    )
  })
)
