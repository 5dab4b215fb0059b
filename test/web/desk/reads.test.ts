import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Reads } from "../../../src/engagement/reads/Reads.ts"
import { atNoon, GOOGLE, pageOf, visit } from "../../engagement/reads/reading.ts"
import { sellerOf } from "../../payments/settlement/paying.ts"
import { buyerOf } from "../../support/actors/buyer.ts"
import { signIn as signInByApi } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"

/** Returns the texts of a row of a table, by its head. */
const rowOf = (text: string, head: string) => {
  const [, row = ""] = new RegExp(`<th scope="row">${head}</th>([^]*?)</tr>`).exec(text) ?? []
  return [...row.matchAll(/<td[^>]*>([^<]*)</g)].map(([, value]) => value)
}

layer(service(database("test_web_desk_reads")))("The reads of a post", (it) => {
  it.effect("An author sees reads by day, sources, and the way to a sale for people and agents apart", () =>
    Effect.gen(function* () {
      yield* atNoon
      const { author, postId } = yield* sellerOf(1)
      const page = pageOf(author, (yield* author.read(postId)).body)
      yield* visit(page, { headers: { referer: "https://news.example/<b>" } })
      yield* visit(page, { from: "192.0.2.2", headers: { referer: "https://news.example/" } })
      yield* visit(page, { headers: { "user-agent": GOOGLE } })
      yield* visit(`/@${author.handle}/atom.xml`)
      const client = yield* browser
      client.comesFrom({ headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/132.0" } })
      yield* client.post(`/read/${postId}/buy`)
      const buyer = yield* buyerOf(2)
      yield* buyer.buy(postId, { headers: { "user-agent": "agent/1.0" } })
      yield* (yield* Reads).flush

      const desk = yield* browser
      yield* signIn(desk, 1)
      const { answer, statements } = yield* statementsOf(desk.get(`/desk/posts/${postId}`))
      assert.strictEqual(answer.status, 200, answer.text)
      assertPrivate(answer)
      validated(answer.text)
      // Two of the session, then the sums and the days.
      assert.lengthOf(statements, 4, statements.join("\n\n"))
      const { text } = answer
      assert.include(text, "<bdi>On pennies</bdi>")
      assert.include(text, "3 visitors")
      assert.include(text, "Feed readers got it 1 time")
      assert.deepStrictEqual(rowOf(text, "Read it"), ["2", "1"])
      assert.deepStrictEqual(rowOf(text, "Saw the price"), ["2", "1"])
      assert.deepStrictEqual(rowOf(text, "Began to pay"), ["1", "0"])
      assert.deepStrictEqual(rowOf(text, "Bought it"), ["0", "1"])
      assert.deepStrictEqual(rowOf(text, "November 29, 2026"), ["2", "1", "3", "1"])
      assert.match(text, /<svg[^>]*class="chart"/)
      assert.match(text, /<span>news\.example<\/span>\s*<span class="size">2<\/span>/)
      assert.notInclude(text, "secret")

      const list = yield* desk.get("/desk/posts")
      validated(list.text)
      assert.match(list.text, new RegExp(`<a href="/desk/posts/${postId}"><data value="3">3</data>`))
      assert.match(list.text, /data-unit="looks">\s*<a[^>]*><data value="3">/)
    })
  )

  it.effect(
    "A post without a read says so, and any period that is none of the choices is the usual one",
    () =>
      Effect.gen(function* () {
        yield* atNoon
        const { postId } = yield* sellerOf(3)
        const desk = yield* browser
        yield* signIn(desk, 3)
        for (const days of ["", "7", "365", "0", "x"]) {
          const { status, text } = yield* desk.get(`/desk/posts/${postId}?days=${days}`)
          assert.strictEqual(status, 200)
          validated(text)
          assert.include(text, "There were no reads on these days.")
        }
      })
  )

  it.effect("The post of another author, a missing one and a text that is no id are not found", () =>
    Effect.gen(function* () {
      yield* atNoon
      const { postId } = yield* sellerOf(4)
      yield* signInByApi(5)
      const desk = yield* browser
      assert.strictEqual((yield* desk.get(`/desk/posts/${postId}`)).status, 303)
      yield* signIn(desk, 5)
      for (const id of [postId, "0190f3c2-7b1e-7c4a-9d52-000000000000", "x"])
        assert.strictEqual((yield* desk.get(`/desk/posts/${id}`)).status, 404, id)
    })
  )
})
