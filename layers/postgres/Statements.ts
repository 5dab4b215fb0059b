import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, type Scope, Stream } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"

type Transform = Parameters<SqlConnection.Connection["execute"]>[2]

type Answer<A> = Effect.Effect<A, SqlError.SqlError>

/** The pool of a connection, as its statements see it. */
export interface Watch {
  /** Runs a statement, from its beginning until its answer. */
  readonly owing: <A>(statement: Answer<A>) => Answer<A>
  /** Keeps the connection from others until the scope closes, once the server has answered their statements. */
  readonly reserve: Effect.Effect<PgConnection.PgConnection, never, Scope.Scope>
}

/** Takes the rows out of an answer. The driver keeps answers until their connection owes no other one. */
const taken = <A>(rows: ReadonlyArray<A>): ReadonlyArray<A> => (rows as Array<A>).splice(0)

/** The statements of a driver's connection, as the client sends them. */
export class Statements implements SqlConnection.Connection {
  readonly connection: PgConnection.PgConnection
  readonly watch: Watch

  constructor(connection: PgConnection.PgConnection, watch: Watch) {
    this.connection = connection
    this.watch = watch
  }

  private rows(sql: string, params: ReadonlyArray<unknown>, transform: Transform, prepare = true) {
    return Effect.map(this.watch.owing(this.connection.query(sql, params, prepare)), ({ rows }) =>
      transform === undefined ? taken(rows) : transform(taken(rows))
    )
  }

  private values(sql: string, params: ReadonlyArray<unknown>, prepare = true) {
    return Effect.map(this.watch.owing(this.connection.queryValues(sql, params, prepare)), taken)
  }

  execute(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.rows(sql, params, transform)
  }

  executeRaw(sql: string, params: ReadonlyArray<unknown>) {
    return this.watch.owing(this.connection.query(sql, params))
  }

  executeStream(sql: string, params: ReadonlyArray<unknown>) {
    return Stream.unwrap(Effect.map(this.watch.reserve, (connection) => connection.stream(sql, params)))
  }

  executeValues(sql: string, params: ReadonlyArray<unknown>) {
    return this.values(sql, params)
  }

  executeValuesUnprepared(sql: string, params: ReadonlyArray<unknown>) {
    return this.values(sql, params, false)
  }

  executeUnprepared(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.rows(sql, params, transform, false)
  }
}
