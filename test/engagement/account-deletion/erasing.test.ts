import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ObjectStorageMemory } from "../../../layers/testing/ObjectStorageMemory.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { ownerColumns } from "../../../src/engagement/account-deletion/ownerColumns.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { download, part } from "../../payments/access/downloading.ts"
import { paidPost, SECRET } from "../../payments/access/paidPost.ts"
import { gift, redeem } from "../../payments/gifts/giving.ts"
import { lookNow, sessionOf } from "../../payments/sessions/sessionWorld.ts"
import { idOf } from "../../publishing/uploads/screenings.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { access, buyerOf, fromBase64, inTime, base64Json } from "../../support/actors/buyer.ts"
import { commenterOf, discussion } from "../../support/actors/commenter.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { signIn } from "../../support/actors/owner.ts"
import { wireBlock } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { media, pngFile, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"
import { closeAccount, deletionOf, eraseDue } from "./leaving.ts"

const NOBODY = {
  id: "00000000-0000-0000-0000-000000000000",
  name: "Deleted account",
  handle: "deleted",
  avatarUrl: null,
  authorKind: "human"
}

/** Words that only the author who leaves wrote. */
const PRIVATE = [
  "Leavinghandle",
  "leavinghandle",
  "Leavingbio",
  "Leavingdraft",
  "Leavingcomment",
  "Leavingfree",
  "Leavingtext",
  "Leavinglabel",
  "Leavingslug"
]

interface Row {
  readonly table: string
  readonly row: string
}

/** Returns each row of the database as JSON, by its table. */
const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`
  const rows = yield* Effect.forEach(
    tables,
    ({ name }) => sql<Row>`select ${name} as "table", to_jsonb(t)::text as row from ${sql(name)} t`
  )
  return rows.flat()
})

/** Tips a post of an author by x402. */
const tip = Effect.fnUntraced(function* (
  payer: Effect.Success<ReturnType<typeof buyerOf>>,
  path: string,
  token?: string
) {
  const client = yield* TestClient
  const body = { amountRaw: `5${"0".repeat(29)}` }
  const withToken = token === undefined ? {} : { token }
  const asked = yield* client.send("POST", path, { body, ...withToken })
  assert.strictEqual(asked.status, 402, asked.text)
  const [offer] = fromBase64(asked.headers.get("payment-required")).accepts
  const block = yield* payer.send(NanoAddress.make(offer.payTo), BigInt(offer.amount))
  const payment = base64Json({ x402Version: 2, accepted: offer, payload: { block: wireBlock(block) } })
  const paid = yield* inTime(
    client.send("POST", path, { body, headers: { "payment-signature": payment }, ...withToken })
  )
  assert.strictEqual(paid.status, 200, paid.text)
})

layer(service(database("test_erased_accounts"), 1, { adminToken: ADMIN_TOKEN }))(
  "an account that is erased",
  (it) => {
    it.effect("Nothing of it stays but what others bought, and buyers read on by every way", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
        const client = yield* TestClient
        const sql = yield* SqlClient.SqlClient
        const { objects } = yield* ObjectStorageMemory
        const other = yield* commenterOf(2)
        const { id: elsewhere } = yield* other.published()

        // An author with everything.
        const author = yield* uploaderOf(1)
        const asOwner = (method: string, path: string, body?: object, headers = {}) =>
          client.send(method, path, {
            token: author.accessToken,
            headers,
            ...(body === undefined ? {} : { body })
          })
        yield* client.send("PATCH", "/api/v1/profile", {
          token: author.key,
          body: { name: "Leaving One", handle: "leavinghandle", bio: "Leavingbio" }
        })
        yield* author.avatar()
        const { body: me } = yield* asOwner("GET", "/api/v1/me")
        const ownerId: string = me.owner.id
        const free = yield* author.published({ title: "Free", freeContentMarkdown: "Leavingfree" })
        yield* other.say(free.id, "Well said")
        yield* author.draft({ title: "Leavingdraft" })
        const sold = yield* author.draft({
          ...paidPost,
          title: "Sold",
          slug: "leavingslug",
          description: "The beginning of it",
          freeContentMarkdown: "The beginning."
        })
        const picture = yield* author.inline(sold)
        yield* workOff
        yield* author.og((yield* author.read(sold.id)).body, { parts: [pngFile(2)] })
        yield* workOff
        const file = yield* author.attach((yield* author.read(sold.id)).body, { parts: [part] })
        yield* workOff
        assert.strictEqual((yield* author.publish(sold.id)).status, 200)
        const tipped = yield* author.published({ title: "Tipped", freeContentMarkdown: "Leavingtext two" })

        // Others buy, tip, read a gift, reply and react.
        const anonymous = yield* buyerOf(11)
        const bought = yield* anonymous.buy(sold.id)
        const receipt: string = bought.answer.body.receipt.token
        const account = yield* readerOf(12)
        const withAccount = yield* buyerOf(12)
        yield* withAccount.buy(sold.id, { token: account.accessToken })
        const given = yield* gift(author, sold.id, { label: "Leavinglabel" })
        yield* gift(author, sold.id, { label: "Leavinglabel" })
        const friend = yield* readerOf(13)
        yield* redeem(friend.accessToken, given.token)
        yield* tip(yield* buyerOf(14), `/api/posts/${tipped.id}/tips`)
        yield* sessionOf({ kind: "purchase", postId: sold.id })
        yield* author.patch(sold.id, { paidContentMarkdown: "A newer secret." })

        const say = (content: string, parent?: string) =>
          asOwner(
            "POST",
            `/api/v1/posts/${elsewhere}/comments`,
            {
              content,
              ...(parent === undefined ? {} : { parentCommentId: parent, replyTargetCommentId: parent })
            },
            { "idempotency-key": `leaving-${content}` }
          )
        const root = yield* say("Leavingcomment1")
        assert.strictEqual(root.status, 201, root.text)
        yield* other.say(elsewhere, "A reply", { parent: root.body.id, target: root.body.id })
        yield* tip(yield* buyerOf(15), `/api/comments/${root.body.id}/tips`, account.accessToken)
        yield* say("Leavingcomment2")
        yield* sql`
        insert into follows (id, follower_id, creator_id, created_at)
        select gen_random_uuid(), a.id, b.id, now() from owners a, owners b
        where (a.handle, b.handle) in (('leavinghandle', 'author2'), ('author2', 'leavinghandle'))`
        yield* sql`
        insert into reactions (owner_id, post_id, reaction, created_at, changed_at)
        values (${ownerId}, ${elsewhere}, 'heart', now(), now()) on conflict do nothing`
        yield* (yield* Counters).add

        // The account closes, and pictures go but for those of what was sold.
        const shown = (yield* author.profile()).body.avatarUrl
        const pictureUrl: string = picture.body.publicUrl ?? picture.body.url
        yield* closeAccount(1, { accessToken: author.accessToken, handle: "leavinghandle" })
        yield* followRestrictions
        assert.strictEqual((yield* media(shown)).status, 404)
        yield* TestClock.adjust("14 days")
        // The payment session ends with the watch of its address, and the deletion waits for it.
        yield* eraseDue
        assert.strictEqual((yield* client.send("GET", "/@leavinghandle")).status, 404)
        yield* lookNow
        yield* TestClock.adjust("1 hour")
        yield* eraseDue
        yield* (yield* Counters).add

        // A dump has nothing of the author.
        const rows = yield* dump
        for (const word of PRIVATE)
          assert.deepStrictEqual(
            rows.filter(({ row }) => row.includes(word)).map(({ table }) => `${table} ${word}`),
            []
          )
        const kept = new Set(
          Object.entries(ownerColumns)
            .filter(([, fate]) => fate === "tombstone")
            .map(([column]) => column)
        )
        const wrong = rows.flatMap(({ row, table }) =>
          Object.entries(JSON.parse(row) as object)
            .filter(
              ([column, value]) => JSON.stringify(value).includes(ownerId) && !kept.has(`${table}.${column}`)
            )
            .map(([column]) => `${table}.${column}`)
        )
        assert.deepStrictEqual(
          wrong.filter((column) => column !== "posts.title_words"),
          []
        )
        const [tombstone] = yield* sql`select * from owners where id = ${ownerId}`
        assert.deepInclude(tombstone, {
          name: "Deleted account",
          wallet_public_key: null,
          bio: null,
          avatar_url: null,
          payout_address: null,
          follower_count: 0,
          following_count: 0
        })
        assert.match(String(tombstone?.["handle"]), /^deleted_[0-9a-f]{12}$/)
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
        assert.deepStrictEqual(
          yield* sql`select title, description, slug = 'deleted:' || id as is_slug from posts where owner_id = ${ownerId} order by title`,
          [
            { title: "Sold", description: "", is_slug: true },
            { title: "Tipped", description: "", is_slug: true }
          ]
        )

        // The store has the picture and the file of what was sold, and no other object.
        const stored = [...(yield* objects).keys()]
        assert.deepStrictEqual(
          stored.filter((key) => !key.includes(idOf(picture)) && !key.includes(idOf(file))),
          []
        )
        assert.isAtLeast(stored.length, 2)
        assert.strictEqual((yield* media(pictureUrl)).status, 200)

        // Buyers read on: with the receipt, the account, the wallet that paid, and the gift.
        const newest = (answer: Effect.Success<ReturnType<typeof access>>) => [
          answer.status,
          answer.body.access?.via,
          answer.body.post?.content.paid
        ]
        const back = yield* readerOf(12)
        const friendly = yield* readerOf(13)
        const NEWER = "A newer secret."
        assert.deepStrictEqual(newest(yield* access(sold.id, { receipt })), [200, "receipt", NEWER])
        assert.deepStrictEqual(newest(yield* access(sold.id, { payment: bought.payment })), [
          200,
          "payment",
          SECRET
        ])
        assert.deepStrictEqual(newest(yield* access(sold.id, { token: back.accessToken })), [
          200,
          "purchase",
          NEWER
        ])
        const first = yield* access(sold.id, { token: back.accessToken }, "GET", "?version=purchased")
        assert.deepStrictEqual(newest(first), [200, "purchase", SECRET])
        const byWallet = yield* signIn(11)
        assert.deepStrictEqual(newest(yield* access(sold.id, { token: byWallet.accessToken })), [
          200,
          "purchase",
          NEWER
        ])
        assert.deepStrictEqual(newest(yield* access(sold.id, { token: friendly.accessToken })), [
          200,
          "gift",
          NEWER
        ])
        const zip = yield* download({ id: sold.id, file: idOf(file) }, { "x-purchase-receipt": receipt })
        assert.strictEqual(zip.status, 200)
        const { body: purchases } = yield* back.send("GET", "/api/v1/purchases")
        assert.deepStrictEqual(purchases.data[0].post, { title: "Sold", url: null, author: NOBODY })
        // And no one else.
        assert.strictEqual((yield* access(sold.id)).status, 404)

        // Comments keep their places, by an author who looks like any other that was deleted.
        const { body: thread } = yield* discussion(elsewhere)
        const [mine] = thread
        assert.deepInclude(mine, { content: null, deletedByRole: "author", replyCount: 1, author: NOBODY })
        assert.notStrictEqual(mine.tipAmountRaw, "0")

        // Its pages are gone for a year, for search engines too.
        for (const path of [
          "/@leavinghandle",
          "/@Leavinghandle/leavingslug",
          "/@leavinghandle/leavingslug.md",
          "/@leavinghandle/atom.xml"
        ]) {
          const gone = yield* client.send("GET", path)
          assert.strictEqual(gone.status, 410, path)
          assert.strictEqual(gone.headers.get("x-robots-tag"), "noindex")
        }
        // The former handle, too.
        assert.strictEqual((yield* client.send("GET", "/@author1")).status, 410)
        assert.strictEqual((yield* client.send("GET", "/api/profile/leavinghandle")).status, 404)
        assert.strictEqual((yield* client.send("GET", "/@deleted")).status, 200)
        const taken = yield* client.send("PATCH", "/api/v1/profile", {
          token: other.key,
          body: { handle: "LeavingHandle" }
        })
        assert.strictEqual(taken.status, 409)

        // The wallet signs in as a new one does.
        const again = yield* readerOf(1)
        assert.notStrictEqual(again.id, ownerId)
        assert.strictEqual((yield* deletionOf(again.accessToken).read).body.state, "none")

        yield* TestClock.adjust("366 days")
        assert.strictEqual((yield* client.send("GET", "/@leavinghandle")).status, 404)
      })
    )
  }
)
