import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { COUNTS, type Count, HASHES_MAX } from "./Tallies.ts"

const KeyRow = Schema.Struct({ key: Schema.Uint8Array })

/** The tally of a Post and day, to be added. */
export type ReadsToAdd = Readonly<Record<Count, number>> & {
  readonly post_id: string
  readonly day: string
  /** The account that reads, or the SHA-256 of its browser's token in hex. */
  readonly owner_id: string | null
  readonly browser: string | null
  readonly sources: Readonly<Record<string, number>>
  readonly visitors: ReadonlyArray<number>
}

/** Rows that one sweep adds to their months. */
const MONTHLY_MAX = 1_000

const listed = (columnOf: (count: Count) => string) => COUNTS.map(columnOf).join(", ")

/** Statements over `post_reads` and their totals, and over the keys and hashes of visitors, which last a day. */
export const readStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, one, run } = statements(sql, "reads")
  const counts = sql.literal(listed((it) => it))
  const sums = sql.literal(listed((it) => `sum(${it})`))
  const typed = sql.literal(listed((it) => `${it} integer`))
  const added = sql.literal(listed((it) => `${it} = r.${it} + excluded.${it}`))
  const max = sql.literal(String(HASHES_MAX))

  return {
    /**
     * Adds reads, except for those of the author. From `HASHES_MAX` visitors on, their number is estimated from the largest of
     * the least hashes, whose range is 48 bits. Rows are written in one order, so that processes wait for each other and
     * never block each other.
     */
    add: (reads: ReadonlyArray<ReadsToAdd>) => run("add")`
      with sent as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(reads)}::jsonb)
          as t (post_id uuid, day date, owner_id uuid, browser text, ${typed}, sources jsonb, visitors bigint[])
      ), counted as materialized (
        select p.id as post_id, p.owner_id, t.day, ${counts}, t.sources, t.visitors
        from sent t join posts p on p.id = t.post_id
        where p.owner_id is distinct from coalesce(t.owner_id, (
          select s.owner_id from browser_sessions b join sessions s on s.id = b.session_id
          where b.token_hash = decode(t.browser, 'hex')))
      ), sketched as (
        insert into post_visitors as v (post_id, day, hashes)
        select post_id, day, (array_agg(distinct hash order by hash))[1:${max}]
        from counted, unnest(visitors) hash group by post_id, day order by post_id, day
        on conflict (day, post_id) do update set hashes = (
          select (array_agg(distinct hash order by hash))[1:${max}] from unnest(v.hashes || excluded.hashes) hash)
        returning post_id, day, case when cardinality(hashes) < ${max} then cardinality(hashes)
          else round((${max} - 1) * 2 ^ 48 / hashes[${max}])::integer end as visitors
      ), totalled as (
        insert into post_read_totals as t (post_id, owner_id, reads, walls)
        select post_id, owner_id, sum(people + agents), sum(people_walls + agent_walls)
        from counted group by post_id, owner_id order by post_id
        on conflict (post_id) do update set reads = t.reads + excluded.reads, walls = t.walls + excluded.walls
      )
      insert into post_reads as r (post_id, day, owner_id, ${counts}, visitors, sources)
      select c.post_id, c.day, c.owner_id, ${sums}, coalesce(max(s.visitors), 0),
        merged_sources(variadic array_agg(c.sources))
      from counted c left join sketched s using (post_id, day)
      group by c.post_id, c.day, c.owner_id order by c.post_id, c.day
      on conflict (post_id, day, is_month) do update set ${added},
        visitors = greatest(r.visitors, excluded.visitors), sources = merged_sources(r.sources, excluded.sources)`,

    /** Returns the key of a day, which all processes share. Saves this one if the day has none. */
    keyOf: (day: string, key: Uint8Array) =>
      Effect.map(
        one("keyOf", KeyRow)`
          insert into visitor_keys (day, key) values (${day}::date, ${key})
          on conflict (day) do update set day = excluded.day returning key`,
        (row) => row.key
      ),

    /** Deletes the keys of earlier days, and the hashes of days that ended before a day. */
    forgetVisitors: (today: string, day: string) => run("forgetVisitors")`
      with ended as (delete from visitor_keys where day < ${today}::date)
      delete from post_visitors where day < ${day}::date`,

    /** Erases what an author knows of their readers. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      with days as (
        delete from post_reads where ctid = any(array(
          select ctid from post_reads where owner_id = ${owner} limit ${limit})) returning post_id
      ), totals as (
        delete from post_read_totals where ctid = any(array(
          select ctid from post_read_totals where owner_id = ${owner} limit ${limit})) returning post_id
      )
      select from days union all select from totals`,

    /** Adds some rows of days before this one to their months. */
    addToMonths: (before: string) => run("addToMonths")`
      with days as (
        delete from post_reads where not is_month and (post_id, day) in (
          select post_id, day from post_reads where not is_month and day < ${before}::date
          order by day limit ${sql.literal(String(MONTHLY_MAX))} for update skip locked)
        returning *
      )
      insert into post_reads as r (post_id, day, is_month, owner_id, ${counts}, visitors, sources)
      select post_id, date_trunc('month', day)::date, true, owner_id, ${sums}, sum(visitors),
        merged_sources(variadic array_agg(sources))
      from days group by post_id, date_trunc('month', day)::date, owner_id order by post_id, date_trunc('month', day)::date
      on conflict (post_id, day, is_month) do update set ${added}, visitors = r.visitors + excluded.visitors,
        sources = merged_sources(r.sources, excluded.sources)`
  }
})

/** Erases reads of accounts that are deleted. */
export const readErasure = Effect.map(readStatements, ({ eraseSome }) => ({ eraseSome }))
