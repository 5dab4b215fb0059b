import { assert, describe, it, layer, type Vitest } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as OffloadInline from "../../../layers/testing/OffloadInline.ts"
import * as OffloadThreads from "../../../layers/threads/OffloadThreads.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { DependencyUnavailable } from "../../../src/platform/ports/DependencyUnavailable.ts"
import { Offload, TaskTooExpensive } from "../../../src/platform/ports/Offload.ts"
import { readQuickly } from "../../../src/publishing/content/reading/readMarkdown.ts"
import { SectionReader } from "../../../src/publishing/content/SectionReader.ts"
import { ownMediaLayer } from "../../support/ownMedia.ts"

const SECTIONS = 20

/** A section that is slow to read, with every construct of Markdown. */
const long = [
  "# Heading\n\nSome **bold** and *italic* words, `code`, [a link](https://a.test) and ++more++.\n\n",
  "- one\n- two\n  1. three\n\n> quoted\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n![image](https://a.test/1.png)\n\n"
]
  .join("")
  .repeat(SECTIONS)

const unsupported = `${long.trimEnd()}\n\na <b>`

const document: NativeDocument = {
  type: "doc",
  content: [
    { type: "paragraph", content: [{ type: "text", text: "a", marks: [{ type: "underline" }] }] },
    { type: "youtube", attrs: { src: "https://a.test/v" } }
  ]
}

const owner = OwnerId.make("019a0000-0000-7000-8000-000000000001")

const over = (offload: Layer.Layer<Offload>) =>
  SectionReader.layer.pipe(Layer.provide([offload, ownMediaLayer]))

const reader = <A>(use: (reader: SectionReader["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(SectionReader, use)

/** Declares the tests that hold wherever sections are read. */
const readings = (it: Vitest.MethodsNonLive<SectionReader>) => {
  it.effect("A short and a long section are read to their first words and image", () =>
    Effect.gen(function* () {
      const short = yield* reader((it) => it.read(owner, "![a](https://a.test/1.png) words"))
      assert.deepStrictEqual(short, {
        unsupported: [],
        isTooComplex: false,
        firstImage: "https://a.test/1.png",
        excerpt: "words"
      })
      const all = yield* reader((it) => it.read(owner, long))
      assert.strictEqual(all.firstImage, "https://a.test/1.png")
      assert.match(all.excerpt, /^Some bold and italic words, code, a link and more\. one two three quoted/)
      assert.deepStrictEqual(all.unsupported, [])
    })
  )

  it.effect("An unsupported feature at the end of a long section is found at its place", () =>
    Effect.gen(function* () {
      const { unsupported: places } = yield* reader((it) => it.read(owner, unsupported))
      const lines = unsupported.split("\n")
      assert.deepStrictEqual(places, [{ feature: "html", line: lines.length, column: 3 }])
    })
  )

  it.effect("A text that nests without end is too complex, and not a defect", () =>
    Effect.gen(function* () {
      const { isTooComplex } = yield* reader((it) => it.read(owner, "1. ".repeat(66_000)))
      assert.isTrue(isTooComplex)
    })
  )

  it.effect("Native documents are read, and made from Markdown", () =>
    Effect.gen(function* () {
      const reading = yield* reader((it) => it.readNative(owner, document))
      assert.strictEqual(reading.markdown, "++a++\n\n<https://a.test/v>\n")
      assert.deepStrictEqual(reading.unsupportedFeatures, ["youtube"])
      assert.deepStrictEqual(yield* reader((it) => it.nativeOf(owner, "++a++")), {
        type: "doc",
        content: document.content.slice(0, 1)
      })
      const native = yield* reader((it) => it.nativeOf(owner, long))
      assert.lengthOf(native.content, 6 * SECTIONS)
      const again = yield* reader((it) => it.readNative(owner, native))
      assert.deepStrictEqual(again.unsupportedFeatures, [])
    })
  )

  it.effect("Concurrent readings are not mixed up", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? unsupported : `${n} ${long.slice(10)}`))
      const readings = yield* Effect.forEach(all, (source) => reader((it) => it.read(owner, source)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        readings.map((it) => it.unsupported.length),
        all.map((source) => (source === unsupported ? 1 : 0))
      )
    })
  )
}

layer(over(OffloadInline.layer))("sections read inline", readings)

const turns = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

layer(over(OffloadThreads.layer()))("sections read in threads", (it) => {
  readings(it)

  it.effect("A long reading in a thread lets others have their turn", () =>
    Effect.gen(function* () {
      let count = 0
      const others = Effect.forever(
        Effect.tap(
          turns,
          Effect.sync(() => count++)
        )
      )
      yield* Effect.raceFirst(
        Effect.forEach(Array.from({ length: 4 }), () => reader((it) => it.read(owner, long)), {
          concurrency: "unbounded",
          discard: true
        }),
        others
      )
      assert.isAbove(count, 50)
    })
  )

  it.effect("A thread has enough memory for the longest texts that are accepted", () =>
    Effect.gen(function* () {
      for (const text of ["<", "`a``b"]) {
        const source = text.repeat(200_000).slice(0, 200_000)
        assert.isFalse((yield* reader((it) => it.read(owner, source))).isTooComplex, text)
      }
    })
  )
})

describe("reading in threads", () => {
  it("Threads read long sections, but not short ones or prose of usual length", () => {
    assert.isUndefined(readQuickly(long))
    assert.isDefined(readQuickly(long.slice(0, 1000)))
    assert.isDefined(readQuickly("Words and words, and more. ".repeat(1000)))
    assert.isUndefined(readQuickly("Words and words, and more. ".repeat(7000)))
  })

  it.effect("Too many waiting texts make the reader unavailable, while short ones are still read", () =>
    Effect.gen(function* () {
      const read = (source: string) => reader((it) => it.read(owner, source))
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
    }).pipe(Effect.provide(over(OffloadThreads.layer({ unfinishedPerKeyMax: 2 }))))
  )

  const unavailable = new DependencyUnavailable({ dependency: "section reader" })

  it.effect("A text that a thread cannot read in time is too complex, and a URL leaves it as text", () =>
    Effect.gen(function* () {
      assert.isTrue((yield* reader((it) => it.read(owner, long))).isTooComplex)
      assert.isTrue((yield* reader((it) => it.readNative(owner, document))).isTooComplex)
      const url = "https://a.test/1.png"
      const left = yield* reader((it) => it.withoutUrls(owner, long, [url]))
      assert.strictEqual(left, long.replaceAll(url, ""))
      for (const work of [
        reader((it) => Effect.asVoid(it.nativeOf(owner, long))),
        reader((it) => Effect.asVoid(it.nativeWithoutUrl(owner, document, url)))
      ]) {
        assert.deepStrictEqual(yield* Effect.catchDefect(work, Effect.succeed), unavailable)
      }
    }).pipe(Effect.provide(over(tooExpensive)))
  )

  const tooExpensive = Layer.succeed(
    Offload,
    Offload.of({ run: () => Effect.fail(new TaskTooExpensive({ exceeded: "processor time" })) })
  )
})
