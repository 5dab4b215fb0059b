import { Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { FOLLOWING_FEEDS_PATH, FollowingFeeds } from "../../engagement/follows/FollowingFeeds.ts"
import { makeLinkPages } from "../../platform/http/privatePages.ts"
import { codingOf, isKnownAs, representationOf, responseOf } from "../../platform/http/representation.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { AnswerBytes } from "../../platform/ports/AnswerBytes.ts"
import { ReadCounter } from "../../platform/public-answers/ReadCounter.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Feeds } from "../feeds/Feeds.ts"

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
    const counter = yield* ReadCounter
    const count = yield* limiting
    const { answering } = yield* makeLinkPages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const { file = "" } = yield* HttpRouter.params
      const [, token = ""] = FILE.exec(file) ?? []
      const holder = yield* privateFeeds.holder(Redacted.make(token))
      if (Option.isNone(holder)) return yield* new NotFound()
      const { posts, text } = yield* feeds.followed(holder.value.owner, holder.value.id)
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
          "x-robots-tag": "noindex"
        }
      }
      const request = yield* HttpServerRequest.HttpServerRequest
      const { headers } = request
      const coding = codingOf(feed, headers)
      const bytes =
        coding === undefined || isKnownAs(feed, headers, coding) ? body : yield* compress(body, coding)
      counter.read(request, { posts, by: "feeds", hasWall: false }, holder.value.owner)
      return responseOf(representationOf(feed, headers, { bytes, coding }))
    })

    return addPrivatePage("GET", `${FOLLOWING_FEEDS_PATH}:file`, answering(show))
  })
)
