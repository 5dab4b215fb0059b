import { assert } from "@effect/vitest"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Every row of every table, as the text that a dump has. */
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

/** The ways in which a secret could be written. */
const spellings = (secret: string) => [secret, ...encodings(secret), encodeURIComponent(secret)]

const absent = (text: string, spelling: string, where: string) => {
  const place = text.indexOf(spelling.toLowerCase())
  assert.strictEqual(place, -1, `${where}: …${text.slice(Math.max(0, place - 80), place + 80)}…`)
}

/** Fails where a secret, or anything that is as hard to meet by chance, appears in any spelling. */
export const assertAbsent = (secrets: Iterable<string>, where: string, texts: ReadonlyArray<string>) => {
  const text = texts.join("\n").toLowerCase()
  for (const secret of secrets) for (const spelling of spellings(secret)) absent(text, spelling, where)
}

/**
 * What has six digits by chance: moments and their fractions, ids, and the hexadecimal of hashes and sealed bytes,
 * in which a code would stand as the hexadecimal of its digits.
 */
const BY_CHANCE = [
  /\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d(\.\d+)?/g,
  /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
  /[0-9a-f]{32,}/g
]

/**
 * The same for codes, which are as short as a fraction of a second is. They are looked for as whole runs of digits in
 * what is left without the texts above: words, and numbers that are the same in each run, since time and chance are
 * the test's own. So nothing fails by accident.
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
