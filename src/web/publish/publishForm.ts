import { Effect, Schema } from "effect"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { RevisionConflict } from "../../../schemas/platform/errors/common.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { PostPublished } from "../../../schemas/publishing/posts/errors.ts"
import { freedPartOf } from "../../../schemas/publishing/posts/freedPart.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { enteredOf } from "../../platform/pages/entered.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { Publishing } from "../../publishing/posts/Publishing.ts"
import { Schedules } from "../../publishing/posts/schedules/Schedules.ts"
import { backToPosts } from "../browser/paths.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { chosenFields, CONFLICT_BOUNDS, differencesOf, isSavedAs, readChoices } from "../write/conflict.ts"
import { fieldsOf, refusedCuts, type SentFields } from "../write/postForm.ts"
import { refusalOf } from "../write/refusals.ts"
import { publishPath } from "../write/writePage.ts"
import { type Decisions, DECISION_BOUNDS, makeCompleting, readDecisions } from "./completing.ts"
import { makeFilledDescription } from "./filledDescription.ts"
import { type PublishView, SAVE } from "./publishPage.ts"
import type { makePublishPages, Said } from "./publishPages.ts"
import { MOMENT_BOUNDS, readMoment, wrongMoment } from "./readMoment.ts"

/** True for a key that names a publication. */
export const isKey = Schema.is(SessionIdempotencyKey)

/** Says that the author decided about an earlier version. */
export const CHANGED =
  "This post was changed since you opened this page. Check it again, then press the button again."

/** The bounds of the fields of the page. */
export const PUBLISH_BOUNDS = {
  ...DECISION_BOUNDS,
  ...MOMENT_BOUNDS,
  ...CONFLICT_BOUNDS,
  act: LENGTHS.word,
  key: LENGTHS.word,
  revision: LENGTHS.word,
  desk: LENGTHS.line,
  _free: LENGTHS.word
}

/** Returns the page after a form: the table of own posts that sent it, or the page of the post. */
export const pathAfter = (id: PostId, desk: string | undefined, done: string): string =>
  desk === undefined ? `${publishPath(id)}?done=${done}` : backToPosts(desk, done)

/** Returns the page of a post that was scheduled, in the zone of its author. */
const scheduledPath = (id: PostId, zone: string): string =>
  `${publishPath(id)}?done=schedule&zone=${encodeURIComponent(zone)}`

/** Returns what an author decided that the post still takes: a public one has its address and its mail, and its language by choice. */
const open = (fields: SentFields, post: Post): SentFields => {
  if (post.url === null) return fields
  const language = fields.language === "" ? undefined : fields.language
  return { ...fields, slug: undefined, isUnmailed: undefined, language }
}

/** Shows a page again with what its author decided. */
const typed = ({ address = "", fields, handle, name }: Decisions, post: Post): Partial<PublishView> => ({
  fields: open(fields, post),
  address,
  ...(name === undefined ? {} : { name }),
  ...(handle === undefined ? {} : { handle })
})

/** Makes the function that publishes what the page showed, with what its author decided, now or later, or only saves that. */
export const makePublishForm = Effect.fnUntraced(function* ({
  shown
}: Pick<Effect.Success<typeof makePublishPages>, "shown">) {
  const posts = yield* Posts
  const publishing = yield* Publishing
  const schedules = yield* Schedules
  const { withoutFilled } = yield* makeFilledDescription
  const complete = yield* makeCompleting
  const { publisherAt } = yield* makeAsPublisher
  const { seeOther } = yield* makePrivatePages

  return Effect.fnUntraced(function* (form: SentForm<keyof typeof PUBLISH_BOUNDS>, isLater: boolean) {
    const id = yield* postIdOf
    const key = form.get("key") ?? ""
    const revision = form.get("revision") ?? ""
    const isSaving = form.get("act") === SAVE
    if (!isSaving && !isKey(key)) return yield* unreadable(form)
    const choices = readChoices(form)
    const { publishAt, typed: moment } = readMoment(form)
    const act = Effect.fnUntraced(function* (publisher: PublisherAuthority, owner: BrowserAuthority) {
      const post = yield* posts.read(publisher, id)
      const read = readDecisions(form, isSaving)
      const opened = open(read.fields, post)
      const sent = { ...read, fields: isSaving ? yield* withoutFilled(opened, post, owner) : opened }
      const isUndecided = [...choices.values()].includes(undefined)
      const decisions = isUndecided ? sent : { ...sent, fields: chosenFields(post, sent.fields, choices) }
      // The version that the author saw, so that the next press overwrites no other one. A page without the choices has none.
      let basis = isUndecided ? "" : revision
      const again = Effect.fnUntraced(function* (said: (post: Post) => Said, status: number) {
        const newest = yield* posts.read(publisher, id)
        return yield* shown(
          publisher,
          owner,
          newest,
          {
            ...typed(decisions, newest),
            revision: basis,
            isUnsaved: !isSavedAs(newest, decisions.fields),
            desk: form.get("desk") ?? null,
            ...(isLater ? { later: moment } : {}),
            ...said(newest)
          },
          status
        )
      })
      if (form.cut.length > 0) return yield* again(() => ({ refused: refusedCuts(form.cut) }), 422)
      // The author said already that a part becomes free, and need not say it again for another moment.
      const isFreeing = form.has("_free")
      if (isLater && publishAt === undefined) return yield* again(() => ({ isUnsaved: true, isFreeing }), 422)
      const { isSold = post.enablePaywall } = decisions.fields
      const isWaiting = post.schedule?.state === "waiting"
      const becomesFree = isSaving
        ? (post.url !== null || isWaiting) && post.enablePaywall
        : post.url === null
      const freed = becomesFree && !isFreeing ? freedPartOf({ ...post, enablePaywall: isSold }) : null
      if (freed !== null && !isUndecided)
        return yield* again(
          () => ({
            isFreeing: true,
            told: `${freed} Press again to ${isSaving ? (isWaiting ? "save it" : "make it public") : isLater ? "schedule it" : "publish it"}.`
          }),
          422
        )
      const published = Effect.gen(function* () {
        if (isUndecided) return yield* new RevisionConflict()
        // A post that became a draft since then is not published as it is now.
        if (isLater && post.url !== null) return yield* new PostPublished()
        // The page was open while the post became public, so its mail is decided.
        const isLate = post.url !== null && post.mailReaders && choices.get("unmailed") !== "saved"
        if (isLate && read.fields.isUnmailed === true) return yield* new RevisionConflict()
        if (!isSaving && post.url !== null) return yield* publishing.publishAt(publisher, id, key, revision)
        const saved = yield* complete(publisher, owner, post, revision, decisions)
        basis = saved.revision
        if (isSaving || saved.refused.length > 0) return saved
        if (publishAt !== undefined && isLater)
          return yield* schedules.save(
            publisher,
            id,
            { publishAt, onlyRevision: post.schedule?.onlyRevision ?? false },
            saved.revision
          )
        return yield* publishing.publishAt(publisher, id, key, saved.revision)
      })
      return yield* Effect.matchEffect(published, {
        onSuccess: (it) =>
          "refused" in it && it.refused.length > 0
            ? again(() => ({ refused: it.refused, isUnsaved: true }), 422)
            : Effect.succeed(
                seeOther(
                  isLater
                    ? scheduledPath(id, moment.zone)
                    : pathAfter(id, form.get("desk"), isSaving ? "save" : "publish")
                )
              ),
        onFailure: (error) => {
          if (error._tag === "RevisionConflict")
            return again((newest) => {
              const differing = differencesOf(newest, open(decisions.fields, newest))
              const { updatedAt } = newest
              if (differing.length === 0) return { told: CHANGED, revision: updatedAt }
              return {
                revision: updatedAt,
                elsewhere: {
                  fields: fieldsOf(newest),
                  choices: new Map(differing.map((control) => [control, choices.get(control)])),
                  moved: ""
                }
              }
            }, 409)
          const wrong = wrongMoment(error)
          if (wrong !== undefined) return again(() => ({ later: { ...moment, wrong }, isFreeing }), 422)
          const { refused, status, told } = refusalOf(error, decisions.fields.price)
          return again(() => ({ refused, told: told?.said ?? null }), status)
        }
      })
    })
    return yield* publisherAt(publishPath(id), act, enteredOf(form.entries))
  })
})
