import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as NanoLedgerMemory from "../../../layers/testing/NanoLedgerMemory.ts"
import { NativeContents } from "../../../src/publishing/posts/NativeContents.ts"
import { within, world } from "../../publishing/uploads/screenings.ts"
import { access, buyerOf } from "../../support/actors/buyer.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { freshDatabase } from "../../support/Database.ts"
import { processOver, TestClient } from "../../support/TestClient.ts"
import { browser } from "../../web/browser.ts"
import { signIn } from "../../web/signIn.ts"
import { as } from "../mail/outbox.ts"

const FIRST = "https://one.test"
const SECOND = "https://two.test"

const pathOf = (url: string) => new URL(url).pathname

/** Builds the service over a database of this name, at one domain after the other. Its images stay where they are. */
const moving = Effect.fnUntraced(function* (name: string) {
  const url = yield* freshDatabase(name)
  const ledger = Layer.succeedContext(yield* Layer.build(Layer.fresh(NanoLedgerMemory.layer)))
  const { changePorts = (unchanged) => unchanged } = within(yield* world)
  let processes = 0
  return (baseUrl: string, mediaBaseUrl?: string) =>
    processOver(url, ++processes, {
      baseUrl,
      mediaBaseUrl,
      changePorts: (ports) => Layer.merge(changePorts(ports), ledger)
    })
}, Effect.orDie)

/** Saves pictures in every place that has them, in texts under any spelling of their addresses. */
const filled = Effect.gen(function* () {
  const author = yield* uploaderOf(1)
  const avatar = (yield* author.avatar()).body.publicUrl as string
  const header = (yield* author.header()).body.publicUrl as string

  const first = yield* author.draft({ title: "Free" })
  const inline = (yield* author.inline(first)).body.publicUrl as string
  const { body: revised } = yield* author.read(first.id)
  const og = (yield* author.og(revised)).body.publicUrl as string
  const path = pathOf(inline)
  const link = `[my other post](${FIRST}/@${author.handle}/paid)`
  const free = [
    `![absolute](${inline})`,
    `![path](${path})`,
    `![capitals](HTTPS://ONE.TEST${path})`,
    `![no scheme](//one.test${path})`,
    `![by name][it]`,
    `[the whole picture](${inline})`,
    `![elsewhere](https://other.test${path})`,
    link,
    `[it]: ${inline} "title"`
  ].join("\n\n")
  const patched = yield* author.patch(first.id, { freeContentMarkdown: free })
  assert.strictEqual(patched.body.freeContentMarkdown, free)
  assert.strictEqual((yield* author.publish(first.id)).status, 200)

  const second = yield* author.draft({ title: "Paid", slug: "paid" })
  const teaser = (yield* author.inline(second)).body.publicUrl as string
  const { body: read } = yield* author.read(second.id)
  const rest = (yield* author.inline(read, { headers: { "x-upload-target-key": "node-2" } })).body
    .publicUrl as string
  const sections = {
    freeContentMarkdown: `![teaser](${pathOf(teaser)})`,
    paidContentMarkdown: `![rest](${rest})`,
    enablePaywall: true,
    priceXno: "0.25"
  }
  assert.strictEqual((yield* author.patch(second.id, sections)).status, 200)
  assert.strictEqual((yield* author.publish(second.id)).status, 200)

  const third = yield* author.draft({ title: "By path", ogImage: path, freeContentMarkdown: "Words." })
  assert.strictEqual(third.ogImage, inline)
  assert.strictEqual((yield* author.publish(third.id)).status, 200)

  const fourth = yield* author.draft({ title: "By URL", ogImage: inline, freeContentMarkdown: "Words." })
  assert.strictEqual(fourth.ogImage, inline)
  assert.strictEqual((yield* author.publish(fourth.id)).status, 200)

  const fifth = yield* author.draft({ title: "By its text", freeContentMarkdown: `![one](${inline})` })
  assert.strictEqual(fifth.ogImageEffective, inline)
  assert.strictEqual((yield* author.publish(fifth.id)).status, 200)

  const buyer = yield* buyerOf(3)
  const bought = yield* buyer.buy(second.id)
  assert.strictEqual(bought.answer.status, 200, bought.answer.text)
  const commenter = yield* commenterOf(4)
  yield* commenter.say(first.id, "Well said.")
  yield* workOff
  return {
    avatar,
    header,
    inline,
    og,
    rest,
    link,
    free,
    ids: [first.id, second.id, third.id, fourth.id, fifth.id],
    handle: author.handle,
    key: author.key,
    receipt: bought.answer.body.receipt.token as string,
    access: bought.answer.body
  }
})

const jsonLdOf = (page: string) =>
  [...page.matchAll(/<script type="application\/ld\+json">([^<]+)</g)].map(([, text = ""]) => text).join()

const imagesOf = (page: string) => [...page.matchAll(/<img[^>]*?\ssrc="([^"]*)"/g)].map(([, src = ""]) => src)

/** Reads addresses with the images that they show. */
const sourcesAt = Effect.fnUntraced(function* (path: string) {
  const page = yield* (yield* TestClient).send("GET", path)
  assert.strictEqual(page.status, 200, page.text)
  return imagesOf(page.text)
})

describe("a service whose domain changes", () => {
  it.effect("No page, feed, answer or source names the former host of an image", () =>
    Effect.gen(function* () {
      const at = yield* moving("test_moved_domain")
      const before = yield* filled.pipe(as(yield* at(FIRST)))
      yield* Effect.gen(function* () {
        const client = yield* TestClient
        const { handle, ids, key } = before
        const [first = "", second = ""] = ids
        const reader = yield* browser
        yield* signIn(reader, 1)
        const session = yield* readerOf(1)
        /** Leaves out the link that the author wrote. */
        const ours = (text: string) => text.replaceAll(`${FIRST}/@${handle}/paid`, "")
        const walk = Effect.fnUntraced(function* (path: string, token?: string) {
          const answer = yield* client.send("GET", path, token === undefined ? {} : { token })
          assert.isBelow(answer.status, 300, `${path} ${answer.text}`)
          assert.notMatch(ours(answer.text), /one\.test/i, path)
          return answer.text
        })
        const posts = (yield* client.send("GET", "/api/posts")).body.data as ReadonlyArray<{
          readonly id: string
          readonly url: string
        }>
        assert.lengthOf(posts, 5)
        const paths = posts.map(({ url }) => pathOf(url))
        const texts = new Map<string, string>()
        for (const path of [
          "/",
          `/@${handle}`,
          ...paths,
          ...paths.map((it) => `${it}.md`),
          `/@${handle}.md`,
          "/categories",
          "/search?q=free",
          "/leaderboards",
          "/about",
          "/feeds",
          ...["", `/@${handle}`].flatMap((it) =>
            ["atom.xml", "rss.xml", "feed.json"].map((name) => `${it}/${name}`)
          ),
          "/sitemap.xml",
          "/robots.txt",
          "/llms.txt",
          "/.well-known/x402",
          "/.well-known/x402/posts",
          "/api/posts",
          `/api/posts?q=free`,
          ...ids.flatMap((id) => [
            `/api/posts/${id}`,
            `/api/posts/${id}/public-content`,
            `/api/posts/${id}/related`,
            `/api/posts/${id}/comments`
          ]),
          `/api/profile/${handle}`,
          `/api/profile/${handle}/summary`,
          `/api/profile/${handle}/posts`,
          `/api/profile/${handle}/activity`,
          "/api/leaderboards?board=creator_sales"
        ])
          texts.set(path, yield* walk(path))
        for (const path of [
          ...ids.map((id) => `/api/v1/posts/${id}`),
          "/api/v1/posts",
          "/api/v1/profile",
          "/api/v1/upload-operations",
          ...ids.map((id) => `/api/v1/upload-operations?postId=${id}`)
        ])
          texts.set(path, yield* walk(path, key))
        for (const path of ["/api/v1/comments", "/api/v1/finance/sales", "/api/v1/me"])
          yield* walk(path, session.accessToken)
        for (const path of [
          "/desk",
          "/desk/posts",
          "/desk/profile",
          "/desk/notifications",
          ...ids.flatMap((id) => [`/write/${id}`, `/write/${id}/preview`])
        ]) {
          const page = yield* reader.get(path)
          assert.strictEqual(page.status, 200, path)
          assert.notMatch(ours(page.text), /one\.test/i, path)
          texts.set(path, page.text)
        }

        const path = pathOf(before.inline)
        const page = texts.get(paths.find((it) => it.endsWith("/free")) ?? "") ?? ""
        const shown = imagesOf(page).filter((src) => src.startsWith("/media/"))
        assert.deepStrictEqual(shown.slice(0, 5), [path, path, path, path, path])
        assert.include(page, `<a href="${path}"`)
        assert.include(page, `https://other.test${path}`)
        assert.include(page, `${FIRST}/@${handle}/paid`)
        assert.include(page, `<meta property="og:image" content="${SECOND}${pathOf(before.og)}"`)
        assert.include(jsonLdOf(page), `${SECOND}${pathOf(before.og)}`)
        const feed = texts.get(`/@${handle}/atom.xml`) ?? ""
        assert.include(feed, `${SECOND}${path}`)
        assert.notMatch(feed, /src=&quot;\/media|src="\/media/)
        const sent = JSON.parse(texts.get(`/api/v1/posts/${first}`) ?? "{}")
        assert.strictEqual(
          sent.freeContentMarkdown,
          before.free.replaceAll(/(?:https:)?\/\/one\.test(?=\/media)/gi, SECOND)
        )
        assert.strictEqual(sent.ogImage, `${SECOND}${pathOf(before.og)}`)
        const profile = JSON.parse(texts.get("/api/v1/profile") ?? "{}")
        assert.strictEqual(profile.avatarUrl, `${SECOND}${pathOf(before.avatar)}`)
        assert.strictEqual(profile.headerImageUrl, `${SECOND}${pathOf(before.header)}`)
        const { operations } = JSON.parse(texts.get(`/api/v1/upload-operations?postId=${first}`) ?? "{}")
        assert.deepStrictEqual(
          operations.map(({ safety }: any) => safety.associated),
          [true, true]
        )
        for (const text of texts.values())
          for (const url of new Set(
            text.match(/(?<=src=")\/media\/[^"]*|https:\/\/two\.test\/media\/[\w./-]*\w/g)
          ))
            assert.strictEqual(
              (yield* client.send("GET", pathOf(new URL(url, SECOND).href))).status,
              200,
              url
            )

        // A buyer gets the text that was sold, to the byte, and sees its pictures.
        const got = yield* access(second, { receipt: before.receipt })
        assert.deepStrictEqual(got.body.post.content, before.access.post.content)
        assert.strictEqual(got.body.post.versionSha256, before.access.post.versionSha256)
        const { free, paid } = got.body.post.content
        const version = JSON.stringify({ files: [], free, paid, title: "Paid" })
        assert.strictEqual(createHash("sha256").update(version).digest("hex"), got.body.post.versionSha256)
        const whole = yield* reader.get(`/read/${second}`)
        assert.notMatch(ours(whole.text), /one\.test/i)

        const sql = yield* SqlClient.SqlClient
        const stored = yield* sql`
          select og_image, first_image, replace(public_html, ${`${FIRST}/@`}, ''), whole_html from posts
          union all select avatar_url, header_image_url, null, null from owners
          union all select public_url, replaced_url, null, null from upload_operations
          union all select html, null, null, null from sold_versions`
        assert.notMatch(JSON.stringify(stored), /one\.test/i)

        const author = yield* uploaderOf(1)
        const documents = yield* author.asService((publisher, id) =>
          Effect.flatMap(NativeContents, (contents) => contents.read(publisher, id))
        )(first)
        assert.notMatch(ours(JSON.stringify(documents)), /one\.test\/media/i)
      }).pipe(as(yield* at(SECOND)))
    })
  )

  it.effect("Images have the host that is set for them, also after it changes", () =>
    Effect.gen(function* () {
      const at = yield* moving("test_moved_media")
      const { avatar, path, url } = yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const face = (yield* author.avatar()).body.publicUrl as string
        const draft = yield* author.draft()
        const inline = (yield* author.inline(draft)).body.publicUrl as string
        assert.isTrue(inline.startsWith("https://images.test/media/"), inline)
        const text = `![url](${inline})\n\n![path](${pathOf(inline)})\n\n![site](${FIRST}${pathOf(inline)})`
        assert.strictEqual((yield* author.patch(draft.id, { freeContentMarkdown: text })).status, 200)
        const { body } = yield* author.publish(draft.id)
        const sources = yield* sourcesAt(pathOf(body.url))
        assert.deepStrictEqual(
          sources.filter((src) => src.endsWith(pathOf(inline))),
          [inline, inline, inline]
        )
        return { avatar: pathOf(face), path: pathOf(inline), url: pathOf(body.url) }
      }).pipe(as(yield* at(FIRST, "https://images.test")))

      yield* Effect.gen(function* () {
        const sources = yield* sourcesAt(url)
        assert.include(sources, `https://cdn.test${avatar.replace(".png", "-96.webp")}`)
        const image = `https://cdn.test${path}`
        assert.deepStrictEqual(
          sources.filter((src) => src.endsWith(path)),
          [image, image, image]
        )
        const feed = JSON.parse(
          (yield* (yield* TestClient).send("GET", `${url.slice(0, url.lastIndexOf("/"))}/feed.json`)).text
        )
        assert.strictEqual(imagesOf(feed.items[0].content_html).join(), [image, image, image].join())
        assert.strictEqual(feed.items[0].image, image)
        const { text } = yield* (yield* TestClient).send("GET", `${url}.md`)
        assert.notMatch(text, /images\.test/)
        // The site still has the host that the author wrote.
        assert.strictEqual(text.split(image).length - 1, 2)
        assert.include(text, `${FIRST}${path}`)
      }).pipe(as(yield* at(FIRST, "https://cdn.test")))

      yield* Effect.gen(function* () {
        const sources = yield* sourcesAt(url)
        assert.deepStrictEqual(
          sources.filter((src) => src.endsWith(path)),
          [path, path, path]
        )
        const { text } = yield* (yield* TestClient).send("GET", `${url}.md`)
        assert.strictEqual(text.split(`${SECOND}${path}`).length - 1, 3)
      }).pipe(as(yield* at(SECOND)))
    })
  )
})
