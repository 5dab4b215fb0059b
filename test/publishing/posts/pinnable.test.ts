import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { ownPostStatements } from "../../../src/publishing/posts/ownPosts.sql.ts"
import { insertOwner } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"

const POSTS = 6_000
const AUTHORS = 20

layer(database("test_web_profile_plans"))("6,000 posts of 20 authors", (it) => {
  it.effect("The posts that an author can pin are read by an index, a hundred of them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const authors = yield* Effect.forEach(Array.from({ length: AUTHORS }), (_, n) =>
        insertOwner(n + 1, { handle: `author_${n}` })
      )
      const author = OwnerId.make(authors[0] ?? "")
      yield* sql`
        insert into posts (id, owner_id, status, title, description, free_content_markdown, enable_paywall,
          primary_category_id, slug, language, comments_enabled, creation_method, creation_attested, created_at, updated_at,
          published_at)
        select gen_random_uuid(), (${authors}::uuid[])[1 + n % ${AUTHORS}::integer],
          'published', 'Post ' || n, '', 'Some words.', false, 1, 'post-' || n, 'en', true,
          'human_written', true, at, at, at
        from generate_series(1, ${POSTS}::integer) n, lateral (select timestamptz 'epoch' + n * interval '1 minute' as at) t`
      for (const table of ["posts", "owners"]) yield* sql`analyze ${sql(table)}`.unprepared
      const { pinnable } = yield* ownPostStatements
      const newest = yield* pinnable(author)
      assert.deepStrictEqual([newest.length, newest[0]?.title], [100, `Post ${POSTS}`])
      for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
        const nodes = yield* planNodes(mode, pinnable(author))
        assert.notInclude(wholeTables(nodes), "posts", mode)
        assert.isAtMost(rowsRead(nodes, "posts"), 100, mode)
      }
    })
  )
})
