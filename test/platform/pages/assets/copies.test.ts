import { assert, describe, it } from "@effect/vitest"
import { makeCopies, type Place } from "../../../../src/platform/pages/assets/copies.js"

const DAY = 24 * 60 * 60 * 1000

/** A storage with room for this many characters. A value without room changes nothing, as in browsers. */
const storage = (room = Number.POSITIVE_INFINITY): Place => {
  const values = new Map<string, string>()
  return {
    getItem: (name) => values.get(name) ?? null,
    removeItem: (name) => void values.delete(name),
    key: (at) => [...values.keys()][at] ?? null,
    setItem: (name, value) => {
      const others = [...values].filter(([it]) => it !== name).map(([, it]) => it.length)
      if (value.length > room - others.reduce((sum, it) => sum + it, 0)) throw new Error("no room")
      values.set(name, value)
    },
    get length() {
      return values.size
    }
  }
}

const copyOf = (free: string) => ({
  path: "/write/1",
  text: new URLSearchParams({ author: "mara", free }).toString(),
  key: "k",
  revision: "r1",
  unanswered: null
})

/** A device whose clock and storage its tabs share. */
const device = (...places: ReadonlyArray<Place>) => {
  const clock = { now: 1_000_000_000_000 }
  let tabs = 0
  return {
    clock,
    open: (author = "mara", path = "/write/1", owner = author) =>
      makeCopies({
        places,
        author,
        owner,
        path: () => path,
        now: () => clock.now,
        random: () => String(tabs++)
      })
  }
}

describe("Texts that a device keeps", () => {
  it("A text of a closed tab is offered at the next opening, to its author and for its post", () => {
    const { open } = device(storage())
    const copy = {
      ...copyOf("Grüße & 橋\n"),
      unanswered: { path: "/write/1", text: "free=a", key: "k", revision: "r0" }
    }
    open().keep(copy)
    assert.deepStrictEqual(open().find()?.copy, copy)
    assert.isNull(open("noa").find())
    assert.isNull(open("mara", "/write/2").find())
  })

  it("A page with the form of another account, or of a session that ended, offers no text", () => {
    const { open } = device(storage())
    open().keep(copyOf("of mara"))
    for (const owner of ["noa", ""]) {
      const page = open("mara", "/write/1", owner)
      assert.isNull(page.find(), owner)
      page.refuse()
    }
    assert.isNull(open("", "/write/1").find())
    assert.deepStrictEqual(open().find()?.copy, copyOf("of mara"))
  })

  it("Two tabs keep both texts, and the newer one is offered first", () => {
    const { clock, open } = device(storage())
    const [one, two] = [open(), open()]
    one.keep(copyOf("one"))
    clock.now += 1000
    two.keep(copyOf("two"))
    const next = open()
    assert.deepStrictEqual(next.find()?.copy, copyOf("two"))
    next.refuse()
    assert.deepStrictEqual(open().find()?.copy, copyOf("one"))
    one.forget()
    assert.isNull(open().find())
  })

  it("A text that is put back belongs to the new page, and what that page kept before stays", () => {
    const { clock, open } = device(storage())
    open().keep(copyOf("first"))
    const next = open()
    const found = next.find()!
    clock.now += 1000
    next.keep(copyOf("typed before"))
    clock.now += 1000
    next.take(found.copy)
    assert.deepStrictEqual(open().find()?.copy, copyOf("first"))
    next.forget()
    assert.deepStrictEqual(open().find()?.copy, copyOf("typed before"))
  })

  it("A text is kept for a week, and a storage without room leaves it to the next one", () => {
    const [device1, tab] = [storage(50), storage()]
    const { clock, open } = device(device1, tab)
    device1.setItem("pennypress:text:mara:/write/1:9", "no copy")
    open().keep(copyOf("x".repeat(100)))
    clock.now += 7 * DAY - 1
    assert.deepStrictEqual(open().find()?.copy, copyOf("x".repeat(100)))
    clock.now += 1
    assert.isNull(open().find())
    assert.deepStrictEqual([device1.length, tab.length], [0, 0])
  })

  it("A text that has no room leaves the one that was kept before it", () => {
    const { clock, open } = device(storage(400))
    const other = open("mara", "/write/2")
    other.keep(copyOf("other"))
    clock.now += 1000
    const page = open()
    page.keep(copyOf("first"))
    clock.now += 1000
    page.keep(copyOf("x".repeat(1000)))
    assert.deepStrictEqual(open().find()?.copy, copyOf("first"))
    assert.deepStrictEqual(open("mara", "/write/2").find()?.copy, copyOf("other"))
  })

  it("The oldest texts make room for a new one", () => {
    const { clock, open } = device(storage(500))
    for (const number of [1, 2, 3, 4]) {
      open("mara", `/write/${number}`).keep(copyOf("x".repeat(100)))
      clock.now += 1000
    }
    const kept = [1, 2, 3, 4].map((number) => open("mara", `/write/${number}`).find() !== null)
    assert.deepStrictEqual(kept, [false, false, true, true])
  })

  it("A text that moves to another storage leaves the first one, and is offered once", () => {
    const [device1, tab] = [storage(300), storage()]
    const { open } = device(device1, tab)
    const page = open()
    page.keep(copyOf("first"))
    page.keep(copyOf("x".repeat(400)))
    assert.deepStrictEqual([device1.length, tab.length], [0, 1])
    page.forget()
    assert.isNull(open().find())
  })

  it("A text that is put back stays where only one has room", () => {
    const { open } = device(storage(300))
    open().keep(copyOf("x".repeat(100)))
    const next = open()
    next.take(next.find()!.copy)
    assert.deepStrictEqual(open().find()?.copy, copyOf("x".repeat(100)))
    next.forget()
    assert.isNull(open().find())
  })
})
