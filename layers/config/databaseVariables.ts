import { Config, Option } from "effect"
import { variable } from "./variable.ts"
import { integer, PostgresHostUrl, PostgresUrl } from "./variableSchemas.ts"

/** The variables of the database. */
export const databaseVariables = {
  DATABASE_URL: variable(
    Config.option(Config.schema(PostgresUrl, "DATABASE_URL")),
    "embedded",
    "Your own PostgreSQL server (15 or newer), `postgres://user:password@host/database`, or several, `postgres://user:password@a:5432,b:5432/database`. The service uses the first that accepts writes"
  ),
  DATABASE_DIRECT_URL: variable(
    Config.option(Config.schema(PostgresUrl, "DATABASE_DIRECT_URL")),
    "`DATABASE_URL`",
    "The PostgreSQL server itself, for signals between processes and for migrations; required if `DATABASE_URL` leads to a pooler such as PgBouncer"
  ),
  DATABASE_READ_URL: variable(
    Config.option(Config.schema(PostgresHostUrl, "DATABASE_READ_URL")),
    "`DATABASE_URL`",
    "A standby of the database, `postgres://user:password@b/database`, for searches, related posts, leaderboards and sitemaps, which may then lag by seconds; while it fails, they use `DATABASE_URL`"
  ),
  DATABASE_PREPARED: variable(
    Config.option(Config.Literals(["named", "unnamed"], "DATABASE_PREPARED")),
    "`named`, and `unnamed` behind a pooler",
    "`named` prepares each statement once for each connection, which PgBouncer supports from 1.21 on with `max_prepared_statements` of 400 or more; `unnamed` works with every pooler"
  ),
  DATABASE_POOL_SIZE: variable(
    Config.schema(integer(1, 500), "DATABASE_POOL_SIZE").pipe(Config.withDefault(10)),
    "`10`",
    "Maximum number of database connections of each process, not counting four for searches and three for signals and migrations"
  )
} as const

type Variables = {
  readonly [Name in keyof typeof databaseVariables]: Config.Success<
    (typeof databaseVariables)[Name]["config"]
  >
}

/** Problems of the variables of the database together. `values` lacks those that could not be read. */
export const databaseProblems = (values: Partial<Variables>): ReadonlyArray<string> => {
  const { DATABASE_DIRECT_URL: direct, DATABASE_READ_URL: read, DATABASE_URL: url } = values
  if (url === undefined || Option.isSome(url)) return []
  return [
    ...(direct !== undefined && Option.isSome(direct)
      ? ["  DATABASE_DIRECT_URL: set DATABASE_URL too; this is only the way around its pooler"]
      : []),
    ...(read !== undefined && Option.isSome(read)
      ? ["  DATABASE_READ_URL: set DATABASE_URL too; this is only a standby of it"]
      : [])
  ]
}
