import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type Body,
  type Copy,
  type Effect,
  type Event,
  type Save,
  stateOf,
  step,
  type Timer,
  type Upload
} from "../../../../src/platform/pages/assets/editing.js"

const textOf = (free: string) => new URLSearchParams({ author: "mara", free }).toString()

/** The fate of a request: its answer arrives, or one of these things happens. */
type Fate = "answered" | "lost before" | "lost after" | "failing" | "busy" | "refused" | "session"

const UNKNOWN: ReadonlySet<Fate> = new Set(["lost before", "lost after", "failing", "busy"])

/** An act of an author, of time or of the network. */
type Act =
  | { readonly type: "write" | "blur" | "focus" | "connection" | "leave" | "elsewhere" }
  | { readonly type: "time"; readonly number: number }
  | { readonly type: "press"; readonly next: string }
  | { readonly type: "pictures"; readonly count: number }
  | { readonly type: "network"; readonly fate: Fate }

/** A service with one post, which makes one draft for each key. */
class Service {
  readonly drafts = new Map<string, string>()
  revision = 0
  /** The texts that were saved, the newest last. */
  readonly versions = [textOf("")]

  get text() {
    return this.versions.at(-1)
  }

  write(text: string) {
    this.versions.push(text)
    this.revision++
  }

  save({ key, path, revision, text }: Save): readonly [number, Body] {
    if (path === "/write") {
      const begun = this.drafts.get(key)
      if (begun !== undefined && begun !== text) return [409, { outcome: "repeat", said: "" }]
      if (begun === undefined) {
        this.drafts.set(key, text)
        this.write(text)
      }
    } else if (revision !== String(this.revision)) {
      if (text !== this.text) return [409, { outcome: "conflict", said: "" }]
    } else if (text !== this.text) this.write(text)
    return [200, { outcome: "saved", path: "/write/1", revision: String(this.revision), next: "/next" }]
  }

  take({ key, path, picture, text }: Upload): readonly [number, Body] {
    if (path === "/write" && !this.drafts.has(key)) {
      this.drafts.set(key, text ?? "")
      this.write(text ?? "")
    }
    const url = String(picture?.file)
    return [200, { outcome: "added", path: "/write/1", revision: String(this.revision), url, markdown: url }]
  }
}

/** An author in a browser: the form, its timers, and the request that is under way. */
class Author {
  readonly service = new Service()
  readonly timers = new Set<Timer>()
  free = ""
  copy: Copy | null = null
  request: Extract<Effect, { type: "send" | "upload" }> | null = null
  /** The request whose answer is unknown. */
  lost: Save | Upload | null = null
  isGone = false
  isWarned = false
  given = 0
  ended = 0
  outcome = "none"
  #count = 0
  #state = stateOf({
    path: "/write",
    key: "k",
    revision: "",
    text: textOf(""),
    outcome: "saved",
    isPublished: false
  })

  take(event: Event): void {
    const { effects, state } = step(this.#state, event, textOf(this.free))
    this.#state = state
    const after: Array<Event> = []
    for (const effect of effects) after.push(...this.#carryOut(effect))
    for (const next of after) this.take(next)
  }

  #carryOut(effect: Effect): ReadonlyArray<Event> {
    switch (effect.type) {
      case "send":
      case "upload": {
        assert.isNull(this.request, "Two requests at the same time")
        const sent = effect.type === "send" ? effect.save : effect.upload
        if (this.lost !== null) assert.deepStrictEqual(sent, this.lost, "Something newer went first")
        this.request = effect
        return []
      }
      case "start timer":
        this.timers.add(effect.timer)
        return []
      case "stop timer":
        this.timers.delete(effect.timer)
        return []
      case "keep copy":
        this.copy = effect.copy
        return []
      case "forget copy":
        this.copy = null
        return []
      case "say":
        this.outcome = effect.outcome
        return []
      case "insert picture":
        this.free += effect.markdown
        return [{ type: "input" }, { type: "edit" }]
      case "report end":
        this.ended += effect.added + effect.refusals.length
        // The author gives it up, and so does the machine.
        if (effect.refusals.some(({ outcome }) => outcome === "offline") && this.lost && "task" in this.lost)
          this.lost = null
        return []
      case "go to":
        assert.strictEqual(this.service.text, textOf(this.free), "It left before the text was saved")
        this.isGone = true
        return []
      case "submit form":
        this.isGone = true
        return []
      default:
        return []
    }
  }

  #answer(fate: Fate): void {
    const { request } = this
    if (request === null) return
    this.request = null
    const sent = request.type === "send" ? request.save : request.upload
    if (UNKNOWN.has(fate)) {
      const arrives = fate === "lost after" || fate === "failing"
      if (arrives) this.#served(request)
      // A page is an answer to a picture.
      const isAnswered = request.type === "upload" && (fate === "failing" || fate === "busy")
      this.lost = isAnswered ? null : sent
      if (fate === "failing") return this.take({ type: "answer", status: 502, body: null })
      if (fate === "busy") return this.take({ type: "answer", status: 429, body: null })
      return this.take({ type: "silence" })
    }
    this.lost = null
    if (fate === "refused") return this.take({ type: "answer", status: 422, body: { outcome: "refused" } })
    if (fate === "session") return this.take({ type: "answer", status: 401, body: { outcome: "session" } })
    const [status, body] = this.#served(request)
    return this.take({ type: "answer", status, body })
  }

  #served(request: Extract<Effect, { type: "send" | "upload" }>) {
    return request.type === "send" ? this.service.save(request.save) : this.service.take(request.upload)
  }

  act(act: Act): void {
    if (this.isGone) return
    switch (act.type) {
      case "write":
        this.free += String.fromCharCode(97 + (this.#count++ % 26))
        return this.take({ type: "input" })
      case "leave":
        this.take({ type: "departure" })
        return this.assertNothingLost()
      case "elsewhere":
        return this.service.drafts.size === 0 ? undefined : this.service.write("elsewhere")
      case "time": {
        const timer = [...this.timers][act.number % Math.max(this.timers.size, 1)]
        if (timer === undefined) return
        this.timers.delete(timer)
        return this.take({ type: "timeout", timer })
      }
      case "press":
        return this.take({ type: "press", button: { name: "next", value: act.next } })
      case "pictures": {
        const pictures = Array.from({ length: act.count }, () => {
          const name = `(${this.given++})`
          return { file: name, key: name }
        })
        return this.take({ type: "task", task: { type: "addition", place: "free", alt: "", pictures } })
      }
      case "network":
        return this.#answer(act.fate)
      default:
        return this.take({ type: act.type })
    }
  }

  /** The text is saved, or this tab keeps it. */
  assertNothingLost(): void {
    const isSaved = this.service.versions.includes(textOf(this.free))
    if (!isSaved || this.copy !== null) assert.strictEqual(this.copy?.text, textOf(this.free))
  }

  /** Answers all requests and lets time pass, until nothing is left to do. */
  settle(): void {
    for (let left = 200; !this.isGone && (this.request !== null || this.timers.size > 0); left--) {
      assert.isAbove(left, 0, "It never ends")
      this.act(this.request === null ? { type: "time", number: 0 } : { type: "network", fate: "answered" })
    }
  }
}

const always = (...types: ReadonlyArray<"write" | "blur" | "focus" | "connection" | "leave" | "elsewhere">) =>
  types.map((type) => fc.constant<Act>({ type }))

const time = fc.record({ type: fc.constant("time" as const), number: fc.nat(2) })
const press = fc.record({ type: fc.constant("press" as const), next: fc.constantFrom("", "preview") })
const pictures = fc.record({ type: fc.constant("pictures" as const), count: fc.integer({ min: 1, max: 3 }) })
const network = (...fates: ReadonlyArray<Fate>) =>
  fc.record({ type: fc.constant("network" as const), fate: fc.constantFrom(...fates) })

const RUNS = { numRuns: 3000 }

/** Plays acts, and returns the author after them. */
const after = (acts: ReadonlyArray<Act>) => {
  const author = new Author()
  author.take({ type: "start", copy: null })
  for (const act of acts) author.act(act)
  return author
}

describe("the machine that saves a post, at random", () => {
  it("A text that is typed is saved or kept with any network", () => {
    const act = fc.oneof(
      ...always("write", "write", "blur", "focus", "connection", "leave", "elsewhere"),
      time,
      time,
      press,
      pictures,
      network("answered", "lost before", "lost after", "failing", "busy", "refused", "session"),
      network("answered", "lost before", "lost after")
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const author = after(acts)
        assert.isAtMost(author.service.drafts.size, 1, "One text became two drafts")
        author.settle()
        if (author.isGone) return
        author.act({ type: "leave" })
        assert.strictEqual(author.ended, author.given, "A picture has no outcome")
      }),
      RUNS
    )
  })

  it("A text is saved in the end if each request is answered at last", () => {
    const act = fc.oneof(
      ...always("write", "write", "blur", "focus", "connection"),
      time,
      pictures,
      network("answered", "lost before", "lost after", "failing", "busy", "session")
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const author = after(acts)
        author.act({ type: "write" })
        author.settle()
        // A picture that was given up had made the draft. Only a press saves the text as another one.
        if (author.outcome === "repeat") return
        assert.strictEqual(author.service.text, textOf(author.free))
        assert.strictEqual(author.outcome, "saved")
        assert.isNull(author.copy)
      }),
      RUNS
    )
  })

  it("A text is saved if all requests are answered, with presses and pictures at any time", () => {
    const act = fc.oneof(
      ...always("write", "write", "blur", "focus", "connection"),
      time,
      pictures,
      press,
      network("answered")
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const author = after([{ type: "write" }, ...acts])
        author.settle()
        assert.strictEqual(author.service.text, textOf(author.free))
        assert.strictEqual(author.ended, author.given)
        assert.isNull(author.copy)
      }),
      RUNS
    )
  })
})
