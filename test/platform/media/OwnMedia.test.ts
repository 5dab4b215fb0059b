import { assert, describe, it } from "@effect/vitest"
import { OwnMedia } from "../../../src/platform/media/OwnMedia.ts"

const PATH = "/media/0197a1b2-57c3-7000-8000-5d1c9e0f2b71.png"
const COPY = PATH.replace(".png", "-640.webp")
const [, , file = ""] = PATH.split("/")

const media = OwnMedia.make({
  base: "https://new.test",
  site: "https://new.test",
  hosts: ["new.test", "old.test", "localhost:4020", "a.b.test"]
})

/** Addresses that lead to the image. */
const OURS = [
  PATH,
  `https://new.test${PATH}`,
  `https://old.test${PATH}`,
  `http://old.test${PATH}`,
  `http://localhost:4020${PATH}`,
  `HTTPS://OLD.Test${PATH}`,
  `https://old.test:443${PATH}`,
  `//old.test${PATH}`,
  `\\\\old.test${PATH}`,
  `https://user:secret@old.test${PATH}`,
  `https://old.test${PATH}?size=9#part`,
  `${PATH}?`,
  `  ${PATH}\n`,
  `..${PATH}`,
  `../../..${PATH}`,
  `/a/../${PATH.slice(1)}`,
  `https://old.test/%6Dedia/${file}`,
  `/media/%30${file.slice(1)}`,
  `/media/x/%2e%2e/${file}`
]

/** Addresses that lead elsewhere. */
const OTHERS = [
  "",
  "/",
  "/media/",
  `https://other.test${PATH}`,
  `https:old.test${PATH}`,
  `//other.test${PATH}`,
  `https://old.test.other.test${PATH}`,
  `https://other.test/?u=https://old.test${PATH}`,
  `https://old.test@other.test${PATH}`,
  `https://old.test:8443${PATH}`,
  `http://localhost:4021${PATH}`,
  `https://axb.test${PATH}`,
  `https://old.test/x${PATH}`,
  `https://old.test//media/${file}`,
  `media/${file}`,
  `${PATH}/..`,
  `${PATH}/../${file}x/`,
  `/media/${file.toUpperCase()}`,
  `/media/0197a1b2-0000-7000-8000-000000000001/${file}`,
  `/media/../${file}`,
  `/media/%`,
  `/media/${file}%00`,
  `javascript:${PATH}`,
  `data:image/png,${PATH}`,
  `ftp://old.test${PATH}`,
  `https://[::1${PATH}`
]

describe("the addresses of images of the service", () => {
  it("Every address that leads to an image is stored as its path, and any other as it is", () => {
    for (const address of OURS) {
      assert.strictEqual(media.pathOf(address), PATH, address)
      assert.strictEqual(media.storedOf(address), PATH, address)
    }
    assert.strictEqual(media.storedOf(`https://old.test${COPY}`), COPY)
    for (const address of OTHERS) {
      assert.isUndefined(media.pathOf(address), address)
      assert.strictEqual(media.storedOf(address), address)
    }
    assert.isNull(media.storedOf(null))
  })

  it("A stored address has the current host, and an address elsewhere its own", () => {
    assert.strictEqual(media.urlOf(PATH), `https://new.test${PATH}`)
    assert.strictEqual(media.urlOf("https://other.test/a.png"), "https://other.test/a.png")
    assert.isNull(media.urlOf(null))
    assert.strictEqual(media.srcOf(PATH), PATH)
    const { srcOf } = OwnMedia.make({ base: "https://cdn.test", site: "https://new.test", hosts: [] })
    assert.strictEqual(srcOf(PATH), `https://cdn.test${PATH}`)
  })

  it("A text has the current host in the addresses of images, and nowhere else", () => {
    for (const before of [
      `![a](https://old.test${PATH})`,
      `![a](<HTTP://OLD.test${PATH}> "t")`,
      `[a]: //old.test${COPY}`,
      `https://a.b.test${PATH}`,
      `<http://localhost:4020${PATH}>`
    ]) {
      assert.match(media.textOf(before), /https:\/\/new\.test\/media\//, before)
      assert.notMatch(media.textOf(before), /old\.test|a\.b|localhost/i, before)
    }
    for (const text of [
      "Words of https://old.test/ and https://old.test/@ada/post",
      `https://old.test/media/${file.slice(1)}`,
      `https://other.test//old.test${PATH}`,
      `https://other.test/?u=https://old.test${PATH}`,
      `https://user@old.test${PATH}`,
      `https://axb.test${PATH}`,
      `https://new.test${PATH}`,
      `![a](${PATH})`
    ])
      assert.strictEqual(media.textOf(text), text)
    assert.isNull(media.textOf(null))
  })

  it("Markdown for readers elsewhere has whole addresses of images", () => {
    const url = `https://new.test${PATH}`
    for (const [before, after] of [
      [`![a](${PATH})`, `![a](${url})`],
      [`![a]( <${PATH}> "t")`, `![a]( <${url}> "t")`],
      [`[a]: ${PATH}`, `[a]: ${url}`],
      [`![a](https://old.test${PATH})`, `![a](${url})`],
      [`![a](https://other.test${PATH})`, `![a](https://other.test${PATH})`],
      [`The path ${PATH}`, `The path ${PATH}`]
    ] as const)
      assert.strictEqual(media.publicTextOf(before), after)
    assert.isNull(media.publicTextOf(null))
  })

  it("Markdown for an export has other addresses in place of those of images", () => {
    const asked: Array<string> = []
    const name = (path: string) => {
      asked.push(path)
      return path === PATH ? "/media/a.png" : undefined
    }
    for (const [before, after] of [
      [`![a](${PATH})`, "![a](/media/a.png)"],
      [`[a]: <${PATH}> "t"`, '[a]: </media/a.png> "t"'],
      [`![a](https://new.test${PATH}) ![b](//old.test${PATH}?x)`, "![a](/media/a.png) ![b](/media/a.png?x)"],
      [`![a](https://old.test${COPY})`, `![a](https://old.test${COPY})`],
      [`![a](https://other.test${PATH})`, `![a](https://other.test${PATH})`],
      [`https://other.test/?u=https://old.test${PATH}`, `https://other.test/?u=https://old.test${PATH}`],
      [`The path ${PATH}`, `The path ${PATH}`],
      ["Words", "Words"]
    ] as const)
      assert.strictEqual(media.renamed(before, name), after)
    assert.includeMembers(asked, [PATH, COPY])
  })
})
