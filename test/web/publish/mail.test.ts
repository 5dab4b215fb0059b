import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { validated } from "../pages/documents.ts"
import { authorOf, draftOf, pageOf } from "../write/author.ts"
import { sentForm } from "../write/sentForm.ts"

/** Gives the author of a draft a reader who gets posts by mail. */
const addReader = Effect.fnUntraced(function* (path: string, email: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into subscribers (id, author_id, address, mailbox, state, created_at, asked_at, ask_id, confirmed_at)
    select gen_random_uuid(), owner_id, ${email}, ${email}, 'active', created_at, created_at, gen_random_uuid(), created_at
    from posts where id = ${path.replace("/write/", "")}::uuid`
})

layer(service(database("test_web_mail"), 1, { holdsNewAccounts: false }))(
  "The mail of a post on its pages",
  (it) => {
    it.effect("An author sees who gets the mail, reads it, and takes it back after the publication", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const path = yield* draftOf(author)
        assert.notInclude(yield* pageOf(author, `${path}/publish`), "by email, five minutes")
        yield* addReader(path, "reader@example.org")
        const page = yield* pageOf(author, `${path}/publish`)
        assert.include(page.replaceAll(/\s+/g, " "), "1 reader gets the post by email, five minutes after")
        const text = yield* author.get(`${path}/mail`)
        assert.strictEqual(text.status, 200)
        const mail = yield* author.get(`${path}/mail?as=html`)
        assert.include(mail.text, "Unsubscribe")
        assert.match(mail.headers.get("content-security-policy") ?? "", /default-src 'none'.*sandbox/)
        const sent = yield* author.post(`${path}/publish`, { ...sentForm(page), act: "publish" })
        assert.strictEqual(sent.status, 303, sent.text)
        assert.include(yield* pageOf(author, `${path}/publish?done=publish`), "leaves in 5 minutes")
        yield* TestClock.adjust("210 seconds")
        assert.include(yield* pageOf(author, `${path}/publish`), "leaves in 2 minutes")
        assert.strictEqual((yield* author.post(`${path}/mailing`, { action: "other" })).status, 400)
        assert.strictEqual((yield* author.post(`${path}/mailing`, { action: "cancel" })).status, 303)
        const cancelled = yield* pageOf(author, `${path}/publish`)
        assert.include(cancelled, "The email isn&#39;t sent.")
        const { key = "" } = sentForm(cancelled)
        assert.strictEqual((yield* author.post(`${path}/unpublish`, { key })).status, 303)
        const draft = yield* pageOf(author, `${path}/publish`)
        assert.include(draft, "The email of the first publication wasn't sent.")
      })
    )

    it.effect("An author keeps a post from being mailed, now or at its moment, and the page says so", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(5)
        const [now, later] = [yield* draftOf(author), yield* draftOf(author)]
        assert.notInclude(yield* pageOf(author, `${now}/publish`), 'id="unmailed"')
        yield* addReader(now, "reader@example.org")
        const page = yield* pageOf(author, `${now}/publish`)
        assert.notProperty(sentForm(page), "unmailed")
        const sent = { ...sentForm(page), unmailed: "1" }
        const isSaved = yield* author.post(`${now}/publish`, { ...sent, act: "save" })
        assert.strictEqual(isSaved.status, 303, isSaved.text)
        const saved = yield* pageOf(author, `${now}/publish`)
        assert.strictEqual(sentForm(saved)["unmailed"], "1")
        assert.include(saved, "Your readers don&#39;t get this post by email.")
        const out = yield* author.post(`${now}/publish`, { ...sentForm(saved), act: "publish" })
        assert.strictEqual(out.status, 303, out.text)
        assert.include(
          yield* pageOf(author, `${now}/publish?done=publish`),
          "You chose not to email this post to your readers."
        )
        const { key = "" } = sentForm(yield* pageOf(author, `${now}/publish`))
        assert.strictEqual((yield* author.post(`${now}/unpublish`, { key })).status, 303)
        const again = yield* pageOf(author, `${now}/publish`)
        assert.include(again, "This post was published before, so no one gets a notification.")
        assert.include(again, "published before without an email")
        assert.notInclude(again, 'id="unmailed"')

        const moment = { when: "1970-02-01T09:00", zone: "UTC", act: "later", unmailed: "1" }
        const form = sentForm(yield* pageOf(author, `${later}/publish`))
        const scheduled = yield* author.post(`${later}/schedule`, { ...form, ...moment })
        assert.strictEqual(scheduled.status, 303, scheduled.text)
        assert.strictEqual(sentForm(yield* pageOf(author, `${later}/publish`))["unmailed"], "1")
        const { unmailed: _, ...changed } = sentForm(yield* pageOf(author, `${later}/publish`))
        assert.strictEqual((yield* author.post(`${later}/publish`, { ...changed, act: "save" })).status, 303)
        const mailed = yield* pageOf(author, `${later}/publish`)
        assert.include(mailed.replaceAll(/\s+/g, " "), "1 reader gets the post by email")
      })
    )

    it.effect("Two tabs that differ about the mail are compared, also once the post is public", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(6)
        const path = yield* draftOf(author)
        yield* addReader(path, "both@example.org")
        const mine = { ...sentForm(yield* pageOf(author, `${path}/publish`)), act: "save" }
        const theirs = yield* author.post(`${path}/publish`, { ...mine, unmailed: "1" })
        assert.strictEqual(theirs.status, 303, theirs.text)
        const compared = yield* author.post(`${path}/publish`, { ...mine, details: "Mine." })
        assert.strictEqual(compared.status, 409)
        assert.include(compared.text, 'id="choose-unmailed"')
        const form = sentForm(yield* pageOf(author, `${path}/publish`))
        assert.strictEqual((yield* author.post(`${path}/publish`, { ...form, act: "publish" })).status, 303)
        const late = yield* author.post(`${path}/publish`, { ...mine, details: "Mine." })
        assert.strictEqual(late.status, 409)
        assert.notInclude(late.text, "unmailed")
      })
    )

    it.effect("An author who decides against the mail too late hears that the post was changed", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(8)
        const path = yield* draftOf(author)
        yield* addReader(path, "late@example.org")
        const form = sentForm(yield* pageOf(author, `${path}/publish`))
        const out = yield* author.post(`${path}/publish`, { ...form, act: "publish" })
        assert.strictEqual(out.status, 303, out.text)
        for (const act of ["save", "publish"]) {
          const late = yield* author.post(`${path}/publish`, { ...form, act, unmailed: "1" })
          assert.strictEqual(late.status, 409)
          assert.include(
            late.text.replaceAll(/\s+/g, " "),
            "This post was changed since you opened this page."
          )
          assert.notInclude(late.text, "unmailed")
          assert.include(late.text, "leaves in 5 minutes")
        }
        const same = yield* author.post(`${path}/publish`, { ...form, act: "save" })
        assert.strictEqual(same.status, 303, same.text)
      })
    )

    it.effect("An author of an imported draft reads that its date keeps it from being news", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(7)
        const path = yield* draftOf(author)
        yield* addReader(path, "old@example.org")
        const sql = yield* SqlClient.SqlClient
        const date = (days: number) => sql`
          update posts set dated_at = ${new Date(-days * 86_400_000)} where id = ${path.replace("/write/", "")}::uuid`
        yield* date(2)
        const old = (yield* pageOf(author, `${path}/publish`)).replaceAll(/\s+/g, " ")
        assert.include(old, "If you publish it now, no one gets a notification.")
        assert.include(old, "If you publish it now, your readers don&#39;t get it by email.")
        const form = sentForm(old)
        const moment = { when: "1970-02-01T09:00", zone: "UTC", act: "later" }
        const scheduled = yield* author.post(`${path}/schedule`, { ...form, ...moment })
        assert.strictEqual(scheduled.status, 303, scheduled.text)
        const later = (yield* pageOf(author, `${path}/publish`)).replaceAll(/\s+/g, " ")
        assert.include(later, "You have no followers yet")
        assert.include(later, "1 reader gets the post by email")
      })
    )

    it.effect("The room of readers shows one of them by the address, and removes them", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(2)
        const path = yield* draftOf(author)
        yield* addReader(path, "first@example.org")
        yield* addReader(path, "second@example.org")
        const room = yield* pageOf(author, "/desk/readers")
        assert.include(room, "2 readers get your posts by email.")
        const found = yield* pageOf(author, "/desk/readers?q=Second@example.org")
        assert.include(found, "second@example.org")
        assert.notInclude(found, "first@example.org")
        const [, id = ""] = /name="id" value="([^"]+)"/.exec(found) ?? []
        assert.strictEqual((yield* author.post("/desk/readers/remove", { id })).status, 303)
        assert.include(yield* pageOf(author, "/desk/readers"), "1 reader gets your posts by email.")
        const table = yield* author.get("/desk/readers/export.csv")
        assert.include(table.text, "first@example.org,active,form")
        const stranger = yield* authorOf(3)
        assert.strictEqual((yield* stranger.post("/desk/readers/remove", { id })).status, 404)
      })
    )

    it.effect("An author brings readers from a file or a pasted list, and reads what was left out", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(4)
        assert.include(yield* pageOf(author, "/desk/readers"), 'href="/desk/readers/import"')
        const form = yield* pageOf(author, "/desk/readers/import")
        assert.include(form, 'enctype="multipart/form-data"')
        const fields = {
          source: "Substack",
          statement: "They signed up on my old page.",
          attested: "yes",
          csv: ""
        }
        const file = (content: string) => [{ name: "file", fileName: "readers.csv", content }]
        const bring = (values: Record<string, string>, content = "") =>
          author.postParts("/desk/readers/import", values, file(content))
        const { attested: _, ...unattested } = fields
        const refused = yield* bring({ ...unattested, source: "", csv: "<b>@example.org" }, "a@example.org")
        assert.strictEqual(refused.status, 422)
        assert.include(refused.text, "Tick the box if it is so")
        assert.include(refused.text, "&lt;b&gt;@example.org")
        const long = yield* bring(fields, "x".repeat(1024 * 1024 + 1))
        assert.strictEqual(long.status, 413, long.text)
        const taken = yield* bring(
          fields,
          "email,email_disabled\nfile@example.org,false\noff@example.org,true\n"
        )
        assert.strictEqual(taken.status, 200, taken.text)
        assert.include(taken.text, "1 reader added.")
        assert.include(taken.text, "Line 3: unsubscribed")
        const pasted = yield* author.postParts(
          "/desk/readers/import",
          { ...fields, csv: "file@example.org\npasted@example.org" },
          [{ name: "file", fileName: "", content: "" }]
        )
        assert.include(pasted.text, "1 reader added.")
        assert.include(yield* pageOf(author, "/desk/readers"), "pasted@example.org")
        validated(refused.text)
        validated(taken.text)
      })
    )
  }
)
