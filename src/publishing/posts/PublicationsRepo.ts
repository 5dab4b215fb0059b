import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { CategoryId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"

/** The categories of a public Post, or of none. */
export interface PostCategories {
  readonly primary_category_id: CategoryId | null
  readonly secondary_category_id: CategoryId | null
}

const deltas = (removed: PostCategories | undefined, added: PostCategories | undefined) => {
  const byId = new Map<CategoryId, { primary: number; secondary: number }>()
  const add = (id: CategoryId | null, primary: number, secondary: number) => {
    if (id === null) return
    const delta = byId.get(id) ?? { primary: 0, secondary: 0 }
    byId.set(id, { primary: delta.primary + primary, secondary: delta.secondary + secondary })
  }
  if (removed !== undefined) {
    add(removed.primary_category_id, -1, 0)
    add(removed.secondary_category_id, 0, -1)
  }
  if (added !== undefined) {
    add(added.primary_category_id, 1, 0)
    add(added.secondary_category_id, 0, 1)
  }
  return [...byId]
    .filter(([, { primary, secondary }]) => primary !== 0 || secondary !== 0)
    .toSorted(([a], [b]) => a - b)
}

/** What changes when a Post becomes public or a draft: itself, and beside it the counters that lists show. */
export class PublicationsRepo extends Context.Service<
  PublicationsRepo,
  {
    /** Makes a locked draft public, and answers since when. */
    readonly publish: (id: PostId, at: Date) => Effect.Effect<Timestamp>
    /** Makes a locked public Post a draft. */
    readonly unpublish: (id: PostId, at: Date) => Effect.Effect<void>
    /** Counts a Post among its owner's public ones; `isAgentWork` labels the account (specification 3.4b). */
    readonly addToOwner: (owner: OwnerId, isAgentWork: boolean) => Effect.Effect<void>
    /** Counts it no more, and takes it off the Profile when it is pinned there. */
    readonly removeFromOwner: (owner: OwnerId, id: PostId) => Effect.Effect<void>
    /** Moves a public Post from the counts of some categories to those of others. */
    readonly moveCategories: (
      from: PostCategories | undefined,
      to: PostCategories | undefined
    ) => Effect.Effect<void>
  }
>()("pennypress/publishing/posts/PublicationsRepo") {
  static readonly layer = Layer.effect(
    PublicationsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      return PublicationsRepo.of({
        publish: Effect.fn("PublicationsRepo.publish")(function* (id, at) {
          const rows = yield* sql<{ readonly published_at: Timestamp }>`
            update posts set status = 'published', published_at = ${at},
              updated_at = greatest(${at}::timestamptz, updated_at + interval '1 microsecond')
            where id = ${id} returning wire_time(published_at) as published_at`
          return Option.getOrThrow(Option.fromUndefinedOr(rows[0])).published_at
        }, Effect.orDie),

        unpublish: Effect.fn("PublicationsRepo.unpublish")(function* (id, at) {
          yield* sql`
            update posts set status = 'draft', published_at = null,
              updated_at = greatest(${at}::timestamptz, updated_at + interval '1 microsecond')
            where id = ${id}`
        }, Effect.orDie),

        addToOwner: Effect.fn("PublicationsRepo.addToOwner")(
          (owner, isAgentWork) => sql`
            update owners set published_post_count = published_post_count + 1,
              author_kind = case when ${isAgentWork}::boolean then 'agent' else author_kind end
            where id = ${owner}`,
          Effect.asVoid,
          Effect.orDie
        ),

        removeFromOwner: Effect.fn("PublicationsRepo.removeFromOwner")(
          (owner, id) => sql`
            update owners set published_post_count = published_post_count - 1,
              pinned_post_id = nullif(pinned_post_id, ${id}::uuid)
            where id = ${owner}`,
          Effect.asVoid,
          Effect.orDie
        ),

        // One row after the other, in the order of their ids, so that two writes never wait for each other. To lock several
        // rows and then change them in one statement is no such order: it can go back to a version that another waits at.
        moveCategories: Effect.fn("PublicationsRepo.moveCategories")(function* (from, to) {
          for (const [id, { primary, secondary }] of deltas(from, to)) {
            yield* sql`
              update categories set
                primary_post_count = primary_post_count + ${primary}, secondary_post_count = secondary_post_count + ${secondary}
              where id = ${id}`
          }
        }, Effect.orDie)
      })
    })
  )
}
