import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as ImportReaderMemory from "../../../layers/testing/ImportReaderMemory.ts"
import { ObjectStorageMemory } from "../../../layers/testing/ObjectStorageMemory.ts"
import { zipOf } from "../../publishing/archives/makeZip.ts"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"
import { workImports } from "../../publishing/imports/importer.ts"
import { type FormPart, multipart } from "../../publishing/uploads/multipart.ts"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { pageOf, send, signedIn } from "../account/pages.ts"
import { assertPrivate, browser, type Browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { valueOf } from "../signIn.ts"

const PAGE = "/desk/import"
const OTHER_KEY = "5f0c7a52-6f3c-4b0e-9d52-3f6a8b0c1d2e"

const markdown = (members: string, text: string) => `---\n${members}\n---\n\n${text}\n`

/** A blog of two posts, one of them paid, and one picture. */
const blog = zipOf([
  {
    name: "blog/posts/one.md",
    content: markdown(
      "title: One penny\ndate: 2019-04-05T06:07:08Z\nslug: one-penny\npermalink: /2019/one-penny/",
      "See [the other](two.md) and ![a coin](../img/coin.png)."
    )
  },
  {
    name: "blog/posts/two.md",
    content: markdown("title: Two pennies\npaid: true", "Free\n\n<!--paid-->\n\nWalled")
  },
  { name: "blog/img/coin.png", content: pngOf({ width: 8, height: 8, seed: 5 }) }
])

const fileOf = (content: Uint8Array, fileName = "blog.zip"): FormPart => ({
  name: "file",
  fileName,
  mediaType: "application/zip",
  content
})

/** An author with a handle and a payout address, and a browser in which they are signed in. */
const authorAt = Effect.fnUntraced(function* (number: number) {
  const author = yield* uploaderOf(number)
  return { ...author, reader: yield* signedIn(number) }
})

const keyOf = (reader: Browser, path = PAGE) =>
  Effect.map(pageOf(reader, path), (text) => valueOf(text, "key"))

/** Sends a file in one form. Returns the path of the import. */
const sentWhole = Effect.fnUntraced(function* (reader: Browser, file: FormPart, key?: string) {
  const sent = yield* reader.postParts(PAGE, { key: key ?? (yield* keyOf(reader)) }, [file])
  assert.strictEqual(sent.status, 303, sent.text)
  assertPrivate(sent)
  return sent.headers.get("location") ?? ""
})

/** Returns the posts of an author, drafts included. */
const postsOf = Effect.fnUntraced(function* ({ key }: { readonly key: string }) {
  const client = yield* TestClient
  const { body } = yield* client.send("GET", "/api/v1/posts", { token: key })
  return body.data as ReadonlyArray<{ readonly title: string; readonly status: string }>
})

/** Presses a button of an import, and works until it ends. */
const pressed = Effect.fnUntraced(function* (
  reader: Browser,
  path: string,
  fields: Readonly<Record<string, string>>
) {
  const answer = yield* send(reader, path, { key: yield* keyOf(reader, path), ...fields })
  assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, path], answer.text)
  yield* workImports
  return yield* pageOf(reader, path)
})

/** Returns the fields that tick the posts with these titles. */
const ticked = (text: string, ...titles: ReadonlyArray<string>) =>
  Object.fromEntries(
    titles.map((title) => {
      const [, name = "", value = ""] =
        new RegExp(`name="(item\\.\\d+)"\\s+value="([^"]+)" ?/> <bdi>${title}</bdi>`).exec(text) ?? []
      assert.notStrictEqual(name, "", `no box of ${title} in ${text}`)
      return [name, value] as const
    })
  )

const declared = { do: "publish", method: "human_written", attested: "1", category: "3" }

/** Sends a piece as the script of the page does. */
const piece = Effect.fnUntraced(function* (
  reader: Browser,
  given: {
    readonly key: string
    readonly file: Uint8Array
    readonly fileName?: string
    readonly from: number
    readonly to: number
  }
) {
  const { file, fileName, from, key, to } = given
  const fields = { key, size: String(file.length), from: String(from), length: String(to - from) }
  const answer = yield* reader.postParts(PAGE, fields, [fileOf(file.slice(from, to), fileName)], {
    accept: "application/json"
  })
  assertPrivate(answer)
  return { status: answer.status, body: answer.body }
})

const readsForms = service(database("test_web_imports"), 1, {
  changePorts: (ports) => Layer.merge(ports, ImportReaderMemory.layer().pipe(Layer.provide(ports)))
})

layer(readsForms)("the pages of imports", (it) => {
  it.effect("A person brings a ZIP of Markdown by forms alone, publishes a post and undoes the rest", () =>
    Effect.gen(function* () {
      const { reader, ...author } = yield* authorAt(1)
      assert.include(yield* pageOf(reader, PAGE), "Choose the file that your old home gave")
      const path = yield* sentWhole(reader, fileOf(blog))
      assert.match(path, /^\/desk\/import\/[0-9a-f-]{36}$/)
      assert.include(yield* pageOf(reader, path), "Check again")
      assert.include(yield* pageOf(reader, PAGE), "blog.zip")
      yield* workImports
      const review = yield* pageOf(reader, path)
      assert.match(review, /<strong>2<\/strong> ready/)
      assert.include(review, "1 picture: 1 in the")
      for (const show of ["ready", "otherwise", "lost", "drafts", "left"])
        yield* pageOf(reader, `${path}?show=${show}`)

      const item = /href="(\/desk\/import\/[^"/]+\/[^"]+)"\s*>See it/.exec(review)?.[1] ?? ""
      const shown = yield* pageOf(reader, item)
      assert.include(shown, "One penny")
      assert.include(shown, "See ")
      const second = [...review.matchAll(/href="(\/desk\/import\/[^"/]+\/[^"]+)"\s*>See it/g)][1]?.[1] ?? ""
      assert.include(yield* pageOf(reader, second), "Walled")

      const one = yield* pressed(reader, path, { do: "selected", ...ticked(review, "One penny") })
      assert.match(one, /<strong>1<\/strong> ready/)
      const both = yield* pressed(reader, path, { do: "all" })
      assert.match(both, /<strong>0<\/strong> ready/)
      const drafts = yield* postsOf(author)
      assert.deepStrictEqual(drafts.map(({ title }) => title).toSorted(), ["One penny", "Two pennies"])
      assert.isTrue(drafts.every(({ status }) => status === "draft"))

      const published = yield* pressed(reader, path, { ...declared, ...ticked(both, "One penny") })
      const client = yield* TestClient
      const { handle } = (yield* author.profile()).body
      const post = `/@${handle}/one-penny`
      assert.strictEqual((yield* client.send("GET", post)).status, 200, published)

      const csv = yield* reader.get(`${path}/report.csv`)
      assert.strictEqual(csv.headers.get("content-type"), "text/csv; charset=utf-8")
      assert.match(csv.text, /^ordinal,sourceId,title,/)
      assertPrivate(csv)
      for (const format of ["csv", "json", "ghost", "apache", "nonsense"]) {
        const answer = yield* reader.get(`${path}/redirects?format=${format}`)
        assert.strictEqual(answer.status, 200)
        assert.include(answer.text, post, format)
        assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; filename="/)
        assertPrivate(answer)
      }

      const undone = yield* send(reader, path, { do: "undo" })
      assert.strictEqual(undone.headers.get("location"), `${path}?done=undone`)
      assert.include(yield* pageOf(reader, `${path}?done=undone`), "Undone.")
      assert.deepStrictEqual(
        (yield* postsOf(author)).map(({ title }) => title),
        ["One penny"]
      )
      const removed = yield* send(reader, path, { do: "delete" })
      assert.strictEqual(removed.headers.get("location"), PAGE)
      yield* workImports
      assert.strictEqual((yield* reader.get(path)).status, 404)
      assert.strictEqual((yield* client.send("GET", post)).status, 200)
    })
  )

  it.effect("A form that is sent again leads to the same import", () =>
    Effect.gen(function* () {
      const { reader } = yield* authorAt(2)
      const key = yield* keyOf(reader)
      const path = yield* sentWhole(reader, fileOf(blog), key)
      assert.strictEqual(yield* sentWhole(reader, fileOf(blog), key), path)
      // Another file waits for its turn: the page of the one that is being read says how far it is.
      assert.strictEqual(yield* sentWhole(reader, fileOf(blog, "other.zip")), `${path}?done=busy`)
      yield* workImports
      assert.strictEqual(yield* sentWhole(reader, fileOf(blog), key), path)
      const mismatch = yield* reader.postParts(PAGE, { key }, [fileOf(blog, "other.zip")])
      assert.strictEqual(mismatch.status, 409)
      assert.include(mismatch.text, "That was another file.")
      validated(mismatch.text)
    })
  )

  it.effect("A file that is no export says so, and another one can be chosen", () =>
    Effect.gen(function* () {
      const { reader } = yield* authorAt(3)
      const path = yield* sentWhole(reader, fileOf(new Uint8Array(2000).fill(7), "a.bin"))
      yield* workImports
      const text = yield* pageOf(reader, path)
      assert.include(text, "Choose another file")
      assert.notInclude(text, "Create drafts")
      const pressedAnyway = yield* send(reader, path, { key: OTHER_KEY, do: "all" })
      assert.strictEqual(pressedAnyway.status, 409)
    })
  )

  it.effect("The script sends pieces, repeats one whose answer was lost, and goes on in a new page", () =>
    Effect.gen(function* () {
      const { reader } = yield* authorAt(4)
      const [key, third, half] = [yield* keyOf(reader), 100, Math.floor(blog.length / 2)]
      const sent = { key, file: blog }
      const first = yield* piece(reader, { ...sent, from: 0, to: third })
      assert.deepStrictEqual(first, { status: 200, body: { received: third } })
      const repeated = yield* piece(reader, { ...sent, from: 0, to: third })
      assert.deepStrictEqual(repeated.body, { received: third })
      const ahead = yield* piece(reader, { ...sent, from: half, to: blog.length })
      assert.deepStrictEqual(ahead.body, { received: third })

      const fresh = { key: yield* keyOf(reader), file: blog }
      const begins = yield* piece(reader, { ...fresh, from: 0, to: half })
      assert.deepStrictEqual(begins.body, { received: third })
      assert.deepStrictEqual((yield* piece(reader, { ...fresh, from: third, to: half })).body, {
        received: half
      })
      const last = yield* piece(reader, { ...fresh, from: half, to: blog.length })
      const path = last.body.next
      assert.match(path, /^\/desk\/import\/[0-9a-f-]{36}$/)
      assert.deepStrictEqual((yield* piece(reader, { ...fresh, from: half, to: blog.length })).body, {
        next: path
      })
      yield* workImports
      assert.match(yield* pageOf(reader, path), /<strong>2<\/strong> ready/)
    })
  )

  it.effect("A piece that is longer than it says is refused, and not stored", () =>
    Effect.gen(function* () {
      const { reader } = yield* authorAt(10)
      const key = yield* keyOf(reader)
      const stored = Effect.map((yield* ObjectStorageMemory).objects, (all) =>
        [...all.keys()].filter((it) => it.startsWith("imports/"))
      )
      const before = yield* stored
      const fields = { key, size: String(blog.length), from: "0", length: "10" }
      const headers = { accept: "application/json" }
      const answer = yield* reader.postParts(PAGE, fields, [fileOf(blog)], headers)
      assert.strictEqual(answer.status, 422)
      assert.strictEqual(answer.body.wrong, "The body has more than 10 bytes: send 10")
      assert.deepStrictEqual(yield* stored, before)
    })
  )

  it.effect("A form that breaks off or is malformed within its file asks for the file again", () =>
    Effect.gen(function* () {
      const { reader } = yield* authorAt(11)
      const stored = Effect.map((yield* ObjectStorageMemory).objects, (all) =>
        [...all.keys()].filter((it) => it.startsWith("imports/"))
      )
      const before = yield* stored
      const part = (name: string, content: string) => ({ name, content })
      const sendCut = Effect.fnUntraced(function* (left: number, members: object = {}, accept = "text/html") {
        const fields = Object.entries({ key: yield* keyOf(reader), ...members })
        const form = multipart([...fields.map(([name, text]) => part(name, text)), fileOf(blog)])
        const headers = { ...form.headers, accept, "content-length": String(form.body.length) }
        return yield* reader.send("POST", PAGE, { body: form.body.slice(0, left), headers })
      })
      const cut = yield* sendCut(-50)
      assert.strictEqual(cut.status, 400, cut.text)
      assertPrivate(cut)
      assert.include(cut.text, "Your file didn&#39;t arrive whole. Choose it and try again.")
      assert.include(cut.text, 'type="file"')
      const members = { size: String(blog.length), from: "0", length: String(blog.length) }
      const ofScript = yield* sendCut(-50, members, "application/json")
      assert.strictEqual(ofScript.status, 400, ofScript.text)
      assert.include(ofScript.body.wrong, "didn't arrive whole")
      assert.deepStrictEqual(yield* stored, before)
      yield* workImports
      yield* sentWhole(reader, fileOf(blog))
    })
  )

  it.effect("The page of a file that did not arrive takes it, and another file replaces it", () =>
    Effect.gen(function* () {
      const { reader } = yield* authorAt(5)
      const gone = { key: yield* keyOf(reader), file: blog, fileName: "gone.zip" }
      assert.deepStrictEqual((yield* piece(reader, { ...gone, from: 0, to: 50 })).body, { received: 50 })
      const start = yield* pageOf(reader, PAGE)
      const path = /href="(\/desk\/import\/[^"]+)"\s*><bdi>gone\.zip/.exec(start)?.[1] ?? ""
      assert.notStrictEqual(path, "", start)
      const waiting = yield* pageOf(reader, path)
      assert.include(waiting, "Choose the same file again to go on from there.")
      assert.match(waiting, /<form method="post" action="\/desk\/import"/)

      const other = zipOf([{ name: "only.md", content: markdown("title: Only", "One") }])
      const sent = { key: yield* keyOf(reader), file: other, fileName: "other.zip" }
      const whole = yield* piece(reader, { ...sent, from: 0, to: other.length })
      assert.notStrictEqual(whole.body.next, path)
      yield* workImports
      assert.match(yield* pageOf(reader, whole.body.next), /<strong>1<\/strong> ready/)
      yield* pageOf(reader, path)

      // One in review is under way, and makes room when its author deletes it. Then a form without script replaces pieces, too.
      const busy = yield* sentWhole(reader, fileOf(blog, "again.zip"))
      assert.strictEqual(busy, `${whole.body.next}?done=busy`)
      assert.include(yield* pageOf(reader, busy), "This import comes first.")
      yield* send(reader, whole.body.next, { do: "delete" })
      yield* workImports
      const again = { key: yield* keyOf(reader), file: blog, fileName: "again.zip" }
      yield* piece(reader, { ...again, from: 0, to: 50 })
      const replaced = yield* sentWhole(reader, fileOf(blog, "again.zip"))
      yield* workImports
      const shown = yield* pageOf(reader, replaced)
      assert.match(shown, /<strong>2<\/strong> ready/, shown)
    })
  )

  it.effect("An import is stopped, and the page tells it", () =>
    Effect.gen(function* () {
      const { reader } = yield* authorAt(6)
      const path = yield* sentWhole(reader, fileOf(blog))
      const deleted = yield* send(reader, path, { do: "delete" })
      assert.strictEqual(deleted.status, 409)
      const stopped = yield* send(reader, path, { do: "cancel" })
      assert.strictEqual(stopped.headers.get("location"), `${path}?done=stopped`)
      assert.include(yield* pageOf(reader, `${path}?done=stopped`), "Stopped.")
      assert.strictEqual((yield* send(reader, path, { do: "cancel" })).headers.get("location"), path)
    })
  )

  it.effect("A form without what it needs says so", () =>
    Effect.gen(function* () {
      const { reader } = yield* authorAt(7)
      const key = yield* keyOf(reader)
      const refusals: ReadonlyArray<[number, string, ReadonlyArray<FormPart>]> = [
        [422, "Choose a file first.", []],
        [422, "Choose a file first.", [{ ...fileOf(new Uint8Array()), fileName: "" }]],
        [422, "The file is empty: choose another one", [fileOf(new Uint8Array(), "empty.zip")]]
      ]
      for (const [status, said, files] of refusals) {
        const answer = yield* reader.postParts(PAGE, { key }, files)
        assert.strictEqual(answer.status, status, answer.text)
        assert.include(answer.text, said)
        assertPrivate(answer)
        validated(answer.text)
      }
      assert.strictEqual((yield* reader.postParts(PAGE, { key: "" }, [fileOf(blog)])).status, 400)
      const script = yield* reader.postParts(PAGE, { key: yield* keyOf(reader) }, [], {
        accept: "application/json"
      })
      assert.deepStrictEqual([script.status, script.body], [422, { wrong: "Choose a file first." }])
      const large = yield* reader.postParts(
        PAGE,
        { key: yield* keyOf(reader), size: String(300 * 1024 * 1024), from: "0", length: "10" },
        [fileOf(new Uint8Array(10), "large.zip")],
        { accept: "application/json" }
      )
      assert.strictEqual(large.status, 413)
      assert.include(large.body.wrong, "At most" in large.body ? "" : "at most 256 MiB")
      const sizeless = yield* reader.postParts(PAGE, { key: yield* keyOf(reader) }, [fileOf(blog)], {
        accept: "application/json"
      })
      assert.strictEqual(sizeless.status, 422)

      const path = yield* sentWhole(reader, fileOf(blog))
      yield* workImports
      const text = yield* pageOf(reader, path)
      const wrong: ReadonlyArray<[Readonly<Record<string, string>>, string]> = [
        [{ do: "selected" }, "Tick the posts first."],
        [{ do: "all", price: "much" }, "Enter a price in XNO"],
        [{ do: "all", language: "?" }, "Enter a language"],
        [{ do: "all", site: "javascript:alert(1)" }, "Enter the address of your old site"],
        [{ ...declared, method: "", ...ticked(text, "One penny") }, "Say how the posts were made."],
        [{ ...declared, attested: "", ...ticked(text, "One penny") }, "Confirm that you reviewed"],
        [{ ...declared, "item.9": path.slice(-36) }, "Tick the posts first."]
      ]
      for (const [fields, said] of wrong) {
        const answer = yield* send(reader, path, { key: yield* keyOf(reader, path), ...fields })
        assert.strictEqual(answer.status, 422, said)
        assert.include(answer.text, said)
      }
    })
  )

  it.effect(
    "A stranger signs in first, another account finds nothing, and a foreign site sends nothing",
    () =>
      Effect.gen(function* () {
        const { reader } = yield* authorAt(8)
        const path = yield* sentWhole(reader, fileOf(blog))
        yield* workImports
        const review = yield* pageOf(reader, path)
        const item = /href="(\/desk\/import\/[^"/]+\/[^"]+)"\s*>See it/.exec(review)?.[1] ?? ""
        const pages = [path, item, `${path}/report.csv`, `${path}/redirects?format=csv`]
        const acts = ["all", "cancel", "undo", "delete"]

        const stranger = yield* browser
        for (const page of [PAGE, ...pages]) {
          const led = yield* stranger.get(page)
          assert.strictEqual(led.status, 303, page)
          assert.match(led.headers.get("location") ?? "", /^\/sign-in\?back=/)
        }
        const form = yield* stranger.postParts(PAGE, { key: OTHER_KEY }, [fileOf(blog)])
        assert.strictEqual(form.status, 401)
        for (const act of acts)
          assert.strictEqual((yield* stranger.post(path, { key: OTHER_KEY, do: act })).status, 401, act)

        const { reader: other } = yield* authorAt(9)
        for (const page of [...pages, `${PAGE}/nonsense`, `${path}/nonsense`])
          assert.strictEqual((yield* other.get(page)).status, 404, page)
        for (const act of acts)
          assert.strictEqual((yield* other.post(path, { key: OTHER_KEY, do: act })).status, 404, act)

        const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
        assert.strictEqual(
          (yield* reader.postParts(PAGE, { key: OTHER_KEY }, [fileOf(blog)], foreign)).status,
          403
        )
        for (const act of acts)
          assert.strictEqual(
            (yield* reader.post(path, { key: OTHER_KEY, do: act }, foreign)).status,
            403,
            act
          )
        assert.match(yield* pageOf(reader, path), /<strong>2<\/strong> ready/)
      })
  )
})
