import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ownerIdOf } from "../../payments/settlement/paying.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { closeAccount, eraseDue } from "../account-deletion/leaving.ts"
import { exported } from "../account-export/archive.ts"
import { dispatch, listenerOf } from "./listening.ts"

/** Closes the account of the `number`th author, and does the work that follows. */
const leave = Effect.fnUntraced(function* (
  number: number,
  { accessToken }: { readonly accessToken: string }
) {
  const client = yield* TestClient
  const { body } = yield* client.send("GET", "/api/v1/me", { token: accessToken })
  yield* closeAccount(number, { accessToken, handle: body.owner.handle })
  yield* followRestrictions
})

layer(service(database("test_event_accounts")))("the events of an account", (it) => {
  it.effect("An export has the events, and erasing the account removes all of them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* commenterOf(1)
      const reader = yield* commenterOf(2)
      const owner = yield* ownerIdOf(author.accessToken)
      const listener = yield* listenerOf(author)
      yield* listener.page()
      const post = yield* author.published()
      yield* reader.say(post.id, "A word")
      yield* dispatch
      const { data } = yield* listener.page()
      const { account } = yield* exported(author.accessToken)
      assert.deepStrictEqual(account.events, data)
      assert.lengthOf(data, 2)

      yield* leave(1, author)
      const closed = yield* sql`
        select data ->> 'by' as by from events where owner_id = ${owner} and type = 'post.unpublished'`
      assert.deepStrictEqual(closed, [{ by: "restriction" }])
      yield* TestClock.adjust("31 days")
      yield* eraseDue
      yield* dispatch
      assert.isEmpty(yield* sql`select from events where owner_id = ${owner}`)
      assert.isEmpty(yield* sql`select from event_listeners where owner_id = ${owner}`)
    })
  )

  it.effect("An author learns that a commenter's account is erased", () =>
    Effect.gen(function* () {
      const author = yield* commenterOf(11)
      const reader = yield* commenterOf(12)
      yield* (yield* listenerOf(author)).page()
      const post = yield* author.published()
      const comment = yield* reader.say(post.id, "A word")
      yield* leave(12, reader)
      yield* dispatch
      const { data } = yield* (yield* listenerOf(author)).page()
      assert.deepStrictEqual(
        data.map(({ data, type }: any) => [type, data.by, data.comment?.id]),
        [
          ["post.published", undefined, undefined],
          ["comment.created", undefined, comment.id],
          ["comment.deleted", "restriction", comment.id]
        ]
      )
    })
  )
})
