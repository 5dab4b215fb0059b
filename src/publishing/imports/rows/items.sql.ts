import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  ImportItemId,
  type ImportId,
  type OwnerId,
  PostId,
  type ImportItemId as ItemId
} from "../../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import type { ItemOutcome, ReportLine, Severity } from "../../../../schemas/publishing/imports/Item.ts"
import { IMPORT_ITEMS_APPLIED_MAX } from "../../../../schemas/publishing/imports/limits.ts"
import { statements } from "../../../platform/sql/statements.ts"
import {
  itemColumns,
  type ItemContent,
  type ItemMeta,
  ItemRow,
  type LeftDraft,
  type Picture,
  wholeItemColumns,
  WholeItemRow
} from "./itemRow.ts"

/** An item that was read. */
export interface NewItem {
  readonly id: ItemId
  readonly ordinal: number
  readonly sourceKey: string
  readonly outcome: ItemOutcome
  /** The slug that the Post gets. */
  readonly slug: string | null
  /** The slug that the item has in the source. */
  readonly sourceSlug: string | null
  readonly aliases: ReadonlyArray<string>
  readonly meta: ItemMeta
  readonly content: ItemContent
  readonly pictures: ReadonlyArray<Picture>
  readonly report: ReadonlyArray<ReportLine>
  readonly sha256: string
  readonly postId: PostId | null
}

const CountsRow = Schema.Struct({
  outcome: Schema.String,
  items: Schema.Int,
  lost: Schema.Int,
  changed: Schema.Int
})

const PicturesRow = Schema.Struct({ admitted: Schema.Int, failed: Schema.Int })

const SlugRow = Schema.Struct({ slug: Schema.String })

const CountRow = Schema.Struct({ items: Schema.Int })

const ReportRow = Schema.Struct({
  id: ImportItemId,
  ordinal: Schema.Int,
  source_id: Schema.String,
  title: Schema.String,
  report: ItemRow.fields.report
})

const TargetRow = Schema.Struct({
  id: ImportItemId,
  handle: Schema.String,
  slug: Schema.String,
  source_slug: Schema.NullOr(Schema.String),
  aliases: Schema.Array(Schema.String),
  /** True when the item has a Post, or gets one by the request that is under way. */
  is_applied: Schema.Boolean
})

/** An alias begins with the id of its import, so that the index finds those of one import. */
const aliasOf = (id: ImportId, alias: string) => `${id}:${alias}`

/** The place in SQL of the first character after the id, 36 characters, and the colon. */
const ALIAS_AT = 38

/** Items that links of one item may lead to, at most. */
const TARGETS_MAX = 4_000

const RedirectRow = Schema.Struct({
  old_paths: Schema.fromJsonString(Schema.Array(Schema.String)),
  post_id: PostId,
  slug: Schema.String,
  handle: Schema.String,
  is_public: Schema.Boolean
})
export type RedirectRow = typeof RedirectRow.Type

const UndoRow = Schema.Struct({
  id: ImportItemId,
  post_id: PostId,
  revision: Timestamp,
  draft_sha256: WholeItemRow.fields.draft_sha256,
  pictures: ItemRow.fields.pictures
})

/** Items that `apply` takes for `all`. */
interface AllItems {
  readonly withConflicts: boolean
}

const json = (value: unknown) => JSON.stringify(value)

const severitiesOf = (report: ReadonlyArray<ReportLine>): ReadonlyArray<Severity> => [
  ...new Set(report.map(({ severity }) => severity))
]

/** Statements over `import_items`. */
export const itemStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "importItems")
  const columns = sql.literal(itemColumns)
  const whole = sql.literal(wholeItemColumns)

  return {
    /** Returns the number of the first items that are written, without a gap. */
    written: (id: ImportId) => one("written", CountRow)`
      select coalesce(max(ordinal) + 1, 0)::int4 as items from import_items where import_id = ${id}`,

    /** Inserts items; those that are there already stay. */
    insert: (id: ImportId, items: ReadonlyArray<NewItem>) => run("insert")`
      insert into import_items (id, import_id, ordinal, source_key, outcome, slug, source_slug, aliases, meta, content, pictures, report,
        severities, sha256, post_id)
      select it.id, ${id}::uuid, it.ordinal, it.source_key, it.outcome, it.slug, it.source_slug,
        array(select json_array_elements_text(it.aliases)), it.meta, it.content, it.pictures, it.report,
        array(select json_array_elements_text(it.severities)), it.sha256, it.post_id
      from json_to_recordset(${json(
        items.map((it) => ({
          id: it.id,
          ordinal: it.ordinal,
          source_key: it.sourceKey,
          outcome: it.outcome,
          slug: it.slug,
          source_slug: it.sourceSlug,
          aliases: it.aliases.map((alias) => aliasOf(id, alias)),
          meta: it.meta,
          content: it.content,
          pictures: it.pictures,
          report: it.report,
          severities: severitiesOf(it.report),
          sha256: it.sha256,
          post_id: it.postId
        }))
      )}::text::json) as it (id uuid, ordinal integer, source_key text, outcome text, slug text, source_slug text, aliases json, meta json,
        content json, pictures json, report json, severities json, sha256 text, post_id uuid)
      on conflict (import_id, ordinal) do nothing`,

    /** Skips items whose source comes again later in the file: the last one counts. */
    skipEarlier: (id: ImportId, line: ReportLine) => run("skipEarlier")`
      update import_items i set outcome = 'skipped', slug = null, post_id = null,
        report = (${json([line])}::text::jsonb || i.report::jsonb)::json,
        severities = array(select distinct unnest(i.severities || array['stop']))
      where import_id = ${id} and outcome not in ('skipped', 'refused') and exists (
        select from import_items later
        where later.import_id = i.import_id and later.source_key = i.source_key and later.ordinal > i.ordinal
          and later.outcome not in ('skipped', 'refused'))`,

    /** Returns the slugs among these that a Post of the account or an item of the import has. */
    takenSlugs: (owner: OwnerId, id: ImportId, slugs: ReadonlyArray<string>) => many("takenSlugs", SlugRow)`
      select slug from posts where owner_id = ${owner} and slug = any(${slugs}::text[])
      union select slug from import_items where import_id = ${id} and slug = any(${slugs}::text[])`,

    counts: (id: ImportId) => many("counts", CountsRow)`
      select outcome, count(*)::int4 as items,
        count(*) filter (where severities @> array['lost'])::int4 as lost,
        count(*) filter (where severities @> array['changed'])::int4 as changed
      from import_items where import_id = ${id} group by outcome`,

    pictureCounts: (id: ImportId) => one("pictureCounts", PicturesRow)`
      select count(*) filter (where p ->> 'state' = 'admitted')::int4 as admitted,
        count(*) filter (where p ->> 'state' = 'failed')::int4 as failed
      from import_items i, json_array_elements(i.pictures) p
      where i.import_id = ${id} and p ->> 'format' is distinct from 'zip'`,

    /** Returns items after one in the order of the file, with one more than `limit`. */
    slice: (
      id: ImportId,
      it: {
        readonly outcome: ItemOutcome | undefined
        readonly severity: Severity | undefined
        readonly after: number | undefined
        readonly limit: number
      }
    ) => many("slice", ItemRow)`
      select ${columns} from import_items i where i.import_id = ${id}
        and ${it.outcome === undefined ? sql`true` : sql`i.outcome = ${it.outcome}`}
        and ${it.severity === undefined ? sql`true` : sql`i.severities @> array[${it.severity}]::text[]`}
        and i.ordinal > ${it.after ?? -1}
      order by i.ordinal limit ${it.limit + 1}`,

    find: (id: ImportId, item: ItemId) => maybe("find", WholeItemRow)`
      select ${whole} from import_items i where i.import_id = ${id} and i.id = ${item}`,

    /** Returns reports after an item in the order of the file. */
    reports: (id: ImportId, after: number, limit: number) => many("reports", ReportRow)`
      select id, ordinal, meta ->> 'sourceId' as source_id, meta ->> 'title' as title, report::text as report
      from import_items where import_id = ${id} and ordinal > ${after} order by ordinal limit ${limit}`,

    /** Gives the items of a request their task. Returns the number of those that the import has. */
    takeNamed: (id: ImportId, items: ReadonlyArray<ItemId>, task: "apply" | "publish") =>
      one("takeNamed", CountRow)`
      with named as (
          select i.id, i.outcome from import_items i where i.import_id = ${id} and i.id = any(${items}::uuid[])),
        taken as (
          update import_items i set task = ${task}, attempts = 0 from named
          where i.id = named.id and ${
            task === "apply"
              ? sql`(named.outcome not in ('refused', 'skipped', 'unchanged')
                  or named.outcome = 'skipped' and i.report::jsonb @> '[{"code": "deleted_here"}]')`
              : sql`i.post_id is not null`
          } returning i.id)
      select count(*)::int4 as items from named`,

    /** Gives each item that is new, or changed in the source, the task to be applied: the first ones in the file. */
    takeAll: (id: ImportId, { withConflicts }: AllItems) => run("takeAll")`
      update import_items i set task = 'apply', attempts = 0 where i.id in (
        select a.id from import_items a left join public_posts p on p.id = a.post_id
        where a.import_id = ${id} and p.id is null
          and a.outcome = any(${withConflicts ? ["new", "update", "conflict"] : ["new", "update"]}::text[])
        order by a.ordinal limit ${IMPORT_ITEMS_APPLIED_MAX})`,

    tasks: (id: ImportId) => one("tasks", CountRow)`
      select count(*)::int4 as items from import_items where import_id = ${id} and task is not null`,

    /** Takes the tasks off items that a cancelled import leaves. */
    dropTasks: (id: ImportId) => run("dropTasks")`
      update import_items set task = null where import_id = ${id} and task is not null`,

    /** Returns the next item with a task, in the order of the file, and counts an attempt at it. */
    next: (id: ImportId) => maybe("next", WholeItemRow)`
      update import_items i set attempts = i.attempts + 1 from (
        select n.id from import_items n where n.import_id = ${id} and n.task is not null order by n.ordinal limit 1) n
      where i.id = n.id returning ${whole}`,

    /** Forgets the attempts at an item that waits. */
    rest: (item: ItemId) => run("rest")`update import_items set attempts = 0 where id = ${item}`,

    /** Returns the items whose pictures are to be admitted. */
    admitting: (id: ImportId) => many("admitting", WholeItemRow)`
      select ${whole} from import_items i where i.import_id = ${id} and i.task = 'admit'`,

    /** Saves the pictures of an item. */
    savePictures: (item: ItemId, pictures: ReadonlyArray<Picture>) => run("savePictures")`
      update import_items set pictures = ${json(pictures)}::text::json where id = ${item}`,

    /** Saves how the import left the draft of an item by an edit. */
    follow: (item: ItemId, { draft_sha256, revision }: LeftDraft) => run("follow")`
      update import_items set revision = ${revision}::timestamptz, draft_sha256 = ${draft_sha256} where id = ${item}`,

    /** Saves the outcome of a step of an item. Its Post may be deleted meanwhile. */
    settle: (
      item: ItemId,
      it: {
        readonly outcome: ItemOutcome
        readonly task: "admit" | null
        readonly slug: string | null
        readonly pictures: ReadonlyArray<Picture>
        readonly report: ReadonlyArray<ReportLine>
        readonly postId: PostId | null
        readonly left: LeftDraft
      }
    ) => changed("settle")`
      update import_items set outcome = ${it.outcome}, task = ${it.task}, attempts = 0, slug = ${it.slug},
        pictures = ${json(it.pictures)}::text::json, report = ${json(it.report)}::text::json,
        severities = ${severitiesOf(it.report)}::text[],
        post_id = (select id from posts where id = ${it.postId}::uuid for key share),
        revision = ${it.left.revision}::timestamptz, draft_sha256 = ${it.left.draft_sha256}
      where id = ${item}`,

    /** Returns the items that links of an item may lead to: by an old address, or by a slug. */
    targets: (owner: OwnerId, id: ImportId, keys: ReadonlyArray<string>, slugs: ReadonlyArray<string>) =>
      many("targets", TargetRow)`
      select i.id, (select o.handle from owners o where o.id = ${owner}) as handle, coalesce(p.slug, i.slug) as slug, i.source_slug,
        array(select substr(alias, ${ALIAS_AT}::int4) from unnest(i.aliases) alias) as aliases,
        p.id is not null or i.task is not null as is_applied
      from import_items i left join posts p on p.id = i.post_id
      where i.import_id = ${id} and i.outcome not in ('skipped', 'refused') and coalesce(p.slug, i.slug) is not null
        and (i.aliases && ${keys.map((key) => aliasOf(id, key))}::text[] or i.source_slug = any(${slugs}::text[]))
      order by i.ordinal limit ${TARGETS_MAX}`,

    /** Returns the old paths of items that have a Post. */
    redirects: (id: ImportId) => many("redirects", RedirectRow)`
      select i.meta ->> 'oldPaths' as old_paths, p.id as post_id, p.slug, o.handle,
        exists (select from public_posts v where v.id = p.id) as is_public
      from import_items i join posts p on p.id = i.post_id join owners o on o.id = p.owner_id
      where i.import_id = ${id} order by i.ordinal`,

    /** Returns items whose drafts the import made, after one in the order of their ids. */
    made: (id: ImportId, after: ItemId | undefined, limit: number) => many("made", UndoRow)`
      select id, post_id, wire_time(revision) as revision, draft_sha256, pictures::text as pictures from import_items
      where import_id = ${id} and outcome = 'created' and post_id is not null and revision is not null
        and ${after === undefined ? sql`true` : sql`id > ${after}`}
      order by id limit ${limit}`,

    /** Makes an item new again, whose draft was deleted. Pictures from its text are as they were read: only the store has them. */
    undo: (item: ItemId) => run("undo")`
      update import_items set outcome = 'new', task = null, post_id = null, revision = null, draft_sha256 = null,
        pictures = (
          select coalesce(json_agg(p::jsonb || '{"state": "collected", "format": null, "code": null}'), '[]')
          from json_array_elements(pictures) p
          where content #> array['images', p ->> 'index', 'from', 'data'] is not null)
      where id = ${item}`
  }
})
