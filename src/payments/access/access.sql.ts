import { Effect, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type AccessVersion, PostAttachments } from "../../../schemas/payments/access/Access.ts"
import type { OwnerId, PostId, SettlementId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { fileState, isOnPost } from "../../publishing/posts/fileForSale.sql.ts"
import { hasFile } from "../settlement/soldVersion.sql.ts"
import { AccessRow, accessRowOf, UnentitledRow } from "./accessRow.ts"

/** Everything that a caller presents for a read. */
export interface Shown {
  readonly ownerId: OwnerId | null
  readonly receiptHash: Uint8Array | null
  /** The hash of a payment's quote, which finds the settlement of the quote. */
  readonly quoteHash: Uint8Array | null
  /** The settled payment by which the caller reads: that of this request, or of a proven wallet. */
  readonly settlementId: SettlementId | null
  /** Undefined for a caller who leaves it to us. */
  readonly version: AccessVersion | undefined
  /** The file for which the Post is read. */
  readonly fileId: UploadOperationId | null
}

/**
 * Every way in which a caller may have got the Post: a purchase, or a gift whose access has not ended. `given_at` is the
 * time at which a gift was redeemed.
 */
const waysOf = (sql: SqlClient.SqlClient, postId: PostId, shown: Shown): Statement.Fragment => sql`
  select 1 as place, 'purchase' as via, b.settlement_id, null::timestamptz as given_at from purchases b
  where b.post_id = ${postId} and b.buyer_id = ${shown.ownerId}::uuid
  union all
  select 2, 'purchase', b.settlement_id, null from purchases b join owners o on o.wallet_public_key = b.payer_key
  where b.post_id = ${postId} and o.id = ${shown.ownerId}::uuid
  union all
  select 3, case when r.purchase_id is null then 'gift' else 'receipt' end, b.settlement_id, g.created_at
  from access_receipts r left join purchases b on b.id = r.purchase_id
  left join gift_redemptions g on g.id = r.redemption_id left join gifts f on f.id = g.gift_id
  where r.token_hash = ${shown.receiptHash}::bytea and r.post_id = ${postId} and r.revoked_at is null
    and f.access_ended_at is null
  union all
  select 4, 'payment', s.id, null from settlements s
  where s.quote_hash = ${shown.quoteHash}::bytea and s.post_id = ${postId} and s.kind = 'purchase' and s.state = 'settled'
  union all
  select 5, 'payment', s.id, null from settlements s
  where s.id = ${shown.settlementId}::uuid and s.post_id = ${postId} and s.kind = 'purchase' and s.state = 'settled'
  union all
  select 6, 'gift', null, g.created_at from gift_redemptions g join gifts f on f.id = g.gift_id
  where g.post_id = ${postId} and g.reader_id = ${shown.ownerId}::uuid and f.access_ended_at is null`

/**
 * Selects a settlement that is under way, for the quote of the request or for its owner. A lapsed one may still settle.
 */
const pendingOf = (sql: SqlClient.SqlClient, postId: PostId, whose: Statement.Fragment) => sql`(
  select s.id from settlements s
  where s.post_id = ${postId} and s.kind = 'purchase' and s.state in ('settling', 'lapsed') and ${whose}
  order by s.id limit 1)`

/** Selects the first way: purchases before gifts, because only a buyer may read the text that was sold. */
const paidOf = (sql: SqlClient.SqlClient, way: string) => sql`
  select case when s.id is not null then json_build_object('purchase_id', b.id, 'block_hash', encode(s.block_hash, 'hex'),
    'payer_key', encode(s.payer_key, 'hex'), 'amount_raw', s.amount_raw::text) end as paid,
    ways.via, s.version_sha256
  from ways left join settlements s on s.id = ways.settlement_id left join purchases b on b.settlement_id = s.id
  where ${sql.literal(way)} order by ways.settlement_id is null, ways.place limit 1`

/** The file for which the Post is read, when the caller bought a version with it, or redeemed a gift while it was on the Post. */
const isKept = (sql: SqlClient.SqlClient, { fileId }: Shown) => sql`f.id = ${fileId}::uuid and exists (
  select from ways left join settlements s on s.id = ways.settlement_id
    left join sold_versions v on v.post_id = s.post_id and v.sha256 = s.version_sha256
  where ${hasFile(sql)} or (ways.given_at >= f.created_at and ways.given_at < f.removed_at))`

/** Selects the list of the files `f` that a condition names, in the order in which they were attached. */
const filesWhere = (sql: SqlClient.SqlClient, condition: Statement.Fragment, digest = sql``) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'fileName', f.file_name, 'byteSize', f.byte_size${digest},
    'state', ${fileState(sql)}) order by f.created_at, f.id), '[]'::jsonb)
  from post_attachments f where ${condition})`

const showsNothing = ({ fileId, ownerId, quoteHash, receiptHash, settlementId }: Shown) =>
  [fileId, ownerId, quoteHash, receiptHash, settlementId].every((it) => it === null)

/** Statements that read Posts for callers who may read them. A buyer also reads one that is no longer in `public_posts`. */
export const accessStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "access")
  /** Readers compare a download with its digest. */
  const digest = sql`, 'sha256', encode(f.sha256, 'hex')`

  /**
   * Reads a Post for a caller who presents nothing: only free content, in less time than a check of all ways takes.
   */
  const unentitled = (postId: PostId) => maybe("unentitled", UnentitledRow)`
    select a.id, a.owner_id, a.slug, a.handle, a.title, a.is_public, a.enable_paywall, a.price_raw::text as price_raw,
      a.payout_address, a.is_free, encode(a.version_sha256, 'hex') as current_sha256,
      case when a.is_free then a.free_content_markdown end as free_text,
      case when a.is_free then a.paid_content_markdown end as paid_text,
      case when a.is_free then ${filesWhere(sql, sql`f.post_id = a.id and f.removed_at is null`, digest)} else '[]'::jsonb end as files
    from (
      select p.*, o.handle, o.payout_address, v.id is not null as is_public,
        v.id is not null and not p.enable_paywall as is_free
      from posts p join owners o on o.id = p.owner_id left join public_posts v on v.id = p.id
      where p.id = ${postId}) a`

  return {
    /** Returns the files of a public Post; none for any other Post. */
    files: (postId: PostId) => maybe("files", PostAttachments)`
      select ${filesWhere(sql, sql`f.post_id = p.id and f.removed_at is null and f.state <> 'receiving'`)} as data
      from public_posts p where p.id = ${postId}`,

    /**
     * Decides what entitles the caller and reads the text, in one statement. If the Post changes in between, a
     * row has the paid text only if something entitles the caller to it (spec 4.8).
     */
    read: (postId: PostId, shown: Shown) => {
      if (showsNothing(shown)) return Effect.map(unentitled(postId), Option.map(accessRowOf))
      const version = sql`${shown.version ?? "default"}::text`
      return maybe("read", AccessRow)`
      with ways as (${waysOf(sql, postId, shown)}),
      asked as (
        select p.*, o.handle, o.payout_address,
          exists (select from public_posts where public_posts.id = p.id) as is_public,
          way.via as way_via, way.paid as purchase, way.version_sha256 as sold_sha256, proof.paid,
          coalesce(p.kept_sha256, p.version_sha256) as current_sha256,
          p.paid_content_markdown is not null or exists (
            select from sold_versions k
            where k.post_id = p.id and k.sha256 = p.kept_sha256 and k.paid_content_markdown is not null) as has_text
        from posts p join owners o on o.id = p.owner_id
        left join (${paidOf(sql, "true")}) way on true
        left join (${paidOf(sql, "ways.place in (4, 5)")}) proof on true
        where p.id = ${postId}
      ),
      entitled as (
        -- The answer to a payment has what was paid for, even if the Post has changed.
        -- Once the account of its author is deleted, a Post has the text of the version that stays for its readers.
        select a.*, case
          when a.sold_sha256 is not null and (${version} = 'purchased' or not a.has_text
            or (${version} = 'default' and a.paid is not null and a.sold_sha256 <> a.current_sha256)) then a.sold_sha256
          when a.way_via is not null then a.kept_sha256 end as text_sha256
        from asked a
      ),
      decided as (
        select e.*, case
          when e.text_sha256 is not null then e.way_via
          when e.is_public and not e.enable_paywall then 'free'
          when e.is_public and e.owner_id = ${shown.ownerId}::uuid then 'author'
          else e.way_via end as via
        from entitled e
      )
      select d.id, d.owner_id, d.slug, d.handle, d.title, d.is_public, d.enable_paywall, d.price_raw::text as price_raw,
        d.payout_address, d.via, encode(d.current_sha256, 'hex') as current_sha256,
        encode(d.sold_sha256, 'hex') as sold_sha256,
        case when d.text_sha256 = d.sold_sha256 then 'purchased' else 'current' end as version, d.purchase, d.paid,
        ${pendingOf(sql, postId, sql`s.quote_hash = ${shown.quoteHash}::bytea`)} as pending_of_quote,
        ${pendingOf(
          sql,
          postId,
          sql`(s.buyer_id = ${shown.ownerId}::uuid
          or s.payer_key = (select wallet_public_key from owners where id = ${shown.ownerId}::uuid))`
        )} as pending_of_owner,
        case when t.sha256 is not null then t.title else d.title end as shown_title,
        case when d.via is null then null when t.sha256 is not null then t.free_content_markdown
          else d.free_content_markdown end as free_text,
        case when d.via is null then null when t.sha256 is not null then t.paid_content_markdown
          else d.paid_content_markdown end as paid_text,
        case when d.via is null then '[]'::jsonb else ${filesWhere(
          sql,
          sql`f.post_id = d.id and (${isKept(sql, shown)} or ${hasFile(sql)} or ${hasFile(sql, "t")} or (t.sha256 is null and f.removed_at is null))`,
          digest
        )} end as files,
        (select ${fileState(sql)} from post_attachments f where f.post_id = d.id and ${isOnPost(sql, shown.fileId)})
          as asked_file
      from decided d left join sold_versions v on v.post_id = d.id and v.sha256 = d.sold_sha256
      left join sold_versions t on t.post_id = d.id and t.sha256 = d.text_sha256`
    }
  }
})
