import { assert } from "@effect/vitest"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Returns each row of each table as text, like a dump. */
export const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
  const rows: Array<string> = []
  for (const { name } of tables) {
    for (const { row } of yield* sql<{ readonly row: string }>`select t::text as row from ${sql(name)} t`)
      rows.push(row)
  }
  return rows
})

const encodings = (secret: string) => {
  const bytes = utf8ToBytes(secret)
  return [bytesToHex(bytes), Buffer.from(bytes).toString("base64").replace(/=+$/, "")]
}

/** Spellings of a secret. */
const spellings = (secret: string) => [secret, ...encodings(secret), encodeURIComponent(secret)]

const absent = (text: string, spelling: string, where: string) => {
  const place = text.indexOf(spelling.toLowerCase())
  assert.strictEqual(place, -1, `${where}: …${text.slice(Math.max(0, place - 80), place + 80)}…`)
}

/** Fails where a secret appears in any spelling. */
export const assertAbsent = (secrets: Iterable<string>, where: string, texts: ReadonlyArray<string>) => {
  const text = texts.join("\n").toLowerCase()
  for (const secret of secrets) for (const spelling of spellings(secret)) absent(text, spelling, where)
}

/**
 * Texts with six digits by chance: moments and their fractions, ids, and the hexadecimal of hashes and sealed bytes. A
 * code would appear there as the hexadecimal of its digits.
 */
const BY_CHANCE = [
  /\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d(\.\d+)?/g,
  /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
  /[0-9a-f]{32,}/g
]

/**
 * Fails where a code appears. A code is as short as a fraction of a second, so the search looks for whole runs of digits,
 * without the texts above. The rest is the same in each run, because the test owns time and chance.
 */
export const assertNoCode = (codes: Iterable<string>, where: string, texts: ReadonlyArray<string>) => {
  const text = texts.join("\n").toLowerCase()
  const left = BY_CHANCE.reduce((rest, pattern) => rest.replaceAll(pattern, ""), text)
  for (const code of codes) {
    const place = left.search(new RegExp(`(?<!\\d)${code}(?!\\d)`))
    assert.strictEqual(place, -1, `${where}: …${left.slice(Math.max(0, place - 80), place + 80)}…`)
    for (const spelling of encodings(code)) absent(text, spelling, where)
  }
}
