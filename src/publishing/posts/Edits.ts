import { Context, Effect, Layer, Option } from "effect"
import { NotFoundProblem, RevisionConflict } from "../../../schemas/platform/errors/common.ts"
import type { ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { SlugTaken } from "../../../schemas/publishing/posts/errors.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import type { JsonText } from "../../platform/sql/JsonText.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { isSameMoment } from "../../platform/time/isSameMoment.ts"
import { now } from "../../platform/time/now.ts"
import { type AttachmentRefusal, attachmentRefusal } from "./attachments.ts"
import { LongWrites } from "./LongWrites.ts"
import type { PostRow } from "./postRow.ts"
import { type PostChange, PostsRepo } from "./PostsRepo.ts"
import { type PublicationRefusal, Publications } from "./Publications.ts"
import { refusedBy } from "./refused.ts"
import { type WantedSlug, withFreeSlug } from "./slug.ts"

/** Why an edit was not saved, whatever was edited. */
export type EditRefusal =
  | ValidationProblem
  | RevisionConflict
  | SlugTaken
  | AttachmentRefusal
  | PublicationRefusal

/** What every edit of a Post has in common: where it begins, and what is checked and changed when it is saved. */
export class Edits extends Context.Service<
  Edits,
  {
    /** The Post that an edit begins with, when it has `revision` or none is required (specification 4.3.9). */
    readonly begin: (
      publisher: PublisherAuthority,
      id: PostId,
      revision: string | undefined
    ) => Effect.Effect<PostRow, NotFoundProblem | RevisionConflict>
    /**
     * Saves what a Post becomes, with all that follows when it is public; a slug that is undefined stays. Fails with
     * `RevisionConflict` when another edit was saved since this one began.
     */
    readonly save: (
      publisher: PublisherAuthority,
      begun: PostRow,
      slug: WantedSlug | undefined,
      edited: Pick<PostChange, "content" | "native">
    ) => Effect.Effect<JsonText<Post>, EditRefusal>
  }
>()("pennypress/publishing/posts/Edits") {
  static readonly layer = Layer.effect(
    Edits,
    Effect.gen(function* () {
      const repo = yield* PostsRepo
      const longWrites = yield* LongWrites
      const publications = yield* Publications
      const transactions = yield* Transactions

      const refused = refusedBy(repo.unknownCategories)

      const begin = Effect.fnUntraced(function* (
        publisher: PublisherAuthority,
        id: PostId,
        revision: string | undefined
      ) {
        const row = yield* repo.find(publisher.ownerId, id)
        if (Option.isNone(row)) return yield* new NotFoundProblem({})
        if (revision !== undefined && !isSameMoment(revision, row.value.updated_at))
          return yield* new RevisionConflict({})
        return row.value
      })

      const save = Effect.fnUntraced(function* (
        publisher: PublisherAuthority,
        begun: PostRow,
        wanted: WantedSlug | undefined,
        edited: Pick<PostChange, "content" | "native">
      ) {
        const { content } = edited
        const refusal = begun.has_attachments ? attachmentRefusal(content) : undefined
        if (refusal !== undefined) return yield* refusal
        const isPublic = begun.status === "published"
        if (isPublic) yield* publications.check(content, begun)
        const { id, updated_at: revision } = begun
        const change = { ...edited, id, ownerId: publisher.ownerId, revision, at: yield* now }
        const saved = yield* withFreeSlug(wanted, id, (slug, tried) =>
          repo.update({ ...change, slug, tried })
        ).pipe(
          Effect.tap((post) =>
            isPublic && Option.isSome(post) ? publications.edited(publisher, begun, content) : Effect.void
          ),
          (write) => longWrites.inTurn(content, isPublic ? transactions.run(write) : write),
          Effect.catch((refusal) => refused(refusal, content))
        )
        // Somebody else was faster: what this edit was computed from is no more.
        if (Option.isNone(saved)) return yield* new RevisionConflict({})
        return saved.value
      })

      return Edits.of({ begin, save })
    })
  )
}
