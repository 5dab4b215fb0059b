import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"

/** A node of a plan, as EXPLAIN writes it. */
export interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<PlanNode>
}

/** Returns a node and all below it. */
const nodesOf = (node: PlanNode): ReadonlyArray<PlanNode> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Runs an effect and returns the statements that it sent, as they were. */
const sentBy = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sent: Array<readonly [text: string, parameters: ReadonlyArray<unknown>]> = []
  yield* Effect.provideService(effect, Statement.CurrentTransformer, (statement) =>
    Effect.sync(() => {
      sent.push(statement.compile())
      return statement
    })
  )
  return sent
})

const textOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.map((item) => `"${textOf(item)}"`).join(",")}}`
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : String(value)
}

const literal = (value: unknown) => (value === null ? "null" : `'${textOf(value).replaceAll("'", "''")}'`)

/**
 * Runs an effect, then explains and rolls back each of its statements. The plan is the one that PostgreSQL keeps for a
 * prepared statement (`force_generic_plan`) or makes for these values (`force_custom_plan`). Returns the nodes of all plans.
 */
export const planNodes = Effect.fnUntraced(function* <A, E, R>(
  mode: "force_generic_plan" | "force_custom_plan",
  effect: Effect.Effect<A, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const nodes: Array<PlanNode> = []
  for (const [text, parameters] of yield* sentBy(effect)) {
    const values = parameters.length === 0 ? "" : `(${parameters.map(literal).join(", ")})`
    yield* sql
      .withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(`set local plan_cache_mode = ${mode}`).unprepared
          yield* sql.unsafe(`prepare explained as ${text}`).unprepared
          const [row] = yield* sql.unsafe<{
            readonly "QUERY PLAN": readonly [{ readonly Plan: PlanNode }]
          }>(`explain (analyze, format json) execute explained${values}`).unprepared
          nodes.push(...nodesOf(row!["QUERY PLAN"][0].Plan))
          yield* sql.unsafe("deallocate explained").unprepared
          return yield* Effect.fail("roll back" as const)
        })
      )
      .pipe(
        Effect.catchIf(
          (error) => error === "roll back",
          () => Effect.void
        )
      )
  }
  return nodes
})

/** Returns how many rows the scans of a table read. */
export const rowsRead = (nodes: ReadonlyArray<PlanNode>, table: string) =>
  nodes
    .filter((node) => node["Relation Name"] === table)
    .reduce((rows, node) => rows + node["Actual Rows"] * node["Actual Loops"], 0)

/** Returns the tables that a plan reads from their beginning to their end. */
export const wholeTables = (nodes: ReadonlyArray<PlanNode>) =>
  nodes.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"])

/** Returns the most rows that one node read, an index too, with those that it left out. */
export const mostRows = (nodes: ReadonlyArray<PlanNode>) =>
  Math.max(
    ...nodes.map(
      (node) =>
        node["Actual Loops"] *
        (node["Actual Rows"] +
          (node["Rows Removed by Filter"] ?? 0) +
          (node["Rows Removed by Index Recheck"] ?? 0))
    )
  )
