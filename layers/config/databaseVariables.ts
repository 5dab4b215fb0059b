import { Config, Option, Redacted, Result } from "effect"
import { parseReplicaUrls } from "./replicaUrls.ts"
import { variable } from "./variable.ts"
import { integer, PostgresUrl, ReplicaUrls } from "./variableSchemas.ts"

/** The variables of the database. */
export const databaseVariables = {
  DATABASE_URL: variable(
    Config.option(Config.schema(PostgresUrl, "DATABASE_URL")),
    "embedded",
    "A PostgreSQL server (15 or newer) of your own, `postgres://user:password@host/database`, or several, of which the first that takes writes is used, `postgres://user:password@a:5432,b:5432/database`"
  ),
  DATABASE_DIRECT_URL: variable(
    Config.option(Config.schema(PostgresUrl, "DATABASE_DIRECT_URL")),
    "`DATABASE_URL`",
    "The PostgreSQL server itself, for signals between processes and for migrations; required where `DATABASE_URL` leads to a pooler such as PgBouncer"
  ),
  DATABASE_REPLICA_URLS: variable(
    Config.option(Config.schema(ReplicaUrls, "DATABASE_REPLICA_URLS")).pipe(
      Config.map((urls) =>
        Option.flatMap(urls, (text) => Result.getSuccess(parseReplicaUrls(Redacted.value(text)))).pipe(
          Option.getOrElse(() => [])
        )
      )
    ),
    "none",
    "Standbys of the database that public answers may be read from, `postgres://user:password@b/database`, each with one host, separated by commas or spaces; one that does not answer or is more than 5 seconds behind is left out"
  ),
  DATABASE_PREPARED: variable(
    Config.option(Config.Literals(["named", "unnamed"], "DATABASE_PREPARED")),
    "`named`, and `unnamed` behind a pooler",
    "`named` prepares each statement once on a connection, which PgBouncer tracks from 1.21 on with `max_prepared_statements` of 400 or more; `unnamed` works with every pooler"
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
  const { DATABASE_DIRECT_URL: direct, DATABASE_REPLICA_URLS: replicas, DATABASE_URL: url } = values
  if (url === undefined || Option.isSome(url)) return []
  return [
    ...(direct !== undefined && Option.isSome(direct)
      ? ["  DATABASE_DIRECT_URL: it is the way around a pooler; name the database in DATABASE_URL too"]
      : []),
    ...(replicas !== undefined && replicas.length > 0
      ? ["  DATABASE_REPLICA_URLS: they follow a database of your own; name it in DATABASE_URL too"]
      : [])
  ]
}
