import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CategoryId, PostId } from "../../../schemas/platform/Ids.ts"
import { authorStatements } from "../../../src/publishing/discovery/authors.sql.ts"
import { relatedStatements } from "../../../src/publishing/discovery/related.sql.ts"
import { searchQueryOf } from "../../../src/publishing/discovery/searchQuery.ts"
import { summaryStatements } from "../../../src/publishing/discovery/summaries.sql.ts"
import { database } from "../../support/Database.ts"
import { postIdOf, seedManyPosts } from "../../support/manyPosts.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"

const POSTS = 20_000
const WORDS_OF_PARAGRAPH = 4

/** Posts that are looked through first, twice where they are too few: once to find out that there are more. */
const FIRST = 2 * 200
const FIRST_BY_FACTS = 2 * 1_000
const NEAR = 2 * 2_000
/** Hits that are sorted, and one more. */
const FEW = 4_001
const TOTAL_MAX = 1_000
/** Matches that are compared for relevance. */
const RANKED = 1_000
/** Posts of a page. */
const SHOWN = 20

layer(database("test_discovery_plans"))("20,000 Posts", (it) => {
  it.effect(
    "A search reads only the Posts that it looks through or sorts, however rare its words and filters are",
    () =>
      Effect.gen(function* () {
        yield* seedManyPosts(POSTS, WORDS_OF_PARAGRAPH)
        const { page, slice } = yield* summaryStatements
        const authors = yield* authorStatements
        const related = yield* relatedStatements
        const first = { page: 1, limit: SHOWN }
        const list = (filter: Parameters<typeof page>[0]) => page(filter, "newest", first)
        const category = CategoryId.make(3)
        const reads: Readonly<Record<string, readonly [Effect.Effect<unknown>, number]>> = {
          "an absent word": [list({ q: "mistyped" }), FIRST],
          "an absent and a common word": [list({ q: "mistyped common" }), FIRST],
          "a rare word": [list({ q: "rare" }), FIRST + 2 * 5],
          "a rare and a common word": [list({ q: "rare common" }), FIRST + 2 * 5],
          "Han letters": [list({ q: "喫茶店" }), FIRST + 2 * 5],
          "a phrase": [list({ q: '"common medium"' }), FIRST_BY_FACTS + POSTS / 50 + SHOWN],
          "a medium word": [list({ q: "medium" }), FIRST + NEAR / 2 + POSTS / 50 + SHOWN],
          "a common word": [list({ q: "common" }), SHOWN + TOTAL_MAX + SHOWN],
          "a common word, from a cursor": [
            slice({ q: "common" }, "newest", { after: undefined, limit: SHOWN }),
            2 * (SHOWN + 1)
          ],
          "a word of old Posts": [list({ q: "former" }), FIRST + FEW + NEAR + POSTS / 4 + SHOWN],
          "a deep page": [page({ q: "common" }, "newest", { page: 50, limit: 20 }), FEW + 1_000 + SHOWN],
          "a rare language": [list({ language: "eo" }), FIRST_BY_FACTS + 2 * 2],
          "an absent language": [list({ language: "xx" }), FIRST_BY_FACTS],
          "a language": [list({ language: "pt" }), FIRST_BY_FACTS + NEAR + POSTS / 100 + SHOWN],
          "the common language": [list({ language: "en" }), 2 * SHOWN + TOTAL_MAX + SHOWN],
          "paid Posts": [list({ access: "paid" }), 10 * SHOWN + TOTAL_MAX + SHOWN],
          "category, kind and access": [
            list({ categoryId: category, authorKind: "agent", access: "paid" }),
            FIRST_BY_FACTS + POSTS / 250
          ],
          "a rare category and access": [
            list({ categoryId: CategoryId.make(30), access: "free" }),
            FIRST_BY_FACTS + 2 * 4
          ],
          "a category by reactions": [
            page({ categoryId: category }, "most_reacted", first),
            FIRST_BY_FACTS / 2 + SHOWN
          ],
          "agents by purchases": [page({ authorKind: "agent" }, "most_purchased", first), 1_000 + SHOWN],
          "a common word by reactions": [
            page({ q: "common" }, "most_reacted", first),
            FIRST / 2 + TOTAL_MAX + SHOWN
          ],
          "a common word of an author": [list({ q: "common", handle: "author_7" }), 3 * 10],
          "an author by reactions": [
            page({ handle: "author_7" }, "most_reacted", first),
            FIRST_BY_FACTS + 2 * 10
          ],
          "an absent word by relevance": [page({ q: "mistyped" }, "relevance", first), FIRST],
          "a rare word by relevance": [page({ q: "rare" }, "relevance", first), FIRST + 5 * 5 + SHOWN],
          "a medium word by relevance": [
            page({ q: "medium" }, "relevance", first),
            FIRST + (3 * POSTS) / 50 + SHOWN
          ],
          "a common word by relevance": [
            page({ q: "common" }, "relevance", first),
            FIRST + NEAR + 3 * RANKED + SHOWN
          ],
          "a word of old Posts by relevance": [
            page({ q: "former" }, "relevance", first),
            FIRST + FEW + NEAR + POSTS / 4 + 2 * RANKED + SHOWN
          ],
          "a common word of an author by relevance": [
            page({ q: "common", handle: "author_7" }, "relevance", first),
            5 * 10 + SHOWN
          ],
          "related Posts": [related.to(PostId.make(postIdOf(900)), 4), 2_500]
        }
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          for (const [name, [read, most]] of Object.entries(reads)) {
            const nodes = (yield* planNodes(mode, read)).filter((node) => node["Actual Loops"] > 0)
            const whole = wholeTables(nodes).filter((table) => table?.match(/^(posts|owners|post_)/))
            assert.deepStrictEqual(whole, [], `${name} ${mode}`)
            assert.isAtMost(rowsRead(nodes, "posts"), most, `${name} ${mode}`)
          }
          for (const text of ["smith", "mistyped", "author_7", "bababar"]) {
            const nodes = yield* planNodes(mode, authors.matching(searchQueryOf(text) ?? "", text))
            assert.include(
              nodes.map((node) => node["Index Name"]),
              "owners_words",
              `${text} ${mode}`
            )
            assert.isAtMost(rowsRead(nodes, "owners"), 1_001, `${text} ${mode}`)
          }
        }
      }),
    120_000
  )
})
