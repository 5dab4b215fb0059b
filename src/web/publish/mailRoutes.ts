import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { Mailings } from "../../engagement/subscribers/mailings/Mailings.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { html } from "../../platform/pages/html.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { mailingPath, mailPath, publishPath } from "../write/writePage.ts"

/** A mail runs nothing, and has the styles of its elements. */
const MAIL_POLICY =
  "default-src 'none'; img-src 'self' https: http:; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups"

/** Serves the mail about a post as readers get it, and the form that sends or cancels it. */
export const MailRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const mailings = yield* Mailings
    const count = yield* limiting
    const { publisherAt, shownAt } = yield* makeAsPublisher
    const { answering, headers, page, query, readForm, seeOther } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const isHtml = (yield* query).get("as") === "html"
      return yield* shownAt(mailPath(id), (publisher) =>
        Effect.map(mailings.preview(publisher, id), (mail) =>
          isHtml
            ? HttpServerResponse.text(mail.html, {
                contentType: "text/html; charset=utf-8",
                headers: { ...headers, "content-security-policy": MAIL_POLICY }
              })
            : page(
                formPage({
                  kicker: "Email to readers",
                  title: mail.subject,
                  isWide: true,
                  content: html`<p class="lede">
                      This is the email as plain text. Most readers see
                      <a href="${mailPath(id)}?as=html">the one with pictures and headings</a>.
                    </p>
                    <pre class="copy" dir="auto" tabindex="0">${mail.text}</pre>
                    <p class="note"><a href="${publishPath(id)}">Back to the post</a></p>`
                })
              )
        )
      )
    })

    const act = Effect.gen(function* () {
      const id = yield* postIdOf
      const form = yield* readForm({ action: LENGTHS.word })
      const action = form.get("action")
      if (action !== "send_now" && action !== "cancel") return yield* new FormRefused({ status: 400 })
      return yield* publisherAt(mailingPath(id), (publisher) =>
        Effect.as(mailings.act(publisher, id, action), seeOther(publishPath(id)))
      )
    })

    return Layer.merge(
      addPrivatePage("GET", "/write/:postId/mail", answering(show)),
      addPrivatePage("POST", "/write/:postId/mailing", answering(act))
    )
  })
)
