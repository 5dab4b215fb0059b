import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { operations } from "../../support/contract.ts"

type ErrorCodec = Schema.Codec<
  { readonly _tag: string; readonly message: string; readonly detail?: string },
  object
>

const FIRST_ERROR_STATUS = 400

/** Every error that an operation of the contract declares, once. */
const declared: ReadonlySet<ErrorCodec> = new Set(
  operations.flatMap(({ responses }) =>
    [...responses].flatMap(([status, schemas]) =>
      status < FIRST_ERROR_STATUS || schemas.some(HttpApiSchema.isWithHeaders)
        ? []
        : (schemas as unknown as ReadonlyArray<ErrorCodec>)
    )
  )
)

/** Sends an error to a client. Returns what the client receives. */
const sent = Effect.fnUntraced(function* (codec: ErrorCodec, error: ErrorCodec["Type"]) {
  const wire = JSON.stringify(yield* Schema.encodeEffect(codec)(error))
  assert.notInclude(wire, '"_tag"')
  return yield* Schema.decodeUnknownEffect(codec)(JSON.parse(wire))
})

/** Names of the members that an error does not share with every other. */
const ownNames = (error: object) =>
  Object.keys(error).filter((name) => !["_tag", "detail", "errors"].includes(name))

describe("every error that an operation declares", () => {
  it.effect("An error keeps its members and its tag for a client, and the wire shows no tag", () =>
    Effect.gen(function* () {
      const tags = new Set<string>()
      for (const codec of declared) {
        const errors = yield* Arbitrary.sampleEffect(Arbitrary.schema(Schema.toType(codec)), { count: 10 })
        for (const error of errors) {
          const received = yield* sent(codec, error)
          assert.strictEqual(received.constructor, error.constructor)
          assert.sameMembers(ownNames(received), ownNames(error))
          // The client has the sentence that the service wrote, or else that of the family.
          if (error.detail !== undefined) assert.strictEqual(received.detail, error.detail)
          assert.strictEqual(received.message, received.detail)
          // Ids and handles are decoded to one spelling, so a value that was received is the one to compare.
          assert.deepStrictEqual(yield* sent(codec, received), received)
          const caught = Effect.fail(received).pipe(
            Effect.catchTag(error._tag, ({ _tag }) => Effect.succeed(_tag))
          )
          assert.strictEqual(yield* caught, error._tag)
          tags.add(error._tag)
        }
      }
      assert.isAbove(tags.size, 30)
      // Several errors have a form in each family.
      assert.isAbove(declared.size, tags.size)
    })
  )
})
