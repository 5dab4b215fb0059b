import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SectionReaderDirect from "../../../layers/testing/SectionReaderDirect.ts"
import * as SectionReaderWorkers from "../../../layers/threads/SectionReaderWorkers.ts"
import type { NativeDocument } from "../../../schemas/publishing/content/NativeDocument.ts"
import { DependencyUnavailable } from "../../../src/platform/ports/DependencyUnavailable.ts"
import { SectionReader } from "../../../src/platform/ports/SectionReader.ts"
import { readQuickly } from "../../../src/publishing/content/reading/readMarkdown.ts"

/** A section that takes long, of everything that Markdown has. */
const long = [
  "# Heading\n\nSome **bold** and *italic* words, `code`, [a link](https://a.test) and ++more++.\n\n",
  "- one\n- two\n  1. three\n\n> quoted\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n![image](https://a.test/1.png)\n\n"
]
  .join("")
  .repeat(150)

const unsupported = `${long.trimEnd()}\n\na <b>`

const document: NativeDocument = {
  type: "doc",
  content: [
    { type: "paragraph", content: [{ type: "text", text: "a", marks: [{ type: "underline" }] }] },
    { type: "youtube", attrs: { src: "https://a.test/v" } }
  ]
}

const reader = <A>(use: (reader: SectionReader["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(SectionReader, use)

const adapters = {
  "in threads": SectionReaderWorkers.layer(),
  "where it is asked": SectionReaderDirect.layer
}

for (const [name, adapter] of Object.entries(adapters)) {
  layer(adapter)(`sections read ${name}`, (it) => {
    it.effect("a short one and a long one are known by their first words and image", () =>
      Effect.gen(function* () {
        const short = yield* reader((it) => it.read("![a](https://a.test/1.png) words"))
        assert.deepStrictEqual(short, {
          unsupported: [],
          isTooComplex: false,
          firstImage: "https://a.test/1.png",
          excerpt: "words"
        })
        const all = yield* reader((it) => it.read(long))
        assert.strictEqual(all.firstImage, "https://a.test/1.png")
        assert.match(all.excerpt, /^Some bold and italic words, code, a link and more\. one two three quoted/)
        assert.deepStrictEqual(all.unsupported, [])
      })
    )

    it.effect("what is not supported at the end of a long one is found where it is", () =>
      Effect.gen(function* () {
        const { unsupported: places } = yield* reader((it) => it.read(unsupported))
        const lines = unsupported.split("\n")
        assert.deepStrictEqual(places, [{ feature: "html", line: lines.length, column: 3 }])
      })
    )

    it.effect("a text that nobody could have written is too complex, and not a defect", () =>
      Effect.gen(function* () {
        const { isTooComplex } = yield* reader((it) => it.read("1. ".repeat(66_000)))
        assert.isTrue(isTooComplex)
      })
    )

    it.effect("native documents are read, and made of Markdown", () =>
      Effect.gen(function* () {
        const reading = yield* reader((it) => it.readNative(document))
        assert.strictEqual(reading.markdown, "++a++\n\nhttps://a.test/v\n")
        assert.deepStrictEqual(reading.unsupportedFeatures, ["youtube"])
        assert.deepStrictEqual(yield* reader((it) => it.nativeOf("++a++")), {
          type: "doc",
          content: document.content.slice(0, 1)
        })
        const native = yield* reader((it) => it.nativeOf(long))
        assert.lengthOf(native.content, 6 * 150)
        const again = yield* reader((it) => it.readNative(native))
        assert.deepStrictEqual(again.unsupportedFeatures, [])
      })
    )

    it.effect("many at once are told apart", () =>
      Effect.gen(function* () {
        const all = Array.from({ length: 12 }, (_, n) =>
          n % 3 === 0 ? unsupported : `${n} ${long.slice(10)}`
        )
        const readings = yield* Effect.forEach(all, (source) => reader((it) => it.read(source)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          readings.map((it) => it.unsupported.length),
          all.map((source) => (source === unsupported ? 1 : 0))
        )
      })
    )
  })
}

describe("reading in threads", () => {
  const turns = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

  it("is for long sections, and not for short ones or prose of usual length", () => {
    assert.isUndefined(readQuickly(long))
    assert.isDefined(readQuickly(long.slice(0, 1000)))
    assert.isDefined(readQuickly("Words and words, and more. ".repeat(1000)))
    assert.isUndefined(readQuickly("Words and words, and more. ".repeat(7000)))
  })

  it.effect("lets others have their turn", () =>
    Effect.gen(function* () {
      let count = 0
      const others = Effect.forever(
        Effect.tap(
          turns,
          Effect.sync(() => count++)
        )
      )
      yield* Effect.raceFirst(
        Effect.forEach(Array.from({ length: 4 }), () => reader((it) => it.read(long)), {
          concurrency: "unbounded",
          discard: true
        }),
        others
      )
      assert.isAbove(count, 50)
    }).pipe(Effect.provide(SectionReaderWorkers.layer()))
  )

  it.effect("is a dependency that is unavailable when too many wait, while short ones are read", () =>
    Effect.gen(function* () {
      const read = (source: string) => reader((it) => it.read(source))
      const answers = yield* Effect.forEach(
        Array.from({ length: 4 }),
        () =>
          read(long).pipe(
            Effect.map(({ isTooComplex }) => isTooComplex),
            Effect.catchDefect(Effect.succeed)
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers, [false, false, unavailable, unavailable])
      assert.strictEqual((yield* read("short")).excerpt, "short")
      assert.isFalse((yield* read(long)).isTooComplex)
    }).pipe(Effect.provide(SectionReaderWorkers.layer({ waitingMax: 2 })))
  )

  const unavailable = new DependencyUnavailable({ dependency: "section reader" })
})
