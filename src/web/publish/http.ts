import { Effect, Layer } from "effect"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { now } from "../../platform/time/now.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { Publishing } from "../../publishing/posts/Publishing.ts"
import { Schedules } from "../../publishing/posts/schedules/Schedules.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { refusalOf } from "../write/refusals.ts"
import { publishPath } from "../write/writePage.ts"
import { CANCEL, laterView } from "./laterPart.ts"
import { isZone } from "./localTime.ts"
import { CHANGED, isKey, makePublishForm, pathAfter, PUBLISH_BOUNDS } from "./publishForm.ts"
import { UNPUBLISHED } from "./publishPage.ts"
import { makePublishPages } from "./publishPages.ts"

const done = new Map([
  ["save", "Saved."],
  ["unpublish", UNPUBLISHED],
  ["schedule", "Your post is scheduled."],
  ["cancel", "Your post is a draft that isn't scheduled any more."]
])

/** Serves the page on which an author checks a post, publishes it, and takes it off the site. */
export const PublishRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const posts = yield* Posts
    const publishing = yield* Publishing
    const schedules = yield* Schedules
    const count = yield* limiting
    const { publisherAt, shownAt } = yield* makeAsPublisher
    const { answering, query, readForm, readFormWithCuts, seeOther } = yield* makePrivatePages
    const pages = yield* makePublishPages
    const { shown, shownOut } = pages
    const publish = yield* makePublishForm(pages)

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const asked = yield* query
      const act = asked.get("done") ?? ""
      const zone = asked.get("zone") ?? ""
      return yield* shownAt(publishPath(id), (publisher, owner) =>
        Effect.flatMap(posts.read(publisher, id), (post) =>
          act === "publish" && post.url !== null
            ? shownOut(publisher, owner, post, post.url)
            : Effect.flatMap(now, (at) =>
                shown(publisher, owner, post, {
                  told: done.get(act) ?? null,
                  ...(isZone(zone) ? { later: laterView(post.schedule, zone, at) } : {})
                })
              )
        )
      )
    })

    /** Schedules the post, or ends its schedule. */
    const schedule = Effect.gen(function* () {
      const id = yield* postIdOf
      const form = yield* readFormWithCuts(PUBLISH_BOUNDS)
      if (form.get("act") !== CANCEL) return yield* publish(form, true)
      return yield* publisherAt(
        publishPath(id),
        Effect.fnUntraced(function* (publisher) {
          yield* schedules.remove(publisher, id)
          // It may have become public since the page was opened.
          const { url } = yield* posts.read(publisher, id)
          return seeOther(pathAfter(id, undefined, url === null ? "cancel" : "publish"))
        })
      )
    })

    const unpublish = Effect.gen(function* () {
      const id = yield* postIdOf
      const form = yield* readForm({ key: LENGTHS.word, revision: LENGTHS.word, desk: LENGTHS.line })
      // The table of posts sends the revision that it shows in place of a key: a repeat finds a draft.
      const key = form.get("key")
      const revision = form.get("revision")
      if (key === undefined ? revision === undefined : !isKey(key))
        return yield* new FormRefused({ status: 400 })
      return yield* publisherAt(publishPath(id), (publisher, owner) =>
        Effect.matchEffect(
          key === undefined && revision !== undefined
            ? publishing.unpublishAt(publisher, id, revision)
            : publishing.unpublish(publisher, id, key),
          {
            onSuccess: () => Effect.succeed(seeOther(pathAfter(id, form.get("desk"), "unpublish"))),
            onFailure: Effect.fnUntraced(function* (error) {
              const post = yield* posts.read(publisher, id)
              const desk = form.get("desk") ?? null
              if (error._tag === "RevisionConflict")
                return yield* shown(publisher, owner, post, { told: CHANGED, desk }, 409)
              const { refused, status, told } = refusalOf(error)
              return yield* shown(publisher, owner, post, { refused, told: told?.said ?? null, desk }, status)
            })
          }
        )
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/write/:postId/publish", answering(show)),
      addPrivatePage(
        "POST",
        "/write/:postId/publish",
        answering(Effect.flatMap(readFormWithCuts(PUBLISH_BOUNDS), (form) => publish(form, false)))
      ),
      addPrivatePage("POST", "/write/:postId/schedule", answering(schedule)),
      addPrivatePage("POST", "/write/:postId/unpublish", answering(unpublish))
    )
  })
)
