import { Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"

declare const Encodes: unique symbol

/**
 * The wire form of an `A`, made by the database. The answer leaves without rows, decoded values or an encoder. Tests
 * check each text against the schema of `A`.
 */
export interface JsonText<out A> {
  readonly [Encodes]?: A
  readonly text: string
}

/** A JSON text that caches and readers may keep: `etag` changes whenever the text does. */
export interface PublicJson<out A> extends JsonText<A> {
  readonly etag: string
}

/** The row of a statement that returns one public JSON text. */
export interface EtaggedText {
  readonly text: string
  readonly etag: string
}

/**
 * Runs a query for one JSON text, named `text`, and adds its ETag. `materialized` keeps PostgreSQL from making the JSON
 * a second time for its hash.
 */
export const withEtag = (sql: SqlClient.SqlClient, answer: Statement.Fragment) =>
  sql<EtaggedText>`
    with answer as materialized (${answer}) select text, md5(text) as etag from answer`

/** Returns the first row of a statement that returns JSON as `text`, with an `etag` when public. */
export const firstJson = <Row extends { readonly text: string }>(
  rows: ReadonlyArray<Row>
): Option.Option<Row> => Option.fromUndefinedOr(rows[0])
