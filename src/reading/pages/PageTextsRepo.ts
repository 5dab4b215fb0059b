import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { type Claim, leases } from "../../platform/work/lease.ts"
import type { PageText } from "../../publishing/content/html/pageText.ts"
import { comparedColumns, relatedTo } from "../../publishing/discovery/related.sql.ts"
import { OTHERS_MAX } from "./PagesRepo.ts"
import { TEXT_VERSION } from "./storedText.sql.ts"

/** A Post whose text this process renders. An edit ends the lease. */
export const ClaimedText = Schema.Struct({ id: PostId, attempts: Schema.Int })
export type ClaimedText = typeof ClaimedText.Type

/** Texts as HTML and choices of related Posts that are stored for pages: `page_texts`. */
export class PageTextsRepo extends Context.Service<
  PageTextsRepo,
  {
    /** Claims Posts that are due. It reads no text, which could be older than the lease: see the README of the wing. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedText>>
    /**
     * Stores the HTML under its lease, chooses related Posts, and makes both due again at this time. False when the text
     * changed meanwhile.
     */
    readonly store: (lease: ClaimedText, text: PageText, dueAt: Date) => Effect.Effect<boolean>
    /** Ends a lease and makes the text due at this time; false when the lease ended before. */
    readonly release: (lease: ClaimedText, dueAt: Date) => Effect.Effect<boolean>
  }
>()("pennypress/reading/pages/PageTextsRepo") {
  static readonly layer = Layer.effect(
    PageTextsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { changed, many } = statements(sql, "PageTextsRepo")
      const { due, held, leased } = leases(sql, "page_texts")

      // Runs in a transaction, which has a connection to itself: no read waits behind the choice.
      const store = (lease: ClaimedText, { html, words }: PageText, dueAt: Date) => changed("store")`
        with it as materialized (
          select ${sql.literal(comparedColumns)} from posts p where p.id = ${lease.id}
        ), ${sql.literal(relatedTo)}
        update page_texts set version = ${TEXT_VERSION}, html = ${html}, words = ${words},
          related = array(select id from related order by position limit ${sql.literal(String(OTHERS_MAX))}),
          due_at = ${dueAt}
        where ${held(lease)}`

      return PageTextsRepo.of({
        claim: (claim) => many("claim", ClaimedText)`
          with ${due(claim)}
          update page_texts set ${leased(claim)} where id = any(array(select id from due))
          returning id, attempts`,

        store: (lease, text, dueAt) => Effect.orDie(sql.withTransaction(store(lease, text, dueAt))),

        release: (lease, dueAt) => changed("release")`
          update page_texts set due_at = ${dueAt} where ${held(lease)}`
      })
    })
  )
}
