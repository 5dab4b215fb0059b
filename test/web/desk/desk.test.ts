import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Reads } from "../../../src/engagement/reads/Reads.ts"
import { pageOf as postPage, visit } from "../../engagement/reads/reading.ts"
import { paid } from "../../payments/finance/selling.ts"
import { ownerIdOf, PRICE_RAW, sellerOf } from "../../payments/settlement/paying.ts"
import { authorOf } from "../../support/actors/author.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { signIn as signInByApi } from "../../support/actors/owner.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate, browser, type Browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"

const pageOf = Effect.fnUntraced(function* (reader: Browser, path: string) {
  const answer = yield* reader.get(path)
  assert.strictEqual(answer.status, 200, answer.text)
  assertPrivate(answer)
  validated(answer.text)
  assert.notInclude(answer.text, "secret")
  return answer.text
})

const readerOf = Effect.fnUntraced(function* (number: number) {
  const reader = yield* browser
  yield* signIn(reader, number)
  return reader
})

/** Returns the titles of the posts on a page, in their order. */
const titlesOf = (text: string) =>
  [...text.matchAll(/href="\/write\/[0-9a-f-]{36}"><bdi>([^<]*)</g)].map(([, title]) => title)

layer(service(database("test_web_desk")))("The desk of an account", (it) => {
  it.effect("An account without a post finds what it reads first, and then what publishing needs", () =>
    Effect.gen(function* () {
      const reader = yield* readerOf(1)
      const text = yield* pageOf(reader, "/desk")
      const order = [
        '/desk/purchases">Library</a> <span',
        '/desk/following">Following</a> <span',
        "None unread"
      ]
      const places = [...order, "Choose a name and a handle", "Add a payout address", "New post</a>"].map(
        (words) => text.indexOf(words)
      )
      assert.notInclude(places, -1)
      assert.deepStrictEqual(
        places,
        places.toSorted((a, b) => a - b)
      )
      assert.notInclude(text, "This month")
    })
  )

  it.effect(
    "An author sees income, reads and comments to answer, each with a link to what it is made of",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 8, 30, 23, 59, 59))
        const { another, author, payTo, postId, target } = yield* sellerOf(2)
        const payer = yield* payerOf(3)
        yield* payer.fund()
        yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
        const reader = yield* readerOf(2)
        const first = yield* pageOf(reader, "/desk")
        assert.include(first, `<strong><data value="${PRICE_RAW}">0.25</data> XNO</strong> this month`)
        assert.include(first, "None in the same days of last month")
        assert.match(first, /<strong>0<\/strong> reads this month<\/a>\s*<span class="hint">1 sale</)

        // 31 October is compared with the 30 days of September.
        yield* TestClock.setTime(Date.UTC(2026, 9, 31, 12))
        const second = yield* another
        yield* paid(payer, { target: second, payTo, amountRaw: PRICE_RAW + 1n })
        yield* visit(postPage(author, (yield* author.read(postId)).body))
        yield* (yield* Reads).flush
        yield* signIn(reader, 2)
        const { answer, statements } = yield* statementsOf(reader.get("/desk"))
        // Two of the session, then the numbers, the sales since yesterday, the drafts and the notifications.
        assert.lengthOf(statements, 6, statements.join("\n\n"))
        validated(answer.text)
        assert.match(
          answer.text,
          /href="\/desk\/sales"><strong><data value="\d+1">0\.25<\/data> XNO<\/strong> this month/
        )
        assert.include(answer.text, `Up from <data value="${PRICE_RAW}">0.25</data> XNO`)
        assert.match(answer.text, /href="\/desk\/posts\?sort=reads"><strong>1<\/strong> read this month/)
        assert.include(answer.text, "1 sale: 100% of reads")
        assert.match(answer.text, /href="\/desk\/comments"><strong>0<\/strong> comments to answer/)
        assert.include(answer.text, "2 unread notifications")
        assert.notInclude(answer.text, "Before you publish")
      })
  )

  it.effect("News since yesterday is grouped by post and kind, and older news is left out", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 9, 28, 23, 59, 59))
      const { ownerId, payTo, postId, target } = yield* sellerOf(10)
      const payers = [yield* payerOf(11), yield* payerOf(12), yield* payerOf(13)]
      for (const payer of payers) yield* payer.fund()
      yield* paid(payers[0]!, { target, payTo, amountRaw: PRICE_RAW })
      yield* TestClock.setTime(Date.UTC(2026, 9, 30, 12))
      const reader = yield* readerOf(10)
      const nothing = yield* pageOf(reader, "/desk")
      assert.include(nothing, "Nothing new.")
      for (const payer of payers.slice(1)) yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      const tip = { kind: "tip", postId: null, commentId: null, recipientId: ownerId } as const
      yield* paid(payers[0]!, { target: tip, payTo, amountRaw: PRICE_RAW })
      const commenter = yield* commenterOf(14)
      yield* commenter.say(postId, "One")
      yield* commenter.say(postId, "Two")
      const text = yield* pageOf(reader, "/desk")
      assert.match(
        text,
        /2 readers bought <cite><bdi>On pennies<\/bdi><\/cite><\/a\s*>, <data value="\d+">0\.5<\/data> XNO/
      )
      assert.match(text, /1 tip\s+on your comments and profile<\/a\s*>, <data value="\d+">0\.25</)
      assert.match(text, /2 comments on <cite><bdi>On pennies/)
      assert.match(text, /<strong>2<\/strong> comments to answer/)
      yield* TestClock.setTime(Date.UTC(2026, 10, 1))
      yield* signIn(reader, 10)
      assert.include(yield* pageOf(reader, "/desk"), "Nothing new.")
    })
  )

  it.effect("An author is asked about rankings from the first sale until the choice, and not before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ownerId, payTo, target } = yield* sellerOf(40)
      const reader = yield* readerOf(40)
      assert.notInclude(yield* pageOf(reader, "/desk"), "Show me")
      const payer = yield* payerOf(41)
      yield* payer.fund()
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      // A choice about something else is none about this.
      yield* sql`insert into notification_preferences (owner_id, push_notifications) values (${ownerId}, true)`
      assert.include(yield* pageOf(reader, "/desk"), "Show me")
      const chosen = yield* reader.post("/desk/profile/rankings", { show: "no" })
      assert.strictEqual(chosen.headers.get("location"), "/desk/profile?done=shown")
      assert.notInclude(yield* pageOf(reader, "/desk"), "Show me")
    })
  )

  it.effect("A comment is answered by a reply or a reaction of the author, and of no one else", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(Date.UTC(2026, 9, 28, 12))
      const author = yield* commenterOf(20)
      const { id: postId } = yield* author.published()
      const reader = yield* readerOf(20)
      const [one, two] = [yield* commenterOf(21), yield* commenterOf(22)]
      const waiting = Effect.map(pageOf(reader, "/desk"), (text) =>
        Number(/<strong>(\d+)<\/strong> comments? to answer/.exec(text)?.[1])
      )
      const { id: first } = yield* one.say(postId, "First")
      const { id: second } = yield* one.say(postId, "Second")
      const { id: third } = yield* two.say(postId, "Third")
      assert.strictEqual(yield* waiting, 3)
      yield* two.say(postId, "I think so, too", { parent: first, target: first })
      assert.strictEqual(yield* waiting, 4)
      const { id: reply } = yield* author.say(postId, "Thank you", { parent: first, target: first })
      assert.strictEqual(yield* waiting, 3)
      yield* sql`insert into reactions (owner_id, comment_id, reaction, created_at, changed_at)
        select owner_id, ${second}, 'heart', now(), now() from posts where id = ${postId}`
      assert.strictEqual(yield* waiting, 2)
      yield* sql`update comments set hidden_by_moderator_at = now() where id = ${third}`
      assert.strictEqual(yield* waiting, 1)
      yield* sql`update comments set content = null, deleted_at = now(), deleted_by_role = 'author' where id = ${reply}`
      assert.strictEqual(yield* waiting, 2)
      yield* sql`update posts set comments_enabled = false where id = ${postId}`
      assert.strictEqual(yield* waiting, 0)
      yield* sql`update posts set comments_enabled = true where id = ${postId}`
      yield* TestClock.adjust("91 days")
      yield* signIn(reader, 20)
      assert.strictEqual(yield* waiting, 0)
    })
  )

  it.effect("Drafts are shown by their last edit, with their first words", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(30)
      for (let n = 0; n < 6; n++) {
        yield* author.draft({
          title: `Draft ${n}`,
          freeContentMarkdown: `# Head\n\nIt begins & \\<b\\> with ${n}.`
        })
        yield* TestClock.adjust("1 minute")
      }
      const published = yield* author.published({ title: "Published" })
      const reader = yield* readerOf(30)
      const text = yield* pageOf(reader, "/desk")
      assert.deepStrictEqual(titlesOf(text), ["Draft 5", "Draft 4", "Draft 3", "Draft 2", "Draft 1"])
      assert.include(text, "It begins &amp; &lt;b&gt; with 5.")
      assert.include(text, 'href="/desk/posts?show=draft"')
      assert.notInclude(text, `/write/${published.id}"`)
    })
  )

  it.effect("A restricted account reads none of its pages", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accessToken } = yield* signInByApi(8)
      const reader = yield* readerOf(8)
      yield* sql`update owners set restricted_at = now() where id = ${yield* ownerIdOf(accessToken)}`
      for (const path of ["/desk", "/desk/posts", "/desk/sales", "/desk/sales.csv"])
        assert.strictEqual((yield* reader.get(path)).status, 403, path)
    })
  )
})
