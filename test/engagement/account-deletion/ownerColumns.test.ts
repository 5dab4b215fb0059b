import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { otherIds, ownerColumns } from "../../../src/engagement/account-deletion/ownerColumns.ts"
import { database } from "../../support/Database.ts"

interface Column {
  readonly table: string
  readonly column: string
}

const nameOf = ({ column, table }: Column) => `${table}.${column}`

layer(database("test_owner_columns"))("the columns that name an owner", (it) => {
  const columns = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Column>`
      select c.table_name as "table", c.column_name as "column"
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.udt_name = 'uuid'`
  )

  it.effect("Every column with an id is that of another thing, or has its fate in the list", () =>
    Effect.gen(function* () {
      const missing = (yield* columns).filter(
        (it) => !otherIds.has(it.column) && ownerColumns[nameOf(it)] === undefined
      )
      assert.deepStrictEqual(missing.map(nameOf), [], "Add its fate to ownerColumns, and a line to erasers")
    })
  )

  it.effect("Every reference to an owner has its fate in the list", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const references = yield* sql<Column>`
        select k.conrelid::regclass::text as "table", a.attname as "column"
        from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
        where k.contype = 'f' and k.confrelid = 'owners'::regclass`
      assert.isAbove(references.length, 20)
      assert.deepStrictEqual(
        references.map(nameOf).filter((name) => ownerColumns[name] === undefined),
        []
      )
    })
  )

  it.effect("The list names columns of the database alone", () =>
    Effect.gen(function* () {
      const known = new Set((yield* columns).map(nameOf))
      assert.deepStrictEqual(
        Object.keys(ownerColumns).filter((name) => !known.has(name)),
        []
      )
    })
  )
})
