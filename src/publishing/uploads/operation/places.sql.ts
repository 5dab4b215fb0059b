import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "../../../platform/sql/statements.ts"
import type { Lease, Operation } from "./operation.ts"
import { assignments } from "./operationRow.sql.ts"
import type { Settlement } from "./settlement.ts"

/** Target whose place an image takes. */
export type PlaceTarget = Pick<Operation, "owner_id" | "target_kind" | "target_id">

const Place = Schema.Struct({ url: Schema.NullOr(Schema.String) })

/** An image that may take its place now. */
const Placement = Schema.Struct({
  /** Null while it has no public copy. */
  public_url: Schema.NullOr(Schema.String),
  takes_place: Schema.Boolean
})
export type Placement = typeof Placement.Type

/** Statements that decide on the place of an og, avatar or header image. All run under the lock of its target. */
export const placeStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "uploadOperations")

  /** The image is current, and its author wants it. */
  const isWanted = sql`
    u.desired and not u.held and u.target_kind not in ('inline', 'attachment') and not exists (
      select from upload_operations n
      where n.target_id = u.target_id and n.target_kind = u.target_kind and n.target_key = u.target_key
        and n.generation > u.generation and n.desired)`

  /**
   * The author has put nothing else into the place since the upload began. It holds what it held then, or an image that
   * was uploaded since. It is empty when either was cancelled or rejected.
   */
  const isAsFound = (url: string | null) => sql`
    (u.replaced_url is not distinct from ${url}::text or exists (
      select from upload_operations o
      where o.target_id = u.target_id and o.target_kind = u.target_kind and o.target_key = u.target_key
        and (o.public_url = u.replaced_url or o.associated_at >= u.created_at)
        and (o.public_url = ${url}::text
          or (${url}::text is null and (not o.desired or o.state in ('rejected', 'failed'))))))`

  const placeOf = ({ owner_id, target_id, target_kind }: PlaceTarget) => {
    switch (target_kind) {
      case "inline":
        return sql`select null::text as url from posts where id = ${target_id} for no key update`
      case "attachment":
        // Also against payments and gifts, which hold the Post for key share: they decide if a removed file stays.
        return sql`select null::text as url from posts where id = ${target_id} for update`
      case "og":
        return sql`select og_image as url from posts where id = ${target_id} for no key update`
      case "avatar":
        return sql`select avatar_url as url from owners where id = ${owner_id} for no key update`
      case "header":
        return sql`select header_image_url as url from owners where id = ${owner_id} for no key update`
    }
  }

  /** An image without a public copy is decided on when the copy is made. */
  const hasCopy = ({ copy, received }: Settlement) => (copy ?? received?.file.copy ?? null) !== null

  return {
    /**
     * Holds off other changes of the target until the surrounding transaction ends, and returns the URL in its place.
     * Lock the target before any operation, so that two transactions never wait for each other.
     */
    lockPlace: (target: PlaceTarget) =>
      Effect.map(maybe("lockPlace", Place)`${placeOf(target)}`, (found) =>
        Option.match(found, { onNone: () => null, onSome: ({ url }) => url })
      ),

    /**
     * Settles an operation and decides once on its place. The image takes it when it is current and desired. The place
     * must be as the upload found it, or hold an image that was uploaded since. None when the lease is lost.
     */
    settleAndPlace: (
      { attempts, id }: Lease,
      settlement: Settlement,
      { at, url }: { readonly url: string | null; readonly at: Date }
    ) => maybe("settleAndPlace", Placement)`
      update upload_operations u set ${assignments(sql, settlement)},
        associated_at = case when ${hasCopy(settlement)} and ${isWanted} then ${at} else u.associated_at end
      where u.id = ${id} and u.attempts = ${attempts}
      returning u.public_url, u.public_url is not null and ${isWanted} and ${isAsFound(url)} as takes_place`,

    /** Decides as `settleAndPlace`, for an image that has not been decided on. With `again`, the place may hold any URL. */
    place: (
      id: Operation["id"],
      { again, at, url }: { readonly url: string | null; readonly again: boolean; readonly at: Date }
    ) => maybe("place", Placement)`
      update upload_operations u set associated_at = ${at}
      where u.id = ${id} and u.shown and ${isWanted} and (u.associated_at is null or ${again})
      returning u.public_url, (${again} or ${isAsFound(url)}) as takes_place`
  }
})
