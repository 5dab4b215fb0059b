import { Effect } from "effect"
import type { Node } from "libpg-query"
import type { Lock } from "./Lock.ts"
import { locksOf, type StatementLocks } from "./locks.ts"
import { isOutsideTransaction, type Migration, titleOf } from "./Migration.ts"

/** A statement with what it does to requests. */
export interface AnalyzedStatement {
  readonly text: string
  /** The locks on tables that other migrations made; null for a kind of statement that is not known. */
  readonly locks: ReadonlyArray<Lock> | null
  /** The thing that it takes away, and that the previous release may use; null for nothing. */
  readonly removes: string | null
}

export interface AnalyzedMigration {
  readonly title: string
  readonly isOutsideTransaction: boolean
  readonly statements: ReadonlyArray<AnalyzedStatement>
}

const commandsOf = (node: Node) =>
  "AlterTableStmt" in node
    ? (node.AlterTableStmt.cmds ?? []).flatMap((it) => ("AlterTableCmd" in it ? [it.AlterTableCmd] : []))
    : []

/** Returns the column for which a constraint says `check (column is not null)`. */
const requiredBy = (node: Node | undefined) => {
  if (node === undefined || !("Constraint" in node)) return undefined
  const { raw_expr: condition } = node.Constraint
  if (condition === undefined || !("NullTest" in condition)) return undefined
  const { arg, nulltesttype } = condition.NullTest
  if (nulltesttype !== "IS_NOT_NULL" || arg === undefined || !("ColumnRef" in arg)) return undefined
  return (arg.ColumnRef.fields ?? []).flatMap((it) => ("String" in it ? [it.String.sval ?? ""] : [])).at(-1)
}

/** Follows the checks that forbid null, by table: `set not null` reads no row once one of them is validated. */
const makeChecks = () => {
  const columns = new Map<string, string>()
  const validated = new Set<string>()
  return {
    /** Takes a statement into account. Returns true if it sets columns to not null, and validated checks forbid null in all of them. */
    follow: (node: Node) => {
      const table = "AlterTableStmt" in node ? (node.AlterTableStmt.relation?.relname ?? "") : ""
      const commands = commandsOf(node)
      for (const { def, name = "", subtype } of commands) {
        const column = requiredBy(def)
        if (
          subtype === "AT_AddConstraint" &&
          def !== undefined &&
          "Constraint" in def &&
          column !== undefined
        ) {
          columns.set(`${table} ${def.Constraint.conname ?? ""}`, column)
          if (def.Constraint.skip_validation !== true) validated.add(`${table} ${column}`)
        }
        const checked = columns.get(`${table} ${name}`)
        if (subtype === "AT_ValidateConstraint" && checked !== undefined) validated.add(`${table} ${checked}`)
      }
      const required = commands.filter(({ subtype }) => subtype === "AT_SetNotNull")
      return required.length > 0 && required.every(({ name = "" }) => validated.has(`${table} ${name}`))
    }
  }
}

/** The locks of a statement that finds nothing to read. */
const withoutWork = (known: StatementLocks): StatementLocks => ({
  ...known,
  locks: known.locks.map(({ mode, relation }) => ({ mode, relation, work: null, instead: null }))
})

/**
 * Returns the locks of each statement. The migrations are all of a schema, because earlier ones decide what a later one does.
 * The parser loads only here: it is PostgreSQL's own, in 1.7 MB of WebAssembly.
 */
export const analyzed = Effect.fn("analyzed")(function* (migrations: ReadonlyArray<Migration>) {
  const { loadModule, parseSync } = yield* Effect.promise(() => import("libpg-query"))
  yield* Effect.promise(loadModule)
  const checks = makeChecks()

  const nodesOf = (text: string) => {
    try {
      return (parseSync(text).stmts ?? []).flatMap(({ stmt }) => (stmt === undefined ? [] : [stmt]))
    } catch {
      // A server may know more than the parser.
      return undefined
    }
  }

  const statement = (text: string, made: Set<string>): AnalyzedStatement => {
    const nodes = nodesOf(text)
    const found = (nodes ?? []).map((node) => {
      const known = locksOf(node)
      const isChecked = checks.follow(node)
      return known !== undefined && isChecked ? withoutWork(known) : known
    })
    const known = found.filter((it) => it !== undefined)
    for (const { makes } of known) for (const name of makes) made.add(name)
    const isKnown = nodes !== undefined && known.length === found.length
    return {
      text,
      locks: isKnown
        ? known.flatMap(({ locks }) => locks).filter(({ relation }) => !made.has(relation))
        : null,
      removes: known.find(({ removes }) => removes !== null)?.removes ?? null
    }
  }

  return migrations.map((migration): AnalyzedMigration => {
    const made = new Set<string>()
    return {
      title: titleOf(migration),
      isOutsideTransaction: isOutsideTransaction(migration),
      statements: migration.statements.map((text) => statement(text, made))
    }
  })
})
