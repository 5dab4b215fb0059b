import type { Plan, Step } from "../../layers/postgres/migrations/plan.ts"

const stepLines = ({ inTransaction, name, statements }: Step) => [
  "",
  `${name}${inTransaction ? "" : ", outside a transaction"}`,
  ...statements.flatMap((statement) => statement.split("\n").map((line) => `  ${line}`))
]

const headOf = ({ codeMigration, databaseMigration, migrations, state }: Plan) => {
  if (state === "newer")
    return (
      `A newer release migrated the database: it is at migration ${databaseMigration}, ` +
      `but this release has none after ${codeMigration}. Run the release that migrated it, or a newer one.`
    )
  if (state === "current") return `The database is up to date, at migration ${databaseMigration}.`
  const steps = migrations.length === 1 ? "One step is" : `${migrations.length} steps are`
  return `The database is at migration ${databaseMigration}. ${steps} pending, up to migration ${codeMigration}:`
}

/** Returns the lines of a plan, for people. */
export const planLines = (plan: Plan): ReadonlyArray<string> => [
  headOf(plan),
  ...plan.migrations.flatMap(stepLines),
  ...(plan.state === "pending"
    ? [
        "",
        "Nothing was changed. A step that cannot get a lock within 100 ms gives up, and tries again after a pause."
      ]
    : [])
]
