import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { NativeContents } from "../../../src/publishing/posts/NativeContents.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { soak } from "../../support/soak.ts"
import { service } from "../../support/TestClient.ts"
import { publicTextOf } from "./paidReader.ts"
import { url } from "./rejectedImages.ts"
import { reject } from "./rejections.ts"

const image = `![a](${url})`

type Step =
  | { readonly do: "patch"; readonly patch: PaywallPatch }
  | { readonly do: "native"; readonly free?: boolean; readonly paid?: boolean | null }
  | { readonly do: "reject" | "publish" | "unpublish" }

interface PaywallPatch {
  readonly title?: string
  readonly free?: "text" | "image" | null
  readonly paid?: "text" | "image" | "both" | "blank" | null
  readonly enablePaywall?: boolean
  readonly price?: "1" | null
}

const patch: fc.Arbitrary<PaywallPatch> = fc
  .record(
    {
      title: fc.constant("Other"),
      free: fc.constantFrom("text", "image", null),
      paid: fc.constantFrom("text", "text", "image", "both", "blank", null),
      enablePaywall: fc.boolean(),
      price: fc.constantFrom("1", null)
    },
    { requiredKeys: [] }
  )
  .filter((it) => Object.keys(it).length > 0)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("patch" as const), patch }) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        do: fc.constant("native" as const),
        free: fc.boolean(),
        paid: fc.option(fc.boolean(), { nil: null })
      },
      { requiredKeys: ["do"] }
    )
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("reject" as const, "publish" as const, "unpublish" as const) })
  }
)

/** The paid texts of a script, each with a unique word, and the author's last paywall setting. */
class PaidTexts {
  private words = 0
  private requested = false
  private readonly secret = new Set<string>()

  next() {
    return `word${++this.words}x`
  }

  /** Records a saved edit with the words that it wrote into the paid section. */
  saved(enablePaywall: boolean | undefined, words: ReadonlyArray<string>) {
    this.requested = enablePaywall ?? this.requested
    if (enablePaywall === false) this.secret.clear()
    if (this.requested) for (const word of words) this.secret.add(word)
  }

  leaksOf(text: string) {
    return [...this.secret].filter((word) => text.includes(word))
  }
}

const RUNS = soak(30, 600)

layer(service(database("test_posts_paid_scripts")))("paid text in random scripts", (it) => {
  it.effect(
    `Paid text never appears in public over ${RUNS} scripts of edits, rejections and publications`,
    () =>
      Effect.gen(function* () {
        const contents = yield* NativeContents
        const author = yield* authorOf(1)
        let shown = 0
        const play = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, number: number) {
          const { id } = yield* author.draft()
          const texts = new PaidTexts()
          const run = Effect.fnUntraced(function* (step: Step, place: number) {
            if (step.do !== "patch" && step.do !== "native") {
              if (step.do === "reject") return yield* reject(id, url)
              if (step.do === "publish") return yield* author.publish(id, `${number}-${place}`)
              return yield* author.unpublish(id)
            }
            const word = texts.next()
            if (step.do === "native") {
              const of = (hasText: boolean): NativeDocument => ({
                type: "doc",
                content: [
                  hasText
                    ? { type: "paragraph", content: [{ type: "text", text: word }] }
                    : { type: "image", attrs: { src: url } }
                ]
              })
              const document = step.paid === undefined || step.paid === null ? step.paid : of(step.paid)
              const patch = {
                ...(step.free === undefined ? {} : { free: of(false) }),
                ...(document === undefined ? {} : { paid: document })
              }
              const written = yield* Effect.result(
                author.asService((publisher, post) => contents.write(publisher, post, patch))(id)
              )
              if (written._tag === "Success") texts.saved(undefined, step.paid === true ? [word] : [])
              return
            }
            const { free, paid, enablePaywall, price, title } = step.patch
            const text = { text: word, image, both: `${image} ${word}`, blank: " \n" }
            const saved = yield* author.patch(id, {
              ...(title === undefined ? {} : { title }),
              ...(free === undefined ? {} : { freeContentMarkdown: free === "image" ? image : free }),
              ...(paid === undefined ? {} : { paidContentMarkdown: paid === null ? null : text[paid] }),
              ...(enablePaywall === undefined ? {} : { enablePaywall }),
              ...(price === undefined ? {} : { priceXno: price })
            })
            if (saved.status === 200) {
              texts.saved(enablePaywall, paid === "text" || paid === "both" ? [word] : [])
            }
          })
          for (const [place, step] of steps.entries()) {
            yield* run(step, place)
            const text = yield* publicTextOf(id, author)
            if (text.includes("word")) shown++
            assert.deepStrictEqual(texts.leaksOf(text), [], JSON.stringify(steps.slice(0, place + 1)))
          }
          yield* author.unpublish(id)
        })
        const scripts = fc.sample(fc.array(step, { minLength: 2, maxLength: 9 }), {
          numRuns: RUNS,
          seed: 20_261_122
        })
        yield* Effect.forEach(scripts, play, { discard: true })
        // Free texts appear; without them the scripts would prove nothing.
        assert.isAbove(shown, RUNS / 10)
      })
  )
})
