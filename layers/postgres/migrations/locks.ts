import type { Node, RangeVar, WithClause } from "libpg-query"
import { alterTable, constraintsOf, referenced } from "./alterTable.ts"
import { BUILDS, type Lock, lock } from "./Lock.ts"

/** The effects of a statement on others. */
export interface StatementLocks {
  readonly locks: ReadonlyArray<Lock>
  /** The tables that it makes. */
  readonly makes: ReadonlyArray<string>
  /** The thing that it takes away, and that the previous release may use; null for nothing. */
  readonly removes: string | null
}

const only = (...locks: ReadonlyArray<Lock>): StatementLocks => ({ locks, makes: [], removes: null })

const BY_WORKER = "Fill rows that exist in batches, by a worker."
const CONCURRENTLY = "Write create index concurrently if not exists, in a migration of its own."

/** The names of dropped objects: the last word of each, or the word before for a trigger, which is that of its table. */
const namesOf = (objects: ReadonlyArray<Node> = [], from = -1) =>
  objects.map((node) => {
    const words = ("List" in node ? (node.List.items ?? []) : [node]).flatMap((it) =>
      "String" in it ? [it.String.sval ?? "?"] : []
    )
    return words.at(from) ?? "?"
  })

/** Returns true for a condition that names rows by `id`. */
const isById = (where: Node | undefined): boolean => {
  if (where === undefined) return false
  if ("BoolExpr" in where)
    return where.BoolExpr.boolop === "AND_EXPR" && (where.BoolExpr.args ?? []).some(isById)
  if (!("A_Expr" in where)) return false
  const { kind, lexpr, name = [] } = where.A_Expr
  const isEqual = name.some((it) => "String" in it && it.String.sval === "=")
  return (
    isEqual &&
    (kind === "AEXPR_OP" || kind === "AEXPR_IN") &&
    lexpr !== undefined &&
    "ColumnRef" in lexpr &&
    namesOf([{ List: { items: lexpr.ColumnRef.fields ?? [] } }])[0] === "id"
  )
}

/** Returns true for a query that reads tables, and not only values or a function. */
const isFromTable = (query: Node | undefined) =>
  query !== undefined &&
  "SelectStmt" in query &&
  (query.SelectStmt.fromClause ?? []).some((it) => !("RangeFunction" in it))

const changeRows = (table: RangeVar | undefined, where: Node | undefined) =>
  only(
    isById(where)
      ? lock(table, "row exclusive")
      : lock(table, "row exclusive", "holds the rows that it changes", BY_WORKER)
  )

/** Returns true for parts of a query that only read. */
const isReading = (withClause: WithClause | undefined) =>
  (withClause?.ctes ?? []).every(
    (it) =>
      "CommonTableExpr" in it &&
      it.CommonTableExpr.ctequery !== undefined &&
      "SelectStmt" in it.CommonTableExpr.ctequery
  )

/** Statements that lock no table. */
const HARMLESS = [
  "VariableSetStmt",
  "CreateFunctionStmt",
  "AlterFunctionStmt",
  "CreateExtensionStmt",
  "CreateSchemaStmt",
  "CreateSeqStmt",
  "AlterSeqStmt",
  "CreateEnumStmt",
  "AlterEnumStmt",
  "CompositeTypeStmt",
  "CreateDomainStmt",
  "DefineStmt",
  "AlterTSConfigurationStmt"
]

/**
 * Returns the locks of a parsed statement, from PostgreSQL's manual (13.3, "Explicit Locking", and the page of each command). A
 * table, because the alternative is to run the statements and roll them back, which takes the very locks that the plan
 * is to warn of. A test runs a statement of each kind and compares with `pg_locks`.
 * Returns undefined for a kind that is not known here.
 */
export const locksOf = (statement: Node): StatementLocks | undefined => {
  if ("CreateStmt" in statement) {
    const { inhRelations = [], partbound, relation, tableElts = [] } = statement.CreateStmt
    const columns = tableElts.flatMap((it) => ("ColumnDef" in it ? (it.ColumnDef.constraints ?? []) : [it]))
    const parents = inhRelations.flatMap((it) => ("RangeVar" in it ? [it.RangeVar] : []))
    const mode = partbound === undefined ? "share update exclusive" : "access exclusive"
    return {
      locks: [...referenced(constraintsOf(columns)), ...parents.map((parent) => lock(parent, mode))],
      makes: [relation?.relname ?? "?"],
      removes: null
    }
  }
  if ("IndexStmt" in statement) {
    const { concurrent = false, relation } = statement.IndexStmt
    return only(
      concurrent ? lock(relation, "share update exclusive") : lock(relation, "share", BUILDS, CONCURRENTLY)
    )
  }
  if ("AlterTableStmt" in statement) {
    const { cmds = [], relation } = statement.AlterTableStmt
    const commands = cmds.flatMap((it) => ("AlterTableCmd" in it ? [it.AlterTableCmd] : []))
    if (commands.some(({ behavior }) => behavior === "DROP_CASCADE")) return undefined
    const dropped = commands.find(({ subtype }) => subtype === "AT_DropColumn")?.name
    return {
      ...only(...commands.flatMap((command) => alterTable(relation, command))),
      removes: dropped === undefined ? null : `column ${dropped}`
    }
  }
  if ("RenameStmt" in statement) {
    const { relation, renameType, subname } = statement.RenameStmt
    if (renameType === "OBJECT_INDEX") return only(lock(relation, "share update exclusive"))
    if (relation === undefined) return { ...only(), removes: `the name ${subname ?? "of an object"}` }
    const isRule = renameType === "OBJECT_TABCONSTRAINT" || renameType === "OBJECT_TRIGGER"
    return {
      ...only(lock(relation, "access exclusive")),
      removes: isRule ? null : `the name ${subname ?? relation.relname}`
    }
  }
  if ("DropStmt" in statement) {
    const { behavior, concurrent = false, objects, removeType } = statement.DropStmt
    if (behavior === "DROP_CASCADE") return undefined
    if (removeType === "OBJECT_TRIGGER")
      return only(...namesOf(objects, -2).map((table) => lock(table, "access exclusive")))
    const names = namesOf(objects)
    if (removeType === "OBJECT_INDEX")
      return only(
        ...names.map((name) => lock(name, concurrent ? "share update exclusive" : "access exclusive"))
      )
    if (removeType === "OBJECT_TABLE" || removeType === "OBJECT_VIEW" || removeType === "OBJECT_MATVIEW")
      return { ...only(...names.map((name) => lock(name, "access exclusive"))), removes: names.join(", ") }
    return { ...only(), removes: "an object" }
  }
  if ("ViewStmt" in statement) {
    const { replace = false, view } = statement.ViewStmt
    return replace ? only(lock(view, "access exclusive")) : { ...only(), makes: [view?.relname ?? "?"] }
  }
  if ("CreateTrigStmt" in statement)
    return only(lock(statement.CreateTrigStmt.relation, "share row exclusive"))
  if ("UpdateStmt" in statement)
    return changeRows(statement.UpdateStmt.relation, statement.UpdateStmt.whereClause)
  if ("DeleteStmt" in statement)
    return changeRows(statement.DeleteStmt.relation, statement.DeleteStmt.whereClause)
  if ("InsertStmt" in statement) {
    const { relation, selectStmt, withClause } = statement.InsertStmt
    if (!isReading(withClause)) return undefined
    return only(
      isFromTable(selectStmt)
        ? lock(relation, "row exclusive", "copies rows", BY_WORKER)
        : lock(relation, "row exclusive")
    )
  }
  if ("TruncateStmt" in statement) {
    const tables = (statement.TruncateStmt.relations ?? []).flatMap((it) =>
      "RangeVar" in it ? [it.RangeVar] : []
    )
    return {
      ...only(...tables.map((table) => lock(table, "access exclusive"))),
      removes: "all rows"
    }
  }
  if ("CommentStmt" in statement) {
    const { objtype, object } = statement.CommentStmt
    const isTable = objtype === "OBJECT_TABLE" && object !== undefined
    return only(...(isTable ? namesOf([object]).map((name) => lock(name, "share update exclusive")) : []))
  }
  if ("SelectStmt" in statement) return isReading(statement.SelectStmt.withClause) ? only() : undefined
  return HARMLESS.some((kind) => kind in statement) ? only() : undefined
}
