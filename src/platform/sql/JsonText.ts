import { Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"

declare const Encodes: unique symbol

/**
 * The wire form of an `A`, made by the database: an answer that needs neither rows, values nor an encoder on its
 * way out. Tests check each against the schema of `A`.
 */
export interface JsonText<out A> {
  readonly [Encodes]?: A
  readonly text: string
}

/** A JSON text that caches and readers may keep: `etag` changes whenever the text does. */
export interface PublicJson<out A> extends JsonText<A> {
  readonly etag: string
}

/** What a statement of one public JSON text answers. */
export interface EtaggedText {
  readonly text: string
  readonly etag: string
}

/**
 * Runs a query of one JSON text, named `text`, and adds its ETag. Materialized, as PostgreSQL would otherwise make
 * the JSON once for itself and once for its hash.
 */
export const withEtag = (sql: SqlClient.SqlClient, answer: Statement.Fragment) =>
  sql<EtaggedText>`
    with answer as materialized (${answer}) select text, md5(text) as etag from answer`

/** The one row of a statement that answers JSON as `text`, and an `etag` when it is public. */
export const firstJson = <Row extends { readonly text: string }>(
  rows: ReadonlyArray<Row>
): Option.Option<Row> => Option.fromUndefinedOr(rows[0])
