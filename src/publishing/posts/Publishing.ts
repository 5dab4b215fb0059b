import { Context, Effect, Layer, Option } from "effect"
import { AccountRestricted, NotFound, RevisionConflict } from "../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { PostWithdrawn } from "../../../schemas/publishing/posts/errors.ts"
import { PublishResult, UnpublishResult } from "../../../schemas/publishing/posts/Post.ts"
import { AuditLog, WITHDRAWAL } from "../../accounts/administration/AuditLog.ts"
import { AuthorKinds } from "../../accounts/owners/AuthorKinds.ts"
import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import { Events } from "../../platform/events/Events.ts"
import { operatorContact, refusalText } from "../../platform/ports/operatorContact.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { isSameMoment } from "../../platform/time/isSameMoment.ts"
import { now, wireTime } from "../../platform/time/now.ts"
import { checkPublication, missingOf, type PublicationRefusal } from "./completeness.ts"
import { dateOf, isNews, type NextPublication, nextPublicationOf } from "./nextPublication.ts"
import { Notices } from "./Notices.ts"
import { type Decision, type KeyRefusal, makeOncePerKey, Outdated, type Published } from "./oncePerKey.ts"
import type { PostRow } from "./postRow.ts"
import { postStatements } from "./posts.sql.ts"
import { publicationStatements } from "./publications.sql.ts"
import { PostTexts } from "./texts/PostTexts.ts"
import { unpublishedEvent } from "./unpublishedEvent.ts"
import { makeUpdatingReaders } from "./updatingReaders.ts"

/** The reasons that keep a draft from being published. */
export type PublishRefusal = PublicationRefusal | PostWithdrawn | AccountRestricted

/** Publishes and unpublishes Posts, with everything that changes with them (spec 3.1). */
export class Publishing extends Context.Service<
  Publishing,
  {
    /**
     * Publishes a draft; a public Post stays as it is. A repeat with the same key gets the same answer while it is
     * true, and fails with `IdempotencyKeySpent` once the Post was unpublished.
     */
    readonly publish: (
      publisher: PublisherAuthority,
      id: PostId,
      idempotencyKey: string
    ) => Effect.Effect<Published<PublishResult>, NotFound | KeyRefusal | PublishRefusal>
    /** As `publish`, for a draft that still has `revision`: what its author saw is what readers get. */
    readonly publishAt: (
      publisher: PublisherAuthority,
      id: PostId,
      idempotencyKey: string,
      revision: string
    ) => Effect.Effect<Published<PublishResult>, NotFound | KeyRefusal | PublishRefusal | RevisionConflict>
    /**
     * As `publish`, for a draft that its author scheduled. `check` refuses it as it is now, and `follow` runs in the
     * transaction of the publication.
     */
    readonly publishScheduled: <E>(
      publisher: PublisherAuthority,
      id: PostId,
      check: (post: PostRow, at: Date) => Effect.Effect<void, E>,
      follow: (post: PostRow, at: Date) => Effect.Effect<void>
    ) => Effect.Effect<PublishResult, NotFound | PublishRefusal | E>
    /** Fails with everything that keeps a draft from being published, and succeeds for a public Post. */
    readonly check: (post: PostRow) => Effect.Effect<void, PublishRefusal>
    /** Returns everything that a draft lacks to be public, and nothing for a public Post. */
    readonly missing: (
      publisher: PublisherAuthority,
      id: PostId
    ) => Effect.Effect<ReadonlyArray<FieldError>, NotFound>
    /** Returns the kind of the next publication of a Post; `again` for a public one. */
    readonly nextPublication: (
      publisher: PublisherAuthority,
      id: PostId
    ) => Effect.Effect<NextPublication, NotFound>
    /**
     * Makes a public Post a draft; a draft stays as it is. A repeat with the same key gets the same answer while it is
     * true, and fails with `IdempotencyKeySpent` once the Post was published again.
     */
    readonly unpublish: (
      publisher: PublisherAuthority,
      id: PostId,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Published<UnpublishResult>, NotFound | KeyRefusal>
    /** Makes the public Post with this revision a draft, as its author saw it. Fails for a public Post with another one. */
    readonly unpublishAt: (
      publisher: PublisherAuthority,
      id: PostId,
      revision: string
    ) => Effect.Effect<Published<UnpublishResult>, NotFound | KeyRefusal | RevisionConflict>
  }
>()("pennypress/publishing/posts/Publishing") {
  static readonly layer = Layer.effect(
    Publishing,
    Effect.gen(function* () {
      const publications = yield* publicationStatements
      const posts = yield* postStatements
      const notices = yield* Notices
      const events = yield* Events
      const texts = yield* PostTexts
      const authorKinds = yield* AuthorKinds
      const baseUrl = yield* PublicBaseUrl
      const { changing } = yield* PublicAnswers
      const updatingReaders = yield* makeUpdatingReaders
      const once = yield* makeOncePerKey
      const { reasonForAuthor } = yield* AuditLog
      const contact = yield* operatorContact

      const refuseWithdrawn = Effect.fnUntraced(function* (id: PostId) {
        const reason = yield* reasonForAuthor(id, WITHDRAWAL)
        const decision =
          "A moderator withdrew the Post from the public. It stays a draft until a moderator restores it."
        return yield* new PostWithdrawn({ detail: refusalText(decision, reason, contact) })
      })

      /** Surrounds a change of the set of public Posts. The owner's Profile counts them. */
      const updating = (
        id: PostId,
        owner: OwnerId,
        {
          isNews = true,
          labels = []
        }: { readonly isNews?: boolean; readonly labels?: ReadonlyArray<string> } = {}
      ) => {
        const shown = changing([ownerTags.profile(owner), ...labels])
        const updated = isNews ? updatingReaders(id) : updatingReaders.quietly(id)
        return <A, E, R>(write: Effect.Effect<A, E, R>) => shown(updated(write))
      }

      const checkDraft = Effect.fnUntraced(function* (
        post: PostRow
      ): Effect.fn.Return<void, PublicationRefusal | PostWithdrawn> {
        if (post.status === "published") return
        if (post.is_withdrawn) return yield* refuseWithdrawn(post.id)
        yield* checkPublication(post, post)
      })

      /** `check` refuses a draft that is not the one its author saw. `follow` runs in the transaction. */
      const publishing = <E>(
        publisher: PublisherAuthority,
        id: PostId,
        idempotencyKey: string | undefined,
        check: (post: PostRow, at: Date) => Effect.Effect<void, E>,
        follow: (post: PostRow, at: Date) => Effect.Effect<void> = () => Effect.void
      ) =>
        once(
          {
            publisher,
            id,
            scope: "post_publication",
            idempotencyKey,
            answer: PublishResult,
            spent: ({ publishedAt }, row) =>
              row.published_at === publishedAt
                ? undefined
                : "This key published the Post, which was unpublished since: send a new key"
          },
          Effect.fnUntraced(function* (post, at): Effect.fn.Return<
            Decision<PublishResult, AccountRestricted>,
            PublishRefusal | E
          > {
            const { handle, published_at, slug } = post
            const { ownerId } = publisher
            const answer = { id, slug, status: "published", url: `${baseUrl}/@${handle}/${slug}` } as const
            if (published_at !== null) {
              const publishResult = "no_op_already_published"
              return {
                answer: { ...answer, publishResult, stateChanged: false, publishedAt: published_at },
                save: publications.keep
              }
            }
            yield* check(post, at)
            yield* checkDraft(post)
            const html = yield* texts.htmlOf(ownerId, post)
            // The author of a scheduled Post chose its moment. Its date elsewhere does not count.
            const publishedAt = idempotencyKey === undefined ? wireTime(at) : dateOf(post, at)
            // A Post that is old elsewhere is no news here.
            const isFresh = post.was_public || isNews(publishedAt, at)
            return {
              answer: {
                ...answer,
                publishResult: "published",
                stateChanged: true,
                publishedAt
              },
              save: Effect.fnUntraced(function* (claim) {
                const change = publications.publish({ ownerId, post, claim, at, publishedAt }, html)
                // Work of an agent also labels the account, which other Posts show.
                const labels = post.creation_method === "autonomous_agent" ? [ownerTags.labels] : []
                const published = yield* updating(id, ownerId, { isNews: isFresh, labels })(change)
                if (Option.isNone(published)) return false
                if (!published.value.is_current) return yield* new Outdated()
                // The account was restricted since its key was checked.
                if (!published.value.is_counted) return yield* new AccountRestricted()
                if (published.value.is_labelled) yield* authorKinds.changed(ownerId, "agent")
                if (published.value.is_first && isFresh)
                  yield* notices.published({ postId: id, authorId: ownerId, isMailed: post.mail_readers, at })
                const data = { isFirst: published.value.is_first, isScheduled: idempotencyKey === undefined }
                yield* events.record({ ownerId, type: "post.published", subjectId: id, data, at })
                yield* follow(post, at)
                return true
              })
            }
          })
        ).pipe(Effect.withSpan("Publishing.publish"))

      /** `check` refuses a public Post that is not the one its author saw. */
      const unpublishing = <E>(
        publisher: PublisherAuthority,
        id: PostId,
        idempotencyKey: string | undefined,
        check: (post: PostRow) => Effect.Effect<void, E>
      ) =>
        once(
          {
            publisher,
            id,
            scope: "post_unpublication",
            idempotencyKey,
            answer: UnpublishResult,
            spent: (_answer, row) =>
              row.status === "draft"
                ? undefined
                : "This key unpublished the Post, which was published since: send a new key"
          },
          Effect.fnUntraced(function* (post, at): Effect.fn.Return<Decision<UnpublishResult, never>, E> {
            const { ownerId } = publisher
            const answer = { id, slug: post.slug, status: "draft", url: null, publishedAt: null } as const
            if (post.status === "draft") {
              const publishResult = "no_op_already_draft"
              return {
                answer: { ...answer, publishResult, stateChanged: false },
                save: (claim) =>
                  post.is_withdrawn
                    ? current(publications.stayDraft({ ownerId, post, claim, at }))
                    : publications.keep(claim)
              }
            }
            yield* check(post)
            return {
              answer: { ...answer, publishResult: "unpublished", stateChanged: true },
              save: Effect.fnUntraced(function* (claim) {
                const change = current(publications.unpublish({ ownerId, post, claim, at }))
                if (!(yield* updating(post.id, ownerId)(change))) return false
                yield* notices.unpublished([id])
                yield* events.record(unpublishedEvent(post, { ownerId, by: "author", baseUrl, at }))
                return true
              })
            }
          })
        ).pipe(Effect.withSpan("Publishing.unpublish"))

      const hasRevision =
        (revision: string) =>
        ({ updated_at }: PostRow) =>
          isSameMoment(revision, updated_at) ? Effect.void : Effect.fail(new RevisionConflict())

      return Publishing.of({
        publish: (publisher, id, idempotencyKey) =>
          publishing(publisher, id, idempotencyKey, () => Effect.void),
        publishAt: (publisher, id, idempotencyKey, revision) =>
          publishing(publisher, id, idempotencyKey, hasRevision(revision)),
        publishScheduled: (publisher, id, check, follow) =>
          publishing(publisher, id, undefined, check, follow).pipe(
            Effect.map(({ value }) => value),
            // Only a key refuses so.
            Effect.catchTag(["IdempotencyMismatch", "IdempotencyKeySpent"], Effect.die)
          ),
        check: checkDraft,
        missing: Effect.fn("Publishing.missing")(function* ({ ownerId }, id) {
          const row = yield* posts.find(ownerId, id)
          if (Option.isNone(row)) return yield* new NotFound()
          return row.value.status === "published" ? [] : missingOf(row.value, row.value)
        }),
        nextPublication: Effect.fn("Publishing.nextPublication")(function* ({ ownerId }, id) {
          const facts = yield* posts.publicationFacts(ownerId, id)
          if (Option.isNone(facts)) return yield* new NotFound()
          return nextPublicationOf(facts.value, yield* now)
        }),
        unpublish: (publisher, id, idempotencyKey) =>
          unpublishing(publisher, id, idempotencyKey, () => Effect.void),
        unpublishAt: (publisher, id, revision) =>
          unpublishing(publisher, id, undefined, hasRevision(revision))
      })
    })
  )
}

/** Returns false when another request has the key. Fails when the Post has changed. */
const current = Effect.fnUntraced(function* (
  change: Effect.Effect<Option.Option<{ readonly is_current: boolean }>>
) {
  const changed = yield* change
  if (Option.isNone(changed)) return false
  return changed.value.is_current || (yield* new Outdated())
})
