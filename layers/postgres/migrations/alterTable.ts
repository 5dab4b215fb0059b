import type { AlterTableCmd, AlterTableType, ColumnDef, Constraint, Node, RangeVar } from "libpg-query"
import { BUILDS, type Lock, lock } from "./Lock.ts"

const READS = "reads the table"
const REWRITES = "rewrites the table"

const VALIDATE = "Add it not valid, and validate it in the next migration."
const ANOTHER_COLUMN = "Add a nullable column, let a worker fill it in batches, then require it."

/** Returns true for a default that PostgreSQL keeps once instead of writing it into each row. */
const isConstant = (value: Node | undefined): boolean => {
  if (value === undefined) return false
  if ("TypeCast" in value) return isConstant(value.TypeCast.arg)
  if ("A_ArrayExpr" in value) return (value.A_ArrayExpr.elements ?? []).every(isConstant)
  return "A_Const" in value || "SQLValueFunction" in value
}

export const constraintsOf = (nodes: ReadonlyArray<Node> = []) =>
  nodes.flatMap((node) => ("Constraint" in node ? [node.Constraint] : []))

/** The locks on tables that foreign keys name. */
export const referenced = (constraints: ReadonlyArray<Constraint>) =>
  constraints.flatMap(({ contype, pktable }) =>
    contype === "CONSTR_FOREIGN" ? [lock(pktable, "share row exclusive")] : []
  )

const typeOf = ({ typeName }: ColumnDef) =>
  (typeName?.names ?? []).flatMap((name) => ("String" in name ? [name.String.sval ?? ""] : [])).at(-1) ?? ""

const addColumn = (table: RangeVar | undefined, column: ColumnDef): ReadonlyArray<Lock> => {
  const constraints = constraintsOf(column.constraints)
  const kinds = new Set(constraints.map(({ contype }) => contype))
  const all = (work: string, instead: string) => [
    lock(table, "access exclusive", work, instead),
    ...referenced(constraints)
  ]
  const isComputed = constraints.some(
    ({ contype, generated_kind, raw_expr }) =>
      contype === "CONSTR_IDENTITY" ||
      (contype === "CONSTR_GENERATED" && generated_kind !== "v") ||
      (contype === "CONSTR_DEFAULT" && !isConstant(raw_expr))
  )
  if (isComputed || /^(?:small|big)?serial\d?$/.test(typeOf(column))) return all(REWRITES, ANOTHER_COLUMN)
  if (kinds.has("CONSTR_UNIQUE") || kinds.has("CONSTR_PRIMARY"))
    return all(BUILDS, "Add the column alone. Then build a unique index concurrently.")
  if (kinds.has("CONSTR_CHECK") || kinds.has("CONSTR_FOREIGN"))
    return all(READS, "Add the column alone. Then add the constraint not valid, and validate it.")
  if (kinds.has("CONSTR_NOTNULL") && !kinds.has("CONSTR_DEFAULT"))
    return all(`${READS}, and fails if it has rows`, "Give it a constant default, or add it nullable.")
  return [lock(table, "access exclusive")]
}

const addConstraint = (table: RangeVar | undefined, constraint: Constraint): ReadonlyArray<Lock> => {
  const { contype, indexname, skip_validation: isUnchecked = false } = constraint
  const work = isUnchecked ? [null, null] : ([READS, VALIDATE] as const)
  if (contype === "CONSTR_FOREIGN")
    return [lock(table, "share row exclusive", ...work), ...referenced([constraint])]
  if (contype === "CONSTR_CHECK" || contype === "CONSTR_NOTNULL")
    return [lock(table, "access exclusive", ...work)]
  if (indexname !== undefined) return [lock(table, "access exclusive")]
  return [
    lock(
      table,
      "access exclusive",
      BUILDS,
      "Build a unique index concurrently, and add the constraint using it."
    )
  ]
}

const SOFT: ReadonlySet<AlterTableType | undefined> = new Set([
  "AT_SetStatistics",
  "AT_SetOptions",
  "AT_ResetOptions",
  "AT_SetRelOptions",
  "AT_ResetRelOptions",
  "AT_ClusterOn",
  "AT_DropCluster",
  "AT_AttachPartition"
])
const REWRITING: ReadonlySet<AlterTableType | undefined> = new Set([
  "AT_AlterColumnType",
  "AT_SetExpression",
  "AT_SetLogged",
  "AT_SetUnLogged",
  "AT_SetAccessMethod",
  "AT_SetTableSpace"
])

/** Returns what a part of `alter table` locks. */
export const alterTable = (
  table: RangeVar | undefined,
  { def, subtype }: AlterTableCmd
): ReadonlyArray<Lock> => {
  if (subtype === "AT_AddColumn" && def !== undefined && "ColumnDef" in def)
    return addColumn(table, def.ColumnDef)
  if (subtype === "AT_AddConstraint" && def !== undefined && "Constraint" in def)
    return addConstraint(table, def.Constraint)
  if (subtype === "AT_ValidateConstraint") return [lock(table, "share update exclusive", READS)]
  if (SOFT.has(subtype)) return [lock(table, "share update exclusive")]
  if (REWRITING.has(subtype)) return [lock(table, "access exclusive", REWRITES, ANOTHER_COLUMN)]
  if (subtype === "AT_SetNotNull")
    return [
      lock(
        table,
        "access exclusive",
        READS,
        "Add check (column is not null) not valid and validate it first. PostgreSQL then need not read the rows."
      )
    ]
  if (/^AT_(?:En|Dis)able.*Trig/.test(subtype ?? "")) return [lock(table, "share row exclusive")]
  return [lock(table, "access exclusive")]
}
