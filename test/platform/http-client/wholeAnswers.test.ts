import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, type HttpClientError, HttpClientResponse } from "effect/http"
import { wholeAnswers } from "../../../src/platform/http-client/wholeAnswers.ts"

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)

/** Reads an answer of a server by the client under test. */
const read = (body: string | null, contentType: string, status = 200) =>
  HttpClient.make((request) =>
    Effect.succeed(
      HttpClientResponse.fromWeb(
        request,
        new Response(body, { status, headers: { "content-type": contentType } })
      )
    )
  ).pipe(
    wholeAnswers(1000),
    (client) => client.get("https://press.test/"),
    Effect.flatMap(({ text }) => text)
  )

const refusalOf = (answer: Effect.Effect<string, HttpClientError.HttpClientError>) =>
  Effect.map(Effect.flip(answer), ({ reason }) =>
    reason._tag === "DecodeError" ? reason.description : reason._tag
  )

describe("a client of whole answers", () => {
  it.effect("The client reads an answer up to its bound, and one without a body", () =>
    Effect.gen(function* () {
      const text = "é".repeat(500)
      assert.strictEqual(yield* read(text, "text/plain"), text)
      assert.strictEqual(yield* read(null, "application/json", 204), "")
      assert.strictEqual(yield* refusalOf(read(`${text}x`, "text/plain")), "The answer is too large")
    })
  )

  it.effect("The client reads JSON of at most 32 levels, and any other text", () =>
    Effect.gen(function* () {
      for (const type of [
        "application/json",
        "application/problem+json; charset=utf-8",
        "Application/JSON"
      ]) {
        assert.strictEqual(yield* read(nested(32), type), nested(32), type)
        const refused = yield* refusalOf(read(nested(33), type))
        assert.strictEqual(refused, "The answer has too many levels", type)
      }
      assert.strictEqual(yield* read(nested(40), "text/markdown"), nested(40))
    })
  )
})
