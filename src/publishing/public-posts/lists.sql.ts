import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { asSearch } from "../../platform/sql/asSearch.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import { summaryColumns, type SummaryRow } from "../discovery/summary.ts"
import { joinPicture, pictureColumns, type PictureRow } from "./pictures.sql.ts"
import { allBytes } from "./sectionBytes.sql.ts"

/**
 * Maximum number of newest Posts of a period that are compared, so that the cost does not grow with the number of
 * Posts.
 */
const COMPARED = 500

/** Maximum number of Posts in each part of the home page. */
const HOME_NEWEST = 12
const HOME_FEW = 4

/** Maximum number of languages that are read. Authors can make up others. */
const LANGUAGES_MAX = 200

/** A Post of the home page, and its part. */
export interface HomeRow extends SummaryRow, PictureRow {
  readonly part: "newest" | "agents" | "reacted"
  readonly bytes: number
}

/** Statements that read the lists of pages that the API does not have. */
export const listStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const number = (value: number) => sql.literal(String(value))

  // Limits are written out, and each Post, author and count is one look at an index: the plan is the same for any values.
  const home = prepared<HomeRow>(sql)(
    ["reacted"],
    ({ reacted }) => sql`
      select chosen.part, ${sql.literal(summaryColumns)}, ${sql.literal(allBytes)}::integer as bytes, ${sql.literal(pictureColumns)}
      from (
        (select 'newest' as part, id, row_number() over (order by published_at desc, id desc) as position
          from public_posts order by published_at desc, id desc limit ${number(HOME_NEWEST)})
        union all
        (select 'agents', post_id, row_number() over (order by published_at desc, post_id desc)
          from post_author_kinds where author_kind = 'agent'
          order by published_at desc, post_id desc limit ${number(HOME_FEW)})
        union all
        (select 'reacted', id, position from unnest(${reacted}::uuid[]) with ordinality as other (id, position)
          limit ${number(HOME_FEW)})) chosen
      cross join lateral (select * from public_posts where public_posts.id = chosen.id offset 0) p
      cross join lateral (select * from owners where owners.id = p.owner_id offset 0) o
      cross join lateral (select * from post_counts where post_id = p.id offset 0) n
      ${sql.literal(joinPicture)}
      order by chosen.part, chosen.position`
  )

  const mostReacted = prepared<{ readonly id: PostId }>(sql)(
    ["since"],
    ({ since }) => sql`
      select recent.id from (
        select id, published_at from public_posts where published_at > ${since}
        order by published_at desc, id desc limit ${number(COMPARED)}) recent
      cross join lateral (select * from post_counts where post_id = recent.id offset 0) c
      where c.reactions > 0 order by c.reactions desc, recent.published_at desc limit ${number(HOME_FEW)}`
  )

  // One look at an index for each language.
  const language = sql.literal("split_part(lower(language), '-', 1)")
  const next = sql`order by ${language} limit 1`
  const languages = sql<{ readonly tag: string }>`
    with recursive tags as (
      (select ${language} as tag from public_posts ${next}) union all
      select (select ${language} from public_posts where ${language} > tags.tag ${next}) from tags where tags.tag is not null)
    select tag from tags where tag is not null limit ${number(LANGUAGES_MAX)}`

  return {
    /** Returns the languages in which there are Posts, without their regions. */
    languages: Effect.orDie(asSearch(Effect.map(languages, (rows) => rows.map(({ tag }) => tag)))),

    /** Returns the Posts of the home page in the order of each part: the newest, those of agents, and these four. */
    home: (reacted: ReadonlyArray<PostId>) => Effect.orDie(home({ reacted })),

    /** Returns the Posts since a moment with most reactions, without those that have none. */
    mostReacted: (since: Date) =>
      Effect.orDie(Effect.map(mostReacted({ since }), (rows) => rows.map(({ id }) => id)))
  }
})
