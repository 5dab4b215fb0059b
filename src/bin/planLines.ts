import type { Plan, PlannedLock, PlannedMigration } from "../../layers/postgres/migrations/plan.ts"

const rowsOf = (rows: number | null) =>
  rows === null ? "" : `, about ${Math.round(rows).toLocaleString("en")} rows`

const waitOf = ({ waiting, work }: PlannedLock) => {
  const others = waiting === "nothing" ? "reads and writes go on" : `${waiting} wait`
  if (work !== null) return `${others} while PostgreSQL ${work}`
  return waiting === "nothing" ? others : `${others} for a moment`
}

const lockLine = (lock: PlannedLock) =>
  `    → ${lock.relation}: ${lock.mode} lock, ${waitOf(lock)}${rowsOf(lock.rows)}`

const migrationLines = ({ inTransaction, name, statements }: PlannedMigration) => [
  "",
  `${name}${inTransaction ? "" : ", outside a transaction"}`,
  ...statements.flatMap(({ locks, statement }) => [
    ...statement.split("\n").map((line) => `  ${line}`),
    ...(locks?.map(lockLine) ?? ["    → Its locks are not known. Look them up in the manual of PostgreSQL."])
  ])
]

const headOf = ({ codeMigration, databaseMigration, migrations, state }: Plan) => {
  if (state === "newer")
    return (
      `A newer release migrated the database: it is at migration ${databaseMigration}, ` +
      `and this release knows none after ${codeMigration}. Run the release that migrated it, or a newer one.`
    )
  if (state === "current") return `The database is up to date, at migration ${databaseMigration}.`
  const steps = migrations.length === 1 ? "One step is" : `${migrations.length} steps are`
  return `The database is at migration ${databaseMigration}. ${steps} pending, up to migration ${codeMigration}:`
}

/** Returns the lines of a plan, for people. */
export const planLines = (plan: Plan): ReadonlyArray<string> => [
  headOf(plan),
  ...plan.migrations.flatMap(migrationLines),
  ...(plan.state === "pending"
    ? [
        "",
        "Nothing was changed. A step that does not get a lock within 100 ms lets go, and tries again after a pause."
      ]
    : [])
]
