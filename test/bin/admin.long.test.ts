import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../support/actors/author.ts"
import { admin, administered } from "./administered.ts"

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
    })
  )
})
