import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Seed } from "./seed.ts"

/** Posts to upload images for, each of another author, with the author's Publishing key. */
export type UploadTargets = ReadonlyArray<{
  readonly key: string
  readonly postId: string
  readonly revision: string
}>

/** Returns one Post of each author with a key. */
export const uploadTargets = Effect.fnUntraced(function* ({ keys }: Seed) {
  const sql = yield* SqlClient.SqlClient
  const byKeyId = new Map(keys.map((key) => [key.split("_")[1], key]))
  const rows = yield* sql<{ readonly keyId: string; readonly postId: string; readonly revision: string }>`
    select distinct on (k.owner_id) k.key_id as "keyId", p.id as "postId", wire_time(p.updated_at) as revision
    from api_keys k join posts p on p.owner_id = k.owner_id order by k.owner_id, p.id`
  return rows.map(({ keyId, postId, revision }) => ({ key: byKeyId.get(keyId) ?? "", postId, revision }))
})

/** Puts off the screening of admitted images until `begin`. */
export const screeningPutOff = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create or replace function bench_put_off() returns trigger language plpgsql as $$
      begin
        if new.owed = 'screening' and old.owed = 'receipt' then new.due_at := new.due_at + interval '1 year'; end if;
        return new;
      end $$`.unprepared
  yield* sql`
    create or replace trigger bench_put_off before update on upload_operations
    for each row execute function bench_put_off()`.unprepared
})

/** Begins to screen: the images that were put off, then each at once. */
export const screeningBegun = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop trigger if exists bench_put_off on upload_operations`.unprepared
  yield* sql`update upload_operations set due_at = received_at where owed = 'screening'`
})

/** Counts operations that wait, that were cleared and that ended otherwise, with the time of the last verdict. */
export const screeningProgress = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly waiting: number
    readonly cleared: number
    readonly lastAt: Date | null
    readonly others: number
  }>`
    select count(*) filter (where state in ('receiving', 'queued', 'checking'))::int4 as waiting,
      count(*) filter (where state = 'cleared')::int4 as cleared,
      count(*) filter (where state not in ('receiving', 'queued', 'checking', 'cleared'))::int4 as others,
      max(decided_at) as "lastAt"
    from upload_operations`
  return row!
})

/** Forgets all uploads, so that every round begins alike. */
export const uploadsForgotten = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate upload_operations, upload_transfers`.unprepared
})
