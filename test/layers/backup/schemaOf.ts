import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Everything about the tables of a database but their rows, as PostgreSQL describes it. */
export const schemaOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const relations = yield* sql`
    select relname, relkind, relpersistence, reloptions from pg_class
    where relnamespace = 'public'::regnamespace order by relname`
  const columns = yield* sql`
    select attrelid::regclass::text as relation, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
      attgenerated, attstorage, (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = attrelid and adnum = attnum)
    from pg_attribute join pg_class c on c.oid = attrelid
    where relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped and relkind = 'r'
    order by relation, attnum`
  const indexes = yield* sql`
    select pg_get_indexdef(indexrelid) as index, indisunique, indisprimary, indisvalid, indisready, indislive, indimmediate,
      indisclustered, indisreplident
    from pg_index join pg_class c on c.oid = indexrelid where relnamespace = 'public'::regnamespace order by index`
  const constraints = yield* sql`
    select conrelid::regclass::text as relation, conname, contype, pg_get_constraintdef(oid), convalidated, condeferrable,
      condeferred, connoinherit
    from pg_constraint where connamespace = 'public'::regnamespace order by relation, conname`
  // The triggers of foreign keys are among them. Their names are numbers.
  const triggers = yield* sql`
    select tgrelid::regclass::text as relation, case when tgisinternal then '' else pg_get_triggerdef(oid) end as trigger,
      tgfoid::regproc::text as function, tgenabled
    from pg_trigger order by relation, trigger, function`
  const sequences = yield* sql`
    select sequencename, data_type::text, start_value, min_value, max_value, increment_by, cycle, cache_size
    from pg_sequences where schemaname = 'public' order by sequencename`
  return { relations, columns, indexes, constraints, triggers, sequences }
})
