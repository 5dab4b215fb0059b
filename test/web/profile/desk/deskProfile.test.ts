import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keysOf } from "../../../accounts/api-keys/keys.ts"
import { type FormPart, multipart } from "../../../publishing/uploads/multipart.ts"
import { signIn as signInByApi } from "../../../support/actors/owner.ts"
import { pngFile, workOff } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service, TestClient } from "../../../support/TestClient.ts"
import { assertPrivate, browser, type Browser } from "../../browser.ts"
import { deskAuthor, postBy } from "../../desk/author.ts"
import { validated } from "../../pages/documents.ts"
import { signIn } from "../../signIn.ts"

const PROFILE = "/desk/profile"

/** The fields of a whole profile. */
const whole = {
  name: "Mara Lindqvist",
  handle: "mara_writes",
  bio: "Bridges.\r\nAnd <b>boats</b>.",
  location: "Gothenburg",
  x: "https://x.com/mara",
  site: "https://mara.example/",
  pinned: "",
  tipLabel: "Buy me a coffee",
  tip1: "0.1",
  tip2: "0,5",
  tip3: "2"
}

const pageOf = Effect.fnUntraced(function* (reader: Browser, path = PROFILE) {
  const answer = yield* reader.get(path)
  assert.strictEqual(answer.status, 200, answer.text)
  assertPrivate(answer)
  validated(answer.text)
  return answer.text
})

const send = Effect.fnUntraced(function* (
  reader: Browser,
  fields: Readonly<Record<string, string>>,
  path = PROFILE
) {
  const answer = yield* reader.post(path, fields)
  assertPrivate(answer)
  if (answer.status !== 303) validated(answer.text)
  return answer
})

/** Returns true if readers see that an account is an AI agent's. */
const isLabelled = (handle: string) =>
  Effect.gen(function* () {
    const page = yield* (yield* browser).get(`/@${handle}`)
    assert.strictEqual(page.status, 200)
    return page.text.includes('<span class="tag">AI agent</span>')
  })

const signedIn = Effect.fnUntraced(function* (number: number) {
  const reader = yield* browser
  yield* signIn(reader, number)
  return reader
})

/** Sends a form with a file, as a browser does. */
const upload = Effect.fnUntraced(function* (
  reader: Browser,
  path: string,
  parts: ReadonlyArray<FormPart>,
  more: Readonly<Record<string, string>> = {}
) {
  const client = yield* TestClient
  const { body, headers } = multipart(parts)
  const cookie = [...reader.jar.values()].map(({ name, value }) => `${name}=${value}`).join("; ")
  const answer = yield* client.send("POST", path, {
    body,
    headers: { ...headers, cookie, "sec-fetch-site": "same-origin", ...more }
  })
  assertPrivate(answer)
  if (answer.status !== 303) validated(answer.text)
  return answer
})

/** The keys that the page puts into its forms: of the picture, and of the wide one. */
const keysIn = (text: string) => {
  const [avatar = "", header = ""] = [...text.matchAll(/name="key"\s+value="([^"]*)"/g)].map(([, it]) => it)
  return { avatar, header }
}

layer(service(database("test_web_desk_profile")))("The profile on the desk", (it) => {
  it.effect("Everything that readers see of an author is saved from one form", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(1)
      const empty = yield* pageOf(reader)
      assert.match(empty, /id="handle"[^>]*value=""/)
      assert.notMatch(empty, /value="user_/)
      const saved = yield* send(reader, whole)
      assert.strictEqual(saved.headers.get("location"), `${PROFILE}?done=saved`, saved.text)
      const text = yield* pageOf(reader, `${PROFILE}?done=saved`)
      assert.include(text, "Your profile is saved.")
      assert.include(text, "Bridges.\nAnd &lt;b&gt;boats&lt;/b&gt;.")
      assert.include(text, "Links with @mara_writes lead to the new ones")
      for (const value of [whole.name, whole.location, whole.x, whole.site, "0.1", "0.5"])
        assert.include(text, `value="${value}"`)
      const page = yield* (yield* browser).get("/@mara_writes")
      for (const shown of [whole.name, whole.location, whole.x, whole.site, "boats"])
        assert.include(page.text, shown)
      // The same form again changes nothing, and an emptied field clears its member.
      assert.strictEqual((yield* send(reader, whole)).status, 303)
      yield* send(reader, { ...whole, bio: "", location: "", x: "", site: "" })
      const cleared = yield* pageOf(reader)
      for (const gone of ["boats", whole.location, whole.x, whole.site]) assert.notInclude(cleared, gone)
    })
  )

  it.effect("Every refused field says why, and everything typed stays", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(2)
      yield* send(reader, { ...whole, handle: "second_author" })
      const plain = (text: string) => text.replaceAll(/name="key"\s+value="[^"]*"/g, "")
      const before = plain(yield* pageOf(reader))
      for (const [field, value, sentence] of [
        ["tip1", "1,000", "“1,000” can mean 1000 or 1 XNO."],
        ["tip3", "$5", "Write three amounts in XNO"],
        ["name", "", "Enter your name"],
        ["name", "New User", "Choose another name."],
        ["name", "x".repeat(51), "50 characters"],
        ["name", "a\u202Eb", ""],
        ["handle", "", "at least 4"],
        ["handle", "abc", "at least 4"],
        ["handle", "a".repeat(31), "at most 30"],
        ["handle", "no spaces", "letters from A to Z"],
        ["handle", "admin", "reserved"],
        ["handle", "user_abcdef", "reserved"],
        ["bio", "é".repeat(251), "250 characters"],
        ["bio", "\0", ""],
        ["location", "x".repeat(81), "80 characters"],
        ["x", "x.com/mara", "Enter a full address"],
        ["x", "ftp://x.com/mara", "Enter a full address"],
        ["site", "javascript:alert(1)", "Enter a full address"],
        ["site", "https://user:secret@mara.example/", "Enter a full address"],
        ["site", `https://mara.example/${"a".repeat(2048)}`, "Enter a full address"],
        ["pinned", "00000000-0000-4000-8000-000000000000", "one of your published posts"],
        ["pinned", "<b>", ""],
        ["tipLabel", "", "Enter the text of the button"],
        ["tipLabel", "x".repeat(41), "40 characters"],
        ["tip1", "0.0009", "three amounts"],
        ["tip1", "0.0009999999999999999999", "three amounts"],
        ["tip1", "-1", "three amounts"],
        ["tip1", "1e-1", "three amounts"],
        ["tip2", "0.1", "three amounts"],
        ["tip2", "a lot", "three amounts"],
        ["tip3", "133248298", "three amounts"],
        ["tip3", "2.0000001", "three amounts"],
        ["tip3", "", "three amounts"]
      ] as const) {
        const refused = yield* send(reader, { ...whole, handle: "second_author", [field]: value })
        assert.strictEqual(refused.status, 422, `${field} ${value}`)
        assert.include(refused.text, sentence, `${field} ${value}`)
        assert.match(refused.text, new RegExp(`href="#${field.startsWith("tip") ? "tip" : field}`))
        assert.include(refused.text, field === "location" ? whole.x : whole.location)
      }
      assert.strictEqual(plain(yield* pageOf(reader)), before)
    })
  )

  it.effect("Texts at the edges of their limits are saved", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(3)
      const saved = yield* send(reader, {
        ...whole,
        name: "👩‍👩‍👧".repeat(50),
        handle: "@Edge",
        bio: "👍🏽".repeat(250),
        location: "é".repeat(80),
        site: `http://mara.example/${"a".repeat(2028)}`,
        tipLabel: "x".repeat(40),
        tip1: "0.001",
        tip2: "0.001001",
        tip3: "133248297"
      })
      assert.strictEqual(saved.status, 303, saved.text)
      assert.include(yield* pageOf(reader), 'value="0.001001"')
    })
  )

  it.effect("A handle that another account has is refused, in any case", () =>
    Effect.gen(function* () {
      yield* send(yield* signedIn(4), { ...whole, handle: "taken_name" })
      const reader = yield* signedIn(5)
      const refused = yield* send(reader, { ...whole, handle: "TAKEN_Name" })
      assert.strictEqual(refused.status, 409)
      assert.include(refused.text, "Another account has this handle.")
      assert.include(refused.text, 'value="TAKEN_Name"')
      // Without a handle yet, the rest is saved.
      assert.strictEqual((yield* send(reader, { ...whole, handle: "" })).status, 303)
    })
  )

  it.effect("An author pins one of their own published posts, and no other", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(6)
      const id = (yield* postBy(author)).replace("/write/", "")
      const other = yield* deskAuthor(7)
      const foreign = (yield* postBy(other)).replace("/write/", "")
      const text = yield* pageOf(author.reader)
      assert.include(text, `<option value="${id}">Nine degrees from upright</option>`)
      assert.notInclude(text, foreign)
      const fields = { ...whole, handle: "writer_6" }
      const refused = yield* send(author.reader, { ...fields, pinned: foreign })
      assert.strictEqual(refused.status, 422)
      assert.strictEqual((yield* send(author.reader, { ...fields, pinned: id })).status, 303)
      assert.include(yield* pageOf(author.reader), `<option value="${id}" selected>`)
      assert.strictEqual((yield* send(author.reader, { ...fields, pinned: "" })).status, 303)
      assert.notInclude(yield* pageOf(author.reader), `<option value="${id}" selected>`)
    })
  )

  it.effect("What was typed is kept while the website has no key, or the reader is signed out", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(8)
      yield* pageOf(reader)
      // The first form makes the key.
      assert.strictEqual((yield* send(reader, { ...whole, handle: "writer_8", x: "nowhere" })).status, 422)
      const { accessToken } = yield* signInByApi(8)
      const keys = yield* keysOf(accessToken)
      const website = (yield* keys.list).find(({ label }) => label === "Website")!
      yield* keys.revoke(website.keyId)
      const refused = yield* send(reader, whole)
      assert.strictEqual(refused.status, 409)
      assert.include(refused.text, "you revoked the website")
      assert.include(refused.text, 'value="Gothenburg"')
      const stranger = yield* browser
      const out = yield* send(stranger, whole)
      assert.strictEqual(out.status, 401)
      assert.include(out.text, "Gothenburg")
      for (const path of ["/agent", "/header/remove", "/supporters"])
        assert.strictEqual((yield* send(stranger, { show: "yes" }, `${PROFILE}${path}`)).status, 401, path)
    })
  )

  it.effect("An account is declared an AI agent's only with its tick, and for good", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(9)
      yield* send(reader, { ...whole, handle: "maybe_agent" })
      assert.include(yield* pageOf(reader), "You can't undo this.")
      const refused = yield* send(reader, {}, `${PROFILE}/agent`)
      assert.strictEqual(refused.status, 422)
      assert.include(refused.text, "Tick this box")
      assert.isFalse(yield* isLabelled("maybe_agent"))
      for (const _ of [1, 2]) {
        const declared = yield* send(reader, { confirmed: "1" }, `${PROFILE}/agent`)
        assert.strictEqual(declared.headers.get("location"), `${PROFILE}?done=agent`)
      }
      assert.isTrue(yield* isLabelled("maybe_agent"))
      assert.notInclude(yield* pageOf(reader), "Declare an AI agent")
    })
  )

  it.effect("Rankings and lists of supporters show a name only while its owner wants that", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(10)
      const offered = (list: string) =>
        Effect.map(
          pageOf(reader),
          (text) => new RegExp(`profile/${list}"[^]*?name="show" value="(yes|no)"`).exec(text)?.[1]
        )
      for (const list of ["rankings", "supporters"]) {
        assert.strictEqual(yield* offered(list), "yes", list)
        for (const show of ["yes", "no"]) {
          yield* send(reader, { show }, `${PROFILE}/${list}`)
          assert.strictEqual(yield* offered(list), show === "yes" ? "no" : "yes", list)
        }
        assert.strictEqual((yield* send(reader, { show: "maybe" }, `${PROFILE}/${list}`)).status, 400)
      }
    })
  )

  it.effect("A picture is uploaded from its form, once for each form, and seen by readers", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(11)
      yield* send(reader, { ...whole, handle: "with_picture" })
      const keys = keysIn(yield* pageOf(reader))
      for (const [picture, key] of Object.entries(keys)) {
        const parts = [{ name: "key", content: key }, pngFile(key.length)]
        for (const _ of [1, 2]) {
          const sent = yield* upload(reader, `${PROFILE}/${picture}`, parts)
          assert.strictEqual(sent.headers.get("location"), `${PROFILE}?done=${picture}`, sent.text)
        }
      }
      yield* workOff
      const text = yield* pageOf(reader)
      assert.lengthOf([...text.matchAll(/Your newest upload: Checked\./g)], 2)
      const page = yield* (yield* browser).get("/@with_picture")
      assert.match(page.text, /<img\s+class="face large"/)
      assert.match(page.text, /class="cover"/)
      const removed = yield* send(reader, {}, `${PROFILE}/header/remove`)
      assert.strictEqual(removed.headers.get("location"), `${PROFILE}?done=removed`)
      assert.notInclude(yield* pageOf(reader), "Your wide picture")
    })
  )

  it.effect("A picture that is refused changes nothing, and its field says why", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(12)
      const { avatar: key } = keysIn(yield* pageOf(reader))
      const field = { name: "key", content: key }
      const at = `${PROFILE}/avatar`
      const words = { name: "file", fileName: "a.png", mediaType: "image/png", content: "<b>no picture</b>" }
      const bad = yield* upload(reader, at, [field, words])
      assert.strictEqual(bad.status, 422)
      assert.match(bad.text, /id="avatar-hint"[^>]*>\s*<strong class="bad">/)
      const none = yield* upload(reader, at, [field, { ...words, fileName: "", content: "" }])
      assert.strictEqual(none.status, 422)
      assert.include(none.text, "Choose a picture first.")
      const large = { ...words, content: new Uint8Array(2 * 1024 * 1024 + 600 * 1024) }
      assert.include([413, 422], (yield* upload(reader, at, [field, large])).status)
      assert.strictEqual((yield* upload(reader, at, [{ ...field, content: "x" }, pngFile()])).status, 400)
      const foreign = { "sec-fetch-site": "cross-site" }
      assert.strictEqual((yield* upload(reader, at, [field, pngFile()], foreign)).status, 403)
      assert.strictEqual((yield* upload(yield* browser, at, [field, pngFile()])).status, 401)
      assert.strictEqual((yield* send(reader, { key }, at)).status, 415)
      assert.notMatch(yield* pageOf(reader), /<img\s+class="face/)
    })
  )
})
