import { Option } from "effect"

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

/** The one row of a statement that answers JSON as `text`, and an `etag` when it is public. */
export const firstJson = <Row extends { readonly text: string }>(
  rows: ReadonlyArray<Row>
): Option.Option<Row> => Option.fromUndefinedOr(rows[0])
