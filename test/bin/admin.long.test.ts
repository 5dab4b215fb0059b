import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as PepperHmac from "../../layers/crypto/PepperHmac.ts"
import { SubscriberId } from "../../schemas/platform/Ids.ts"
import { makeBounceTokens } from "../../src/engagement/subscribers/bounces/bounceTokens.ts"
import { recorded } from "../engagement/subscribers/recordedReports.ts"
import { configured, started } from "../layers/crypto/serverSecrets.ts"
import { authorOf } from "../support/actors/author.ts"
import { admin, administered, SERVER_SECRET } from "./administered.ts"

/** Makes a reader of an author, and returns the token of their mails. */
const tokenOfReader = Effect.fnUntraced(function* (author: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into subscribers (id, author_id, address, mailbox, state, created_at, asked_at, ask_id, confirmed_at)
    values (${id}, ${author}, 'ada@example.org', 'ada@example.org', 'active', '2026-01-01', '2026-01-01', ${id}, '2026-01-01')`
  const { tokenOf } = yield* makeBounceTokens
  return yield* tokenOf(SubscriberId.make(id))
})

const id = "00000000-0000-7000-8000-000000000000"

describe("pennypress admin", () => {
  it.live("The command speaks to the running service, and says what is wrong", () =>
    Effect.gen(function* () {
      const { env, service } = yield* administered("test_admin_program")

      const [stuck, unknown, other] = yield* Effect.all(
        [
          admin(["uploads", "stuck", "--older-than", "0"], env),
          admin(["uploads", "hold", id], env),
          admin(["uploads", "stuck"], { ...env, ADMIN_TOKEN: "x".repeat(32) })
        ],
        { concurrency: 3 }
      )
      assert.deepStrictEqual(stuck, { status: 0, written: "" })
      assert.deepStrictEqual(unknown, {
        status: 1,
        written: "pennypress: There is no upload operation with this id."
      })
      assert.deepStrictEqual(other, {
        status: 1,
        written: "pennypress: The service has another ADMIN_TOKEN. Set it to the same value here."
      })

      const author = yield* Effect.provideContext(authorOf(1), service)
      const { id: post } = yield* Effect.provideContext(author.published(), service)
      const because = ["--reason", "A test", "--actor", "Mo"]
      const [withdrawn, restricted, audited] = yield* Effect.forEach(
        [
          ["posts", "withdraw", post, ...because],
          ["accounts", "restrict", author.handle, "--json", ...because],
          ["audit", "list"]
        ],
        (args) => admin(args, env)
      )
      assert.strictEqual(withdrawn?.status, 0)
      assert.include(withdrawn?.written, post)
      assert.include(JSON.parse(restricted?.written ?? ""), { handle: author.handle })
      const entries = (audited?.written ?? "").split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        entries.map(({ action, actor, reason, subjectId }) => [action, actor, reason, subjectId]),
        [
          ["accounts.restrict", "Mo", "A test", JSON.parse(restricted?.written ?? "").ownerId],
          ["moderation.posts.withdraw", "Mo", "A test", post]
        ]
      )

      const runs = yield* Effect.forEach(
        [
          ["accounts", "restrict", "nobody_here", ...because],
          ["posts", "withdraw", id, ...because],
          ["comments", "hide", id, "--json", ...because],
          ["reports", "list", "--status", "claimed"],
          ["reports", "claim", id, "--actor", "Mo"],
          ["reports", "resolve", id, "--outcome", "dismissed", "--others", ...because]
        ],
        (args) => admin(args, env),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(
        runs.map(({ written }) => written),
        [
          "pennypress: No account has this handle.",
          "pennypress: There is no Post with this id.",
          "pennypress: There is no Comment with this id.",
          "",
          "pennypress: There is no report with this id.",
          "pennypress: There is no report with this id."
        ]
      )

      const token = yield* tokenOfReader(JSON.parse(restricted?.written ?? "").ownerId).pipe(
        Effect.provideContext(yield* started(Layer.provide(PepperHmac.layer, configured(SERVER_SECRET)))),
        Effect.provideContext(service)
      )
      const handedIn = yield* Effect.forEach(
        [
          recorded("postfix", token),
          `${recorded("gmail", token)}${"returned text\n".repeat(100_000)}`,
          recorded("postfix", "0".repeat(48)),
          recorded("feedbackLoop", token),
          "Subject: I am on holiday\n\nUntil Monday."
        ],
        (report) => admin(["mail", "bounce"], env, report)
      )
      assert.deepStrictEqual(handedIn, [
        { status: 0, written: "Counted a mail that did not arrive." },
        { status: 0, written: "Counted a mail that did not arrive." },
        { status: 0, written: "The report names no reader of this service. Nothing changed." },
        { status: 0, written: "Ended all mail to a reader who complained." },
        { status: 0, written: "No mail failed, and no one complained. Nothing changed." }
      ])
      const away = yield* admin(
        ["mail", "bounce", "--url", "http://127.0.0.1:1"],
        env,
        recorded("postfix", token)
      )
      assert.strictEqual(away.status, 1)
    })
  )
})
