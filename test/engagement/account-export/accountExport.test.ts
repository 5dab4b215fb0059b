import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { parse } from "yaml"
import { accountExportJsonSchema } from "../../../schemas/engagement/account-export/AccountExport.ts"
import { Restrictions } from "../../../src/engagement/moderation/Restrictions.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { ObjectKey, ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { authorOf } from "../../support/actors/author.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { pngFile, uploaderOf, workOff, zipFile } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"
import { exported, unpacked } from "./archive.ts"
import { PAID_WORD, wholeAccount } from "./wholeAccount.ts"

const frontMatterOf = (text = "") => parse(text.split("\n---\n")[0]?.slice(4) ?? "")

layer(service(database("test_account_export")))("the export of an account", (it) => {
  it.effect("An account with everything is in its export, each thing in its place", () =>
    Effect.gen(function* () {
      const all = yield* wholeAccount(1)
      yield* (yield* Counters).add
      const { account, paths, texts } = yield* exported(all.author.accessToken)
      const { body: free } = yield* all.author.read(all.free.id)
      const { body: sold } = yield* all.author.read(all.sold.id)
      const day = (post: { readonly publishedAt: string }) => post.publishedAt.slice(0, 10)

      // Posts.
      const freeText = texts[`posts/${day(free)}-${free.slug}.md`]
      assert.deepStrictEqual(frontMatterOf(freeText).title, 'Free: a "post" {{< x >}}')
      assert.isTrue(freeText?.endsWith("---\n\nWords of everyone\r\n\r\n{{< youtube 1 >}}\n"))
      assert.include(texts["README.md"], `- posts/${day(free)}-${free.slug}.md`)
      const soldPath = `posts/${day(sold)}-nine-degrees.md`
      const { image, ...front } = frontMatterOf(texts[soldPath])
      assert.match(image, /^\/media\/[0-9a-f]{16}\.png$/)
      assert.deepStrictEqual(front, {
        title: "Nine degrees",
        date: sold.publishedAt,
        lastmod: sold.updatedAt,
        slug: "nine-degrees",
        description: "What a penny buys",
        draft: false,
        lang: sold.language,
        categories: ["Books & Literature", "Science"],
        canonicalUrl: "https://old.test/nine",
        render_with_liquid: false,
        pennypress: {
          id: sold.id,
          access: "paid",
          priceXno: "0.5",
          creationMethod: "human_written",
          creationDetails: "By hand: twice",
          creationAttested: true,
          commentsEnabled: true,
          ogTitle: "on",
          categoryIds: [3, 27]
        }
      })
      assert.strictEqual(texts["paid/nine-degrees.md"], `${PAID_WORD} that readers buy\n`)
      assert.strictEqual(texts["paid/open.md"], "The second part\n")
      assert.strictEqual(texts["paid/a-draft.md"], `${PAID_WORD} of a draft\n`)
      assert.isTrue(frontMatterOf(texts["drafts/gone-again.md"]).draft)

      // Pictures and files.
      const [, name = ""] = /!\[A picture\]\(\/media\/(.*?)\)/.exec(texts["drafts/a-draft.md"] ?? "") ?? []
      assert.include(texts["drafts/a-draft.md"], `![Again](/media/${name})`)
      assert.include(paths, `media/${name}`)
      assert.lengthOf(
        paths.filter((path) => path.startsWith("media/")),
        3
      )
      assert.sameMembers(
        account.media.map(({ usedFor }) => usedFor),
        ["inline", "og", "avatar"]
      )
      assert.deepStrictEqual(
        account.attachments.map(({ fileName, path, postId }) => ({ fileName, path, postId })),
        [{ fileName: "Data <1>.zip", path: `attachments/${sold.id}/Data _1_.zip`, postId: sold.id }]
      )
      assert.strictEqual(JSON.parse(texts[`native/${all.native.id}.json`] ?? "").free.type, "doc")

      // No paid word where everyone may read, and nothing of what was only bought.
      for (const [path, text] of Object.entries(texts))
        if (!path.startsWith("paid/")) assert.notInclude(text, PAID_WORD, path)
      assert.notInclude(Object.values(texts).join("\n"), `${PAID_WORD} of another author`)

      // The rest of the account.
      assert.deepStrictEqual(Object.keys(texts).slice(-5), [
        "finance/purchases.csv",
        "README.md",
        "account.json",
        "schema.json",
        "checksums.sha256"
      ])
      assert.strictEqual(account.account.walletAddress, all.author.wallet.account)
      assert.lengthOf(account.posts, 6)
      assert.deepStrictEqual(
        account.posts.find(({ id }) => id === sold.id),
        {
          id: sold.id,
          path: soldPath,
          revision: sold.updatedAt,
          status: "published",
          url: sold.url,
          counts: { comments: 0, reactions: 0, purchases: 1, tips: 0 }
        }
      )
      assert.deepStrictEqual(
        account.comments.written.map(({ content, deletedByRole }) => [content, deletedByRole]),
        [
          [null, "author"],
          ["My own word", null]
        ]
      )
      assert.deepStrictEqual(
        account.comments.received.map(({ author, content }) => [author.handle, content]),
        [[all.other.handle, "A word from a reader"]]
      )
      assert.sameMembers(
        account.reactions.given.map(({ reaction }) => reaction),
        ["heart", "clap"]
      )
      assert.deepStrictEqual(
        account.follows.following.map(({ creator }) => creator.handle),
        [all.other.handle]
      )
      assert.deepStrictEqual(
        account.follows.followers.map(({ handle }) => handle),
        [all.other.handle]
      )
      assert.deepStrictEqual(account.notifications.mutes, [all.theirs.id])
      assert.lengthOf(account.gifts, 1)
      assert.lengthOf(account.sales, 1)
      assert.lengthOf(account.tips.given, 1)
      assert.lengthOf(account.tips.received, 1)
      assert.deepStrictEqual(
        account.purchases.map(({ postId }) => postId),
        [all.theirs.id]
      )
      assert.deepStrictEqual(
        account.reports.made.map(({ reason, targetId }) => [reason, targetId]),
        [["Not theirs", all.theirs.id]]
      )
      assert.isAbove(account.keys.length, 0)
      assert.isAbove(account.sessions.length, 0)
      assert.lengthOf((texts["finance/sales.csv"] ?? "").trimEnd().split("\r\n"), 3)
      assert.lengthOf((texts["finance/purchases.csv"] ?? "").trimEnd().split("\r\n"), 2)
      assert.deepStrictEqual(account.notes.map(({ code }) => code).toSorted(), [
        "native_section",
        "open_section"
      ])

      // The schema of the file holds for it.
      const schema = JSON.parse(texts["schema.json"] ?? "")
      assert.deepStrictEqual(schema, JSON.parse(JSON.stringify(accountExportJsonSchema)))
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
      assert.isTrue(validate(JSON.parse(texts["account.json"] ?? "")), JSON.stringify(validate.errors))
    })
  )

  it.effect("The export has no secret, no hash of one, and no mailbox of another account", () =>
    Effect.gen(function* () {
      const all = yield* wholeAccount(11)
      const { texts } = yield* exported(all.author.accessToken)
      const everything = Object.values(texts).join("\n")
      for (const secret of [
        all.author.key,
        all.author.accessToken,
        all.author.refreshToken,
        all.other.key,
        all.given.token
      ]) {
        assert.notInclude(everything, secret)
        assert.notInclude(everything, secret.slice(-20))
      }
      const sql = yield* SqlClient.SqlClient
      const hashes = yield* sql<{ readonly hash: string }>`
        select encode(secret_hash, 'hex') as hash from api_keys
        union select encode(token_hash, 'hex') from refresh_tokens
        union select encode(secret_hash, 'hex') from gifts
        union select encode(token_hash, 'hex') from access_receipts`
      assert.isAbove(hashes.length, 5)
      for (const { hash } of hashes) assert.notInclude(everything.toLowerCase(), hash)
      // The other account was paid by this one, and nothing else of it is a fact of this account.
      const { payout, ...account } = JSON.parse(texts["account.json"] ?? "").account
      assert.notInclude(JSON.stringify([account, payout]), all.other.wallet.account)
    })
  )

  it.effect("Programs unpack it, and its checksums are right", () =>
    Effect.gen(function* () {
      const all = yield* wholeAccount(21)
      const { bytes, paths } = yield* exported(all.author.accessToken)
      const { files, folder, read } = yield* unpacked(bytes)
      assert.strictEqual(files, paths.length)
      const said = execFileSync("sha256sum", ["--check", "--strict", "checksums.sha256"], {
        cwd: folder,
        encoding: "utf8"
      })
      assert.lengthOf(said.trimEnd().split("\n"), files - 1)
      const archive = paths.find((path) => path.startsWith("attachments/"))
      assert.strictEqual(
        read(archive ?? "")
          .subarray(0, 2)
          .toString(),
        "PK"
      )
    }).pipe(Effect.scoped)
  )

  it.effect("The same state at the same time gives the same bytes", () =>
    Effect.gen(function* () {
      const all = yield* wholeAccount(31)
      const first = yield* exported(all.author.accessToken)
      assert.deepStrictEqual((yield* exported(all.author.accessToken)).bytes, first.bytes)
    })
  )

  it.effect("Files that disappear are in the notes, and the others in the archive", () =>
    Effect.gen(function* () {
      const all = yield* wholeAccount(41)
      const storage = yield* ObjectStorage
      const picture = new URL(all.url).pathname
      yield* storage.remove(ObjectKey.make(picture.slice(1)))
      const sql = yield* SqlClient.SqlClient
      const [file] = yield* sql<{ readonly id: string }>`
        select id from post_attachments where post_id = ${all.sold.id}`
      yield* storage.remove(ObjectKey.make(`attachments/${all.sold.id}/${file?.id}.zip`))
      const { account, texts } = yield* exported(all.author.accessToken)
      assert.deepStrictEqual(
        account.notes.filter(({ code }) => code !== "native_section" && code !== "open_section"),
        [
          { code: "picture_missing", postId: null, about: all.url },
          { code: "picture_elsewhere", postId: all.picture.id, about: all.url },
          {
            code: "attachment_missing",
            postId: all.sold.id,
            about: `attachments/${all.sold.id}/Data _1_.zip`
          }
        ]
      )
      assert.include(texts["drafts/a-draft.md"], `![A picture](${all.url})`)
      assert.lengthOf(account.media, 2)
      assert.lengthOf(account.attachments, 0)
    })
  )

  it.effect("A picture of another account keeps its address, and is not in the archive", () =>
    Effect.gen(function* () {
      const owner = yield* uploaderOf(51)
      const post = yield* owner.published({ title: "With a picture" })
      const uploaded = yield* owner.inline(yield* Effect.map(owner.read(post.id), ({ body }) => body))
      yield* workOff
      const url: string = (yield* owner.status(uploaded)).body.publicUrl
      const author = yield* authorOf(52)
      const draft = yield* author.draft({ title: "Linking", freeContentMarkdown: `![a](${url})` })
      const { account, paths, texts } = yield* exported(author.accessToken)
      assert.include(texts["drafts/linking.md"], `![a](${url})`)
      assert.isFalse(paths.some((path) => path.startsWith("media/")))
      assert.deepStrictEqual(account.notes, [{ code: "picture_elsewhere", postId: draft.id, about: url }])
    })
  )

  it.effect("Two pictures with the same bytes are one file", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(61)
      for (const title of ["One", "Two"]) {
        const post = yield* author.draft({ title })
        yield* author.inline(post, { parts: [pngFile(9)] })
      }
      yield* workOff
      const { account, paths } = yield* exported(author.accessToken)
      assert.lengthOf(
        paths.filter((path) => path.startsWith("media/")),
        1
      )
      assert.lengthOf(account.media, 2)
      assert.strictEqual(account.media[0]?.path, account.media[1]?.path)
    })
  )

  it.effect("Hostile titles and names of files give safe and different names", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(71)
      for (const title of [
        "../../etc/passwd",
        "..\\..\\x",
        "con",
        "CON",
        "a/b",
        "喫茶店",
        "喫茶店",
        "--- \"'",
        "x".repeat(200)
      ])
        yield* author.draft({ title })
      const sold = yield* author.draft({
        title: "Files",
        paidContentMarkdown: "paid",
        enablePaywall: true,
        priceXno: "1"
      })
      const names = ["a?.zip", "a*.zip", "A|.ZIP", "con.zip", `${"😀".repeat(190)}.zip`]
      for (const name of names) {
        const { body } = yield* author.read(sold.id)
        const answer = yield* author.attach(body, { parts: [zipFile("same", name)] })
        assert.strictEqual(answer.status, 202, answer.text)
        yield* workOff
      }
      const { account, bytes, paths } = yield* exported(author.accessToken)
      for (const path of paths) {
        assert.notMatch(path, /[\\:*?"<>|]|(^|\/)\.|\/\/|^\//)
        for (const part of path.split("/")) assert.isAtMost(new TextEncoder().encode(part).length, 255)
      }
      assert.deepStrictEqual(
        account.attachments.map(({ fileName }) => fileName),
        names
      )
      assert.strictEqual((yield* unpacked(bytes)).files, paths.length)
    }).pipe(Effect.scoped)
  )

  it.effect("A restricted account exports everything, and its withdrawn posts keep their dates", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(81)
      const post = yield* author.published({ title: "Withdrawn" })
      const { body } = yield* author.read(post.id)
      const restrictions = yield* Restrictions
      const administrator = { kind: "administrator" } as never
      yield* restrictions.setRestricted(administrator, { handle: author.handle }, true, {
        reason: "secret of moderators",
        reasonForAuthor: "Spam"
      })
      yield* followRestrictions
      const { account, texts } = yield* exported(author.accessToken)
      const { date, draft } = frontMatterOf(texts["drafts/withdrawn.md"])
      assert.deepStrictEqual([date, draft], [body.publishedAt, true])
      assert.deepStrictEqual(
        account.moderation.map(({ action, reason }) => [action, reason]),
        [["accounts.restrict", "Spam"]]
      )
      assert.notInclude(JSON.stringify(account), "secret of moderators")
    })
  )

  it.effect("The command of the README downloads everything", () =>
    Effect.gen(function* () {
      const [, block = ""] = /^```sh export\n([\s\S]*?)^```$/m.exec(readFileSync("README.md", "utf8")) ?? []
      const [, header = "", path = ""] =
        /^curl -o \S+ -H "(.+?)" http:\/\/localhost:4020(\S+)$/m.exec(block) ?? []
      const { accessToken } = yield* authorOf(101)
      const authorization = header.replace("Authorization: ", "").replace("$ACCESS_TOKEN", accessToken)
      const client = yield* TestClient
      const answer = yield* client.send("GET", path, { headers: { authorization } })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "application/zip")
    })
  )

  it.effect("Only a session of its owner gets an export", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(91)
      for (const token of [undefined, author.key, "x"]) {
        const answer = yield* client.send(
          "GET",
          "/api/v1/account/export",
          token === undefined ? {} : { token }
        )
        assert.strictEqual(answer.status, 401)
      }
      const { headers } = yield* client.send("GET", "/api/v1/account/export", { token: author.accessToken })
      assert.strictEqual(headers.get("content-type"), "application/zip")
      assert.strictEqual(headers.get("cache-control"), "private, no-store")
      assert.match(
        headers.get("content-disposition") ?? "",
        /^attachment; filename="pennypress-author91-\d{4}-\d\d-\d\d\.zip"$/
      )
      assert.strictEqual(BASE_URL, (yield* exported(author.accessToken)).account.service)
    })
  )
})

layer(service(database("test_account_export_limit"), 2, { rateLimitFactor: 1 }))(
  "the limit of exports",
  (it) => {
    it.effect("An account exports ten times an hour, of its finances and of everything together", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const { accessToken: token } = yield* authorOf(1)
        const get = (path: string) => Effect.map(client.send("GET", path, { token }), ({ status }) => status)
        for (let i = 0; i < 5; i++) {
          assert.strictEqual(yield* get("/api/v1/account/export"), 200)
          assert.strictEqual(yield* get("/api/v1/finance/export.csv"), 200)
        }
        assert.strictEqual(yield* get("/api/v1/account/export"), 429)
        assert.strictEqual(yield* get("/api/v1/finance/export.csv"), 429)
      })
    )
  }
)
