import type { SqlClient, Statement } from "effect/sql"

/** Stands for a value while `build` makes the text. */
const marker = (name: string) => `\0${name}`

/**
 * Makes a statement whose text is built once, for statements on the path of every request. `build` receives a
 * placeholder for each named value. The returned function takes the values. The text stays the same string, which the
 * pool finds among its prepared statements without parsing it.
 */
export const prepared =
  <Row extends object>(sql: SqlClient.SqlClient) =>
  <const Name extends string>(
    names: ReadonlyArray<Name>,
    build: (values: Readonly<Record<Name, string>>) => Statement.Statement<unknown>
  ) => {
    const markers = Object.fromEntries(names.map((name) => [name, marker(name)])) as Record<Name, string>
    const [text, parameters] = build(markers).compile()
    const order = parameters.map((parameter) => names.find((name) => marker(name) === parameter))
    if (order.includes(undefined)) throw new Error(`A value without a name in ${text}`)
    return (values: Readonly<Record<Name, unknown>>) =>
      sql.unsafe<Row>(
        text,
        order.map((name) => (name === undefined ? null : values[name]))
      )
  }
