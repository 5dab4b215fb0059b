import { Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { FOLLOWING_FEEDS_PATH, FollowingFeeds } from "../../engagement/follows/FollowingFeeds.ts"
import { makeLinkPages } from "../../platform/http/privatePages.ts"
import { codingOf, isKnownAs, representationOf, responseOf } from "../../platform/http/representation.ts"
import { AnswerBytes } from "../../platform/ports/AnswerBytes.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Feeds } from "../feeds/Feeds.ts"
import { httpDateOf } from "../feeds/rss.ts"

/** Only the feed reader of the owner keeps the feed, for as long as a public one. */
const CACHING = "private, max-age=300"

const FILE = /^(.+)\.xml$/

const encoder = new TextEncoder()

/** Serves the private feeds of owners. Their paths are secrets: no log, trace or other page learns them. */
export const PrivateFeedRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const privateFeeds = yield* FollowingFeeds
    const feeds = yield* Feeds
    const { compress, digest } = yield* AnswerBytes
    const count = yield* limiting
    const { answering } = yield* makeLinkPages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const { file = "" } = yield* HttpRouter.params
      const [, token = ""] = FILE.exec(file) ?? []
      const holder = yield* privateFeeds.holder(Redacted.make(token))
      if (Option.isNone(holder)) return yield* new NotFound()
      const { text, updatedAt } = yield* feeds.followed(holder.value.owner, holder.value.id)
      const body = encoder.encode(text)
      const feed = {
        body,
        contentType: "application/atom+xml; charset=utf-8",
        digest: digest(body),
        isWeak: true,
        headers: {
          "cache-control": CACHING,
          vary: "Accept-Encoding",
          "referrer-policy": "no-referrer",
          "x-robots-tag": "noindex",
          ...(updatedAt === null ? {} : { "last-modified": httpDateOf(updatedAt) })
        }
      }
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const coding = codingOf(feed, headers)
      const bytes =
        coding === undefined || isKnownAs(feed, headers, coding) ? body : yield* compress(body, coding)
      return responseOf(representationOf(feed, headers, { bytes, coding }))
    })

    return HttpRouter.add("GET", `${FOLLOWING_FEEDS_PATH}:file`, answering(show))
  })
)
