import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { succeeding } from "../../support/derivedClient.ts"
import { service } from "../../support/TestClient.ts"

layer(service(database("test_discovery_titles")))("a search whose words many titles have", (it) => {
  it.effect(
    "A title that matches the filter comes first, behind more than 1,000 newer titles that do not",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* (yield* authorOf(1)).published({ title: "Kestrel", language: "eo" })
        // Of each pair, one has the word in its title and another language, and one in its description and this one.
        yield* sql`
        insert into posts (id, owner_id, status, title, description, enable_paywall, primary_category_id, slug, language,
          comments_enabled, creation_method, creation_attested, created_at, updated_at, published_at)
        select gen_random_uuid(), owner_id, status, case when n % 2 = 0 then 'Kestrel ' || n else 'Bird ' || n end,
          'About a kestrel', false, primary_category_id, 'bird-' || n, case when n % 2 = 0 then 'en' else 'eo' end, true,
          creation_method, true, created_at, updated_at, published_at + n * interval '1 second'
        from posts, generate_series(1, 2100) n where id = ${id}`
        yield* sql`insert into post_counts (post_id) select id from posts on conflict do nothing`
        const succeed = yield* succeeding()
        const titles = (query: object) =>
          Effect.map(
            succeed(({ discovery }) =>
              discovery.posts({ query: { q: "kestrel", sort: "relevance", ...query } })
            ),
            ({ data }) => data.map(({ title }) => title).slice(0, 2)
          )
        assert.deepStrictEqual(yield* titles({ language: "eo" }), ["Kestrel", "Bird 2099"])
        assert.deepStrictEqual(yield* titles({}), ["Kestrel 2100", "Kestrel 2098"])
      })
  )
})
