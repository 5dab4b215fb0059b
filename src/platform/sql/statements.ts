import { Effect, type Option, Schema } from "effect"
import { type SqlClient, type Statement } from "effect/sql"

/** The schema of one row; decoding it needs no services. */
type RowSchema<Row> = Schema.Codec<Row, unknown>

/** Takes the SQL as a tagged template, as `sql` does. */
type Template<A> = (text: TemplateStringsArray, ...values: ReadonlyArray<unknown>) => Effect.Effect<A>

/** The name of a span says which statement it is; the stack of each call would cost more than it tells. */
const UNTRACED = { captureStackTrace: false }

/** Command results of the driver, which types them as unknown. */
const rowCountOf = (result: unknown) => (result as { readonly rowCount: number }).rowCount

/**
 * The vocabulary of statements: each word takes the name of the statement and, for rows, their schema.
 *
 * - `one` returns the row and dies without one.
 * - `maybe` returns the first row, or none.
 * - `many` returns all rows.
 * - `changed` returns true when the statement changed at least one row.
 * - `run` returns nothing.
 *
 * A failure of SQL or of decoding is a defect. The span of a statement is `<things>.<name>`. A statement whose
 * SQL failure means something, such as a taken handle, is written with `sql` itself.
 *
 * @example
 * ```ts
 * const { changed, maybe } = statements(sql, "posts")
 *
 * find: (owner: OwnerId, id: PostId) => maybe("find", PostRow)`select … from posts where id = ${id} and owner_id = ${owner}`,
 * remove: (id: PostId) => changed("remove")`delete from posts where id = ${id}`
 * ```
 */
export const statements = (sql: SqlClient.SqlClient, things: string) => {
  const named = <A, E>(name: string, effect: Effect.Effect<A, E>) =>
    Effect.orDie(effect).pipe(Effect.withSpan(`${things}.${name}`, undefined, UNTRACED))

  const template =
    <A, E>(
      name: string,
      read: (statement: Statement.Statement<unknown>) => Effect.Effect<A, E>
    ): Template<A> =>
    (text, ...values) =>
      named(name, read(sql<object>(text, ...values)))

  return {
    one: <Row>(name: string, row: RowSchema<Row>): Template<Row> => {
      const decode = Schema.decodeUnknownEffect(row)
      return template(
        name,
        Effect.flatMap((rows) => decode(rows[0]))
      )
    },
    maybe: <Row>(name: string, row: RowSchema<Row>): Template<Option.Option<Row>> => {
      const decode = Schema.decodeUnknownEffect(row)
      return template(
        name,
        Effect.flatMap(([first]) => (first === undefined ? Effect.succeedNone : Effect.asSome(decode(first))))
      )
    },
    many: <Row>(name: string, row: RowSchema<Row>): Template<ReadonlyArray<Row>> => {
      const decode = Schema.decodeUnknownEffect(Schema.Array(row))
      return template(name, Effect.flatMap(decode))
    },
    changed: (name: string): Template<boolean> =>
      template(name, (statement) => Effect.map(statement.raw, (result) => rowCountOf(result) > 0)),
    run: (name: string): Template<void> => template(name, Effect.asVoid)
  }
}
