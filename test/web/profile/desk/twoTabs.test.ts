import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { deskAuthor } from "../../desk/author.ts"
import { validated } from "../../pages/documents.ts"
import { sentForm } from "../../write/sentForm.ts"

const PROFILE = "/desk/profile"
const SETTINGS = "/desk/notifications/settings"

layer(service(database("test_web_profile_tabs")))("Forms of the desk in two tabs", (it) => {
  it.effect("A profile keeps what another tab saved, and shows what both changed", () =>
    Effect.gen(function* () {
      const { reader } = yield* deskAuthor(1)
      const open = Effect.map(reader.get(PROFILE), ({ text }) => sentForm(text))
      const one = yield* open
      const other = yield* open
      assert.strictEqual(
        (yield* reader.post(PROFILE, { ...other, bio: "Theirs", location: "Oslo" })).status,
        303
      )
      assert.strictEqual((yield* reader.post(PROFILE, { ...one, tipLabel: "Thanks" })).status, 303)
      const joined = yield* open
      assert.deepInclude(joined, { bio: "Theirs", location: "Oslo", tipLabel: "Thanks" })

      const twice = yield* reader.post(PROFILE, { ...one, bio: "Mine" })
      assert.strictEqual(twice.status, 409)
      validated(twice.text)
      assert.include(twice.text, "This was changed elsewhere to “Theirs”.")
      assert.deepInclude(yield* open, { bio: "Theirs", location: "Oslo" })
      assert.strictEqual((yield* reader.post(PROFILE, sentForm(twice.text))).status, 303)
      assert.deepInclude(yield* open, { bio: "Mine", location: "Oslo", tipLabel: "Thanks" })
    })
  )

  it.effect("The names of an account are not taken back by a page that was opened before", () =>
    Effect.gen(function* () {
      const { reader } = yield* deskAuthor(2)
      const one = sentForm((yield* reader.get("/profile?back=/desk")).text)
      const names = { ...one, name: "A new name" }
      assert.strictEqual((yield* reader.post("/profile", names)).status, 303)
      assert.strictEqual((yield* reader.post("/profile", { ...one, handle: "another_2" })).status, 303)
      const after = sentForm((yield* reader.get("/profile?back=/desk")).text)
      assert.deepInclude(after, { name: "A new name", handle: "another_2" })
      const twice = yield* reader.post("/profile", { ...one, name: "A third name" })
      assert.strictEqual(twice.status, 409)
      assert.include(twice.text, "This was changed elsewhere to “A new name”.")
    })
  )

  it.effect("A box that another tab ticked stays ticked", () =>
    Effect.gen(function* () {
      const { reader } = yield* deskAuthor(3)
      const open = Effect.map(reader.get(SETTINGS), ({ text }) => sentForm(text))
      const one = yield* open
      assert.notProperty(one, "notify_new_follow")
      assert.strictEqual((yield* reader.post(SETTINGS, { ...one, notify_new_follow: "on" })).status, 303)
      const { notify_comment_reply: _reply, ...without } = one
      assert.strictEqual((yield* reader.post(SETTINGS, without)).status, 303)
      const after = yield* open
      assert.property(after, "notify_new_follow")
      assert.notProperty(after, "notify_comment_reply")
      assert.strictEqual((yield* reader.post(SETTINGS, after)).status, 303)
    })
  )
})
