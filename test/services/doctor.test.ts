import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { examined } from "../layers/doctor/examined.ts"
import { smtpServer } from "../layers/mail/smtpServer.ts"
import { freshDatabase } from "../support/Database.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { run } from "../support/processes.ts"

const SERVER_SECRET = "a secret for the tests of the doctor"

describe("the doctor with real parts", () => {
  it.live("A whole set-up of real parts has no fault, and the doctor leaves it as it was", () =>
    Effect.gen(function* () {
      const { SERVICES_CLAMD_UNIX, SERVICES_REDIS_URL, SERVICES_S3_URL } = process.env
      const { port } = yield* smtpServer()
      const parts = {
        DATABASE_URL: Redacted.value(yield* freshDatabase("services_doctor")),
        SERVER_SECRET,
        REDIS_URL: SERVICES_REDIS_URL ?? "",
        CLAMD_URL: SERVICES_CLAMD_UNIX ?? "",
        SCANNER: "clamd",
        SCANNER_DEFINITIONS_MAX_AGE_DAYS: "off",
        // Ceph runs only when the storage has changed.
        ...(SERVICES_S3_URL === undefined
          ? { PENNYPRESS_DATA: yield* temporaryDirectory }
          : { S3_URL: `${SERVICES_S3_URL}&prefix=services-doctor-${process.pid}` }),
        SMTP_URL: `smtp://127.0.0.1:${port}?starttls=never`
      }
      const program = yield* run("../../src/bin/pennypress.ts", ["serve"], {
        ...parts,
        LOG_FORMAT: "json",
        PORT: "0"
      })
      const [, origin = ""] = /^pennypress listening on (\S+)$/.exec(yield* program.line) ?? []
      const of = yield* examined({ ...parts, PUBLIC_BASE_URL: origin })
      for (const [name, said] of [
        ["database", /^PostgreSQL .* answers/],
        ["storage", /accepts an object and returns it|can read and write the folder/],
        ["scanner", /^ClamAV .* answers/],
        ["mail", /^The mail server answers/],
        ["redis", /^Redis answers/],
        ["site", /and is ready/]
      ] as const) {
        const found = of(name)
        assert.match(found[0]?.said ?? "", said)
        assert.notInclude(
          found.map(({ state }) => state),
          "fault",
          name
        )
      }
    })
  )
})
