import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { type Version, versionSha256 } from "../version.ts"

const digestOf = Effect.fnUntraced(function* ({ files, free, paid, title }: Version) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly digest: string }>`
    select encode(version_sha256(${title}::text, ${free}::text, ${paid}::text, ${JSON.stringify(files)}::jsonb), 'hex') as digest`
  return row?.digest
})

layer(service(database("test_version_sha256")))("the digest of a version", (it) => {
  it.effect("The digest of a version is that of its canonical JSON", () =>
    Effect.gen(function* () {
      const version: Version = {
        title: 'On "pennies" \\ Grüße 🪙',
        free: "One\ntwo\tthree\u0001\u2028",
        paid: null,
        files: [
          { id: "019acb00-0000-7000-8000-000000000002", sha256: "b".repeat(64) },
          { id: "019acb00-0000-7000-8000-000000000001", sha256: "a".repeat(64) }
        ]
      }
      const json = `{"files":[{"id":"019acb00-0000-7000-8000-000000000001","sha256":"${"a".repeat(64)}"},{"id":"019acb00-0000-7000-8000-000000000002","sha256":"${"b".repeat(64)}"}],"free":"One\\ntwo\\tthree\\u0001\u2028","paid":null,"title":"On \\"pennies\\" \\\\ Grüße 🪙"}`
      const expected = createHash("sha256").update(json, "utf8").digest("hex")
      assert.strictEqual(expected, "fd6098bb91e66a2abe1757009fcae68b6a5266811c1e226cc670bb2cb09b4443")
      assert.strictEqual(yield* digestOf(version), expected)
      assert.strictEqual(versionSha256(version), expected)
    })
  )

  it.effect("The database and a buyer compute the same digest of any texts", () =>
    Effect.gen(function* () {
      // PostgreSQL has no NUL, and no half of a pair.
      const text = fc.string({ unit: "grapheme" }).map((it) => it.toWellFormed().replaceAll("\0", ""))
      const version = fc.record({
        title: text,
        free: fc.option(text),
        paid: fc.option(text),
        files: fc.uniqueArray(fc.record({ id: fc.uuid(), sha256: fc.stringMatching(/^[0-9a-f]{64}$/) }), {
          maxLength: 3,
          selector: ({ id }) => id
        })
      })
      const codes: ReadonlyArray<Version> = [
        {
          title: String.fromCharCode(...Array.from({ length: 0x2fff }, (_, code) => code + 1)),
          free: "",
          paid: "",
          files: []
        }
      ]
      for (const it of [...codes, ...fc.sample(version, 300)])
        assert.strictEqual(yield* digestOf(it), versionSha256(it), JSON.stringify(it))
    })
  )
})
