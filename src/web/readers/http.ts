import { Effect, Layer, Option, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { SUBSCRIBERS_DEFAULT } from "../../../schemas/engagement/subscribers/Subscriber.ts"
import { Cursor } from "../../../schemas/platform/Cursor.ts"
import { EmailAddressInput } from "../../../schemas/platform/EmailAddress.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { SubscriberId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { Subscribers } from "../../engagement/subscribers/Subscribers.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { makeBrowser } from "../browser/http.ts"
import { READERS } from "../browser/paths.ts"
import { readersPage } from "./readersPage.ts"

const decodeCursor = Schema.decodeUnknownEffect(Cursor)
const decodeAddress = Schema.decodeUnknownOption(EmailAddressInput)
const decodeId = Schema.decodeUnknownOption(SubscriberId)

/** Serves the page with the readers of an author, its table, and the form that removes a reader. */
export const ReaderRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const subscribers = yield* Subscribers
    const profiles = yield* Profiles
    const { hasSubscriptions: isOpen } = yield* Settings
    const { consume } = yield* RateLimits
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, headers, page, query, readForm, seeOther } = yield* makePrivatePages

    /** Reads the readers of a page, or the one with an address. A cursor of no list leads nowhere. */
    const readersOf = Effect.fnUntraced(
      function* (owner: BrowserAuthority, q: string, after: string | null) {
        const cursor = after === null ? {} : { cursor: yield* decodeCursor(after) }
        const list = yield* subscribers.list(owner, { limit: SUBSCRIBERS_DEFAULT, ...cursor })
        if (q === "") return list
        const email = decodeAddress(q)
        const data = Option.isNone(email) ? [] : yield* subscribers.find(owner, email.value)
        return { ...list, data, pagination: { ...list.pagination, nextCursor: null } }
      },
      Effect.mapError(() => new NotFound())
    )

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const asked = yield* query
      const q = (asked.get("q") ?? "").trim()
      return yield* browser.asOwner(
        READERS,
        Effect.fnUntraced(function* (owner) {
          const { counts, data, pagination } = yield* readersOf(owner, q, asked.get("after"))
          const { handle } = yield* profiles.own(owner)
          return page(
            readersPage({
              counts,
              readers: data,
              q,
              next:
                pagination.nextCursor === null
                  ? null
                  : `${READERS}?after=${encodeURIComponent(pagination.nextCursor)}`,
              isRemoved: asked.get("done") === "removed",
              isOpen,
              authorPath: `/@${handle}`,
              isModerator: owner.isModerator
            })
          )
        })
      )
    })

    const remove = Effect.gen(function* () {
      const form = yield* readForm({ id: LENGTHS.word })
      const id = decodeId(form.get("id"))
      return yield* browser.asOwner(READERS, (owner) =>
        Option.isNone(id)
          ? Effect.fail(new NotFound())
          : Effect.as(subscribers.remove(owner, id.value), seeOther(`${READERS}?done=removed`))
      )
    })

    const download = browser.asOwner(READERS, (owner) =>
      Effect.as(
        consume("exports", owner.ownerId),
        HttpServerResponse.stream(Stream.encodeText(subscribers.exported(owner)), {
          contentType: "text/csv; charset=utf-8",
          headers: { ...headers, "content-disposition": 'attachment; filename="readers.csv"' }
        })
      )
    )

    return Layer.mergeAll(
      addPrivatePage("GET", READERS, answering(show)),
      addPrivatePage("GET", `${READERS}/export.csv`, answering(download)),
      addPrivatePage("POST", `${READERS}/remove`, answering(remove))
    )
  })
)
