import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { afterEach, vi } from "vitest"
import { fieldErrorsOf } from "../../../schemas/platform/errors/fieldErrors.ts"
import { PostDraft, SECTION_CHARACTERS_MAX } from "../../../schemas/publishing/posts/PostDraft.ts"

const decode = Schema.decodeUnknownResult(PostDraft, { errors: "all" })

/** Texts of about 4 MB, each hard for another step: patterns, normalization, segments, code points. */
const texts = ["a", " ", "\u0301", "👨‍👩‍👧", "\u00AD", "\u200B", "\u200E", "\r\n"].map((it) =>
  it.repeat(2_000_000 / it.length)
)

const LONG = SECTION_CHARACTERS_MAX

/** Replaces a method by one that notes the long texts which it reads. */
const watched = (owner: object, name: PropertyKey, read: Array<string>) => {
  const method = Reflect.get(owner, name)
  const spy = function (this: unknown, ...args: ReadonlyArray<unknown>) {
    if ([this, ...args].some((it) => typeof it === "string" && it.length > LONG)) read.push(String(name))
    return Reflect.apply(method, this, args)
  }
  // `name` is a method of `owner`, which the types of the spy cannot know.
  vi.spyOn(owner as Record<PropertyKey, () => unknown>, name).mockImplementation(spy)
}

describe("the members of a Post", () => {
  afterEach(() => vi.restoreAllMocks())

  it.each(Object.keys(PostDraft.fields))(
    "A %s of megabytes is refused before anything reads it",
    (member) => {
      const read: Array<string> = []
      for (const name of ["exec", "test", Symbol.replace]) watched(RegExp.prototype, name, read)
      for (const name of ["normalize", "replaceAll", "split", "trim", Symbol.iterator]) {
        watched(String.prototype, name, read)
      }
      watched(Intl, "getCanonicalLocales", read)
      watched(Intl.Segmenter.prototype, "segment", read)
      for (const text of texts) {
        const result = decode({ [member]: text })
        assert.isTrue(Result.isFailure(result))
        if (Result.isSuccess(result)) continue
        const { errors } = fieldErrorsOf(result.failure.issue, "body")
        assert.deepStrictEqual(
          errors.map(({ field }) => field),
          [member]
        )
        assert.isBelow(errors[0]?.message.length ?? 0, 200)
      }
      assert.deepStrictEqual(read, [])
    }
  )
})
