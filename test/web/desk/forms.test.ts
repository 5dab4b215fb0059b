import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { keysOf } from "../../accounts/api-keys/keys.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate, browser, type Browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"
import { deskAuthor } from "./author.ts"
import type { DeskAuthor, FormRequest } from "./DeskForm.ts"
import { forms } from "./everyForm.ts"

const press = (
  reader: Browser,
  { fields, file, path }: FormRequest,
  headers: Readonly<Record<string, string>> = {}
) =>
  file === undefined ? reader.post(path, fields, headers) : reader.postParts(path, fields, [file], headers)

/** Tables that say who is signed in. The forms are about everything else. */
const OF_SIGN_INS = ["sessions", "browser_sessions", "refresh_tokens", "wallet_challenges", "registrations"]

/** Returns a digest of the rows of each table, in any order, by the name of the table. */
const everything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' and not tablename in ${sql.in(OF_SIGN_INS)}`
  const digests = yield* sql<{ readonly name: string; readonly digest: string }>`${sql.join(
    " union all ",
    false
  )(
    tables.map(
      ({ name }) => sql`
        select ${name}::text as name, concat(count(*), ' ', sum(hashtextextended(t::text, 0))) as digest from ${sql(name)} t`
    )
  )}`
  return Object.fromEntries(digests.map(({ digest, name }) => [name, digest]))
})

layer(service(database("test_web_desk_forms"), 1, { adminToken: ADMIN_TOKEN }))(
  "The forms of the desk",
  (it) => {
    /** An author who has nothing to do with the forms of the others. */
    let another: DeskAuthor | undefined
    forms.forEach((form, index) => {
      const number = 10 * index + 1
      const { isHidden, isOfOwn, isOnPublicPages, isOnce, needsKey, stale, typed } = form

      it.effect(`The form to ${form.name} is for its author alone, and keeps what it refuses`, () =>
        Effect.gen(function* () {
          const author = yield* deskAuthor(number)
          const other = (another ??= yield* deskAuthor(number + 1))
          // The first form that needs the key of the website makes it.
          for (const { reader } of [author, other]) {
            const { text } = yield* reader.get("/write")
            yield* reader.post("/write", { key: valueOf(text, "key"), title: "First" })
          }
          const request = yield* form.request(author)
          const stranger = yield* browser
          const ended = yield* browser
          yield* signIn(ended, number)
          const jar = [...ended.jar]
          yield* ended.post("/sign-out")
          for (const [key, cookie] of jar) ended.jar.set(key, cookie)
          let unpressed = yield* everything

          const foreign = yield* press(author.reader, request, { "sec-fetch-site": "cross-site" })
          assert.strictEqual(foreign.status, 403, "a form of another site")

          for (const reader of [stranger, ended]) {
            const refused = yield* press(reader, request)
            if (isHidden && reader === stranger) {
              assert.strictEqual(refused.status, 404, refused.text)
              continue
            }
            assertPrivate(refused)
            if (refused.status === 303) {
              assert.match(refused.headers.get("location") ?? "", /^\/sign-in\?back=/)
              assert.isUndefined(typed, "a text that was typed is lost")
            } else {
              assert.strictEqual(refused.status, isOnPublicPages === true ? 200 : 401, refused.text)
              validated(refused.text)
              assert.include(refused.text, typed ?? "/sign-in")
            }
          }

          if (isOfOwn) {
            const refused = yield* press(other.reader, request)
            assert.strictEqual(refused.status, 404, refused.text)
          }

          if (stale !== undefined) {
            const refused = yield* press(author.reader, {
              ...request,
              fields: { ...request.fields, ...stale }
            })
            assert.strictEqual(refused.status, 409, refused.text)
            validated(refused.text)
            assert.include(refused.text, typed ?? "")
          }
          assert.deepStrictEqual(yield* everything, unpressed)

          if (needsKey) {
            const sql = yield* SqlClient.SqlClient
            yield* sql`update api_keys set expires_at = created_at where is_website`
            const keys = yield* keysOf(author.token)
            for (let key = 0; key < 5; key++) yield* keys.issued({ label: `Key ${key}` })
            const withFive = yield* everything
            const refused = yield* press(author.reader, request)
            assert.strictEqual(refused.status, 409, refused.text)
            validated(refused.text)
            assert.include(refused.text, typed ?? "five")
            assert.deepStrictEqual(yield* everything, withFive)
            yield* keys.revoke((yield* keys.list).find(({ label }) => label === "Key 0")!.keyId)
            yield* author.reader.get("/write")
            unpressed = yield* everything
          }

          const done = yield* press(author.reader, request)
          assert.include([200, 303], done.status, done.text)
          const pressed = yield* everything
          assert.notDeepEqual(pressed, unpressed)
          const again = yield* press(author.reader, request)
          if (isOnce) assert.include([404, 409], again.status, again.text)
          else {
            assert.strictEqual(again.status, done.status, again.text)
            assert.strictEqual(again.headers.get("location"), done.headers.get("location"))
          }
          assert.deepStrictEqual(yield* everything, pressed)
        })
      )

      it.effect(`The form to ${form.name} does nothing for a restricted account`, () =>
        Effect.gen(function* () {
          const author = yield* deskAuthor(number + 2)
          const request = yield* form.request(author)
          yield* (yield* administrator())["accounts.restrict"]({
            handle: `writer_${author.number}`,
            actor: "Mo",
            reason: "Sells what others wrote"
          })
          const before = yield* everything
          const refused = yield* press(author.reader, request)
          assert.strictEqual(refused.status, isHidden ? 404 : 403, refused.text)
          if (!isHidden) validated(refused.text)
          assert.deepStrictEqual(yield* everything, before)
        })
      )
    })
  }
)
