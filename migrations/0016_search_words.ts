import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Bounds what the search of Posts costs. PostgreSQL's parser looks for hosts, addresses, paths, tags and hyphenated
 * words, and takes the square or cube of a text's length to find that `a_a_…` or `x@1x@1…` is none of them. A text
 * without joiners is indexed in linear time.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `replace` costs a tenth of `translate`. A query separates its words the same way (searchQuery.ts).
  yield* sql`
    create function search_words(text text) returns text language sql immutable strict parallel safe
    return regexp_replace(
      replace(replace(replace(replace(replace(replace(left(text, 100000),
        '_', ' '), '-', ' '), '.', ' '), '/', ' '), '@', ' '), '<', ' '),
      '([[:alnum:]]{64})[[:alnum:]]+', '\\1', 'g')
  `
  // Replaced at once and under its name, which the version still running reads: kept beside the new one, the former
  // column would go on costing each write the square of its text. The table is rewritten, at about a millisecond a Post.
  yield* sql`
    alter table posts
      drop column search,
      add column search tsvector generated always as (
        setweight(to_tsvector('english', search_words(title)), 'A') ||
        setweight(to_tsvector('english', search_words(description)), 'B') ||
        setweight(to_tsvector('english', search_words(
          case when enable_paywall then coalesce(free_content_markdown, '')
               else coalesce(free_content_markdown, '') || ' ' || coalesce(paid_content_markdown, '') end)), 'C')
      ) stored
  `
  // Every search reads the list of entries that are not in the index yet, so it is kept short.
  yield* sql`
    create index posts_search on posts using gin (search) with (gin_pending_list_limit = 256)
    where status = 'published'
  `
})
