import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { paceFindings, type ReaderCounts } from "../../../layers/doctor/mailPace.ts"
import { insertOwner } from "../../support/actors/storedOwner.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { examined } from "./examined.ts"

/** The pace of a variable. */
const PACES = {
  "600/minute": { mails: 600, seconds: 60 },
  "2000/day": { mails: 2_000, seconds: 86_400 }
}

describe("the doctor at the pace of mail to readers", () => {
  it("A pace is too slow for a list that takes over a day, and for all lists that take over a week", () => {
    const said = (counts: ReaderCounts, pace: keyof typeof PACES) =>
      paceFindings(counts, PACES[pace]).map(({ said }) => said)
    assert.deepStrictEqual(said({ largest: 0, all: 0 }, "2000/day"), [])
    assert.deepStrictEqual(said({ largest: 2_000, all: 14_000 }, "2000/day"), [])
    assert.deepStrictEqual(said({ largest: 800_000, all: 5_000_000 }, "600/minute"), [])
    assert.deepStrictEqual(said({ largest: 2_001, all: 2_001 }, "2000/day"), [
      "One author has 2,001 readers by mail: at MAIL_RATE, a post takes 25 hours to all of them."
    ])
    assert.deepStrictEqual(said({ largest: 10_000, all: 20_000 }, "2000/day"), [
      "One author has 10,000 readers by mail: at MAIL_RATE, a post takes 5 days to all of them."
    ])
    assert.deepStrictEqual(said({ largest: 2_000, all: 14_001 }, "2000/day"), [
      "The authors have 14,001 readers by mail: at MAIL_RATE, one post of each takes 8 days."
    ])
  })

  it.live("The doctor counts the readers who get mail, and none without a database that answers", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_doctor_pace")
      const paces = (DATABASE_URL: string) =>
        Effect.map(examined({ DATABASE_URL, MAIL_RATE: "1440/day", SERVER_SECRET: "s".repeat(32) }), (of) =>
          of("mail").filter(({ said }) => said.includes("MAIL_RATE"))
        )
      assert.isEmpty(yield* paces("postgres://a:s3cret@127.0.0.1:1/none"))
      assert.isEmpty(yield* paces(Redacted.value(url)))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const author = yield* insertOwner(1)
        yield* sql`
          insert into subscribers (id, author_id, address, mailbox, state, created_at, asked_at, ask_id, confirmed_at)
          select gen_random_uuid(), ${author}, n || '@example.org', n || '@example.org',
            case when n <= 1441 then 'active' else 'pending' end, now(), now(), gen_random_uuid(),
            case when n <= 1441 then now() end
          from generate_series(1, 2000) n`
      }).pipe(Effect.provide(pool(url)))
      const [found, ...others] = yield* paces(Redacted.value(url))
      assert.isEmpty(others)
      assert.strictEqual(found?.state, "warning")
      assert.include(found?.said, "One author has 1,441 readers by mail")
    })
  )
})
