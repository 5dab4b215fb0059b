import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaAST } from "effect"
import { HttpApi, HttpApiSchema } from "effect/http-api"
import { Api } from "../../schemas/Api.ts"
import { fieldErrorsOf } from "../../schemas/platform/errors/fieldErrors.ts"
import { problems } from "../../schemas/platform/errors/problems.ts"

type Whole = Parameters<typeof fieldErrorsOf>[1]

const texts = [
  "",
  " ",
  "x",
  "?!/",
  "xx".repeat(1500),
  "a\u202eb",
  "a\0b",
  "\ud800",
  "1e1",
  "-1",
  "9".repeat(60)
]
const dates = ["2026-02-30T00:00:00Z", "2026-11-21", "10000-01-01T00:00:00Z"]
const links = ["ftp://a.test", "http://u:p@a.test", "a@b..c", "@"]
const others = [0, -1, 0.5, 1e15, true, null, {}, [], [1], { "": 1 }]
const wrong: ReadonlyArray<unknown> = [...texts, ...dates, ...links, ...others]

/** Returns values on the wire that break each rule of a schema. */
const candidates = (ast: SchemaAST.AST): ReadonlyArray<unknown> => {
  const encoded = SchemaAST.toEncoded(ast)
  if (SchemaAST.isUnion(encoded)) return [...wrong, ...encoded.types.flatMap(candidates)]
  if (SchemaAST.isArrays(encoded)) {
    const items = [...encoded.elements, ...encoded.rest].flatMap((it) => candidates(it))
    return [...wrong, ...items.flatMap((it) => [[it], [it, it, it], [it, it, it, it]])]
  }
  if (!SchemaAST.isObjects(encoded)) return wrong
  const members = encoded.propertySignatures.flatMap(({ name, type }) =>
    candidates(type).map((it) => ({ [String(name)]: it }))
  )
  return [...wrong, { unheard: 1 }, ...members]
}

/** The same of a query, headers or a path, whose members are texts. */
const textCandidates = (ast: SchemaAST.AST) =>
  SchemaAST.isObjects(ast)
    ? ast.propertySignatures.flatMap(({ name }) => texts.map((it) => ({ [String(name)]: it })))
    : []

/** Every request of the contract: whose it is, where it is read from, and its schema. */
const requests: Array<{ readonly name: string; readonly whole: Whole; readonly schema: Schema.Top }> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    const name = `${group.identifier}.${endpoint.identifier}`
    const add = (whole: Whole, schema: Schema.Top | undefined) => {
      if (schema !== undefined) requests.push({ name, whole, schema })
    }
    add("query", endpoint.query)
    add("headers", endpoint.headers)
    add("path", endpoint.params)
    for (const { encoding, schemas } of endpoint.payload.values())
      for (const schema of schemas)
        if (encoding._tag === "Json" && !HttpApiSchema.isNoContent(schema.ast)) add("body", schema)
  }
})

const errorsOf = (schema: Schema.Top, whole: Whole, value: unknown) => {
  const decode = Schema.decodeUnknownResult(schema as Schema.Codec<unknown>)
  const result = decode(value, { errors: "all", onExcessProperty: "error" })
  return Result.isSuccess(result) ? [] : fieldErrorsOf(result.failure.issue, whole).errors
}

/** Of the implementation, and nothing that a caller knows. */
const IMPLEMENTATION =
  /RegExp|regular expression|DateTime|Struct|Schema|Effect|BigInt|Option|undefined|NaN|matching|Expected|another value|\bcheck(?!out)|\(\?|\\[dwsu]|\[[0-9a-z]-|\{\d+,?\d*\}|\^|not valid$/

/** The names that an object has, which follow the sentence about an unknown one. */
const KNOWN = /(?<=it is unknown here\. )Known: (?:[\w.]+, )*[\w.]+$/

const isGood = (field: string, message: string) => {
  const sentence = message.replace(KNOWN, "")
  return (
    field !== "" &&
    !IMPLEMENTATION.test(sentence) &&
    /^[A-Z][^\n]{3,199}$/.test(sentence) &&
    sentence.split(/\s+/).length < 30
  )
}

describe("messages of refused requests", () => {
  for (const { name, schema, whole } of requests)
    it(`Messages for the ${whole} of ${name} are in the caller's words`, () => {
      const bad = new Map<string, string>()
      for (const value of whole === "body" ? candidates(schema.ast) : textCandidates(schema.ast))
        for (const { field, message } of errorsOf(schema, whole, value))
          if (!isGood(field, message)) bad.set(`${field}: ${message}`, JSON.stringify(value).slice(0, 80))
      assert.deepStrictEqual(bad, new Map())
    })

  it("Messages of problems say in sentences what happened and what to do", () => {
    for (const [slug, { meaning, remedy, title }] of Object.entries(problems)) {
      for (const text of [meaning, remedy]) {
        assert.match(text, /^[A-Z`].*[.]$/, slug)
        assert.notMatch(text, IMPLEMENTATION, slug)
        for (const sentence of text.split(/[.;:] /))
          assert.isBelow(sentence.split(" ").length, 21, `${slug}: ${sentence}`)
      }
      assert.match(title, /^[A-Z].*[^.]$/, slug)
    }
  })
})
