import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Api } from "../schemas/Api.ts"
import { DocumentedApi } from "../schemas/DocumentedApi.ts"
import { quotedPayment } from "../schemas/payments/x402/paymentInfo.ts"
import { problems } from "../schemas/platform/errors/problems.ts"
import { describeForTools } from "../schemas/platform/openapi.ts"
import { documentOfTag, slugOfTag, tagsOf } from "../schemas/platform/openapiTags.ts"
import { OptionalOwner, PublicRead } from "../schemas/platform/security/middleware.ts"
import { referenceText } from "../src/web/docs/referenceText.ts"
import { inlined } from "./operations/inlined.ts"

const published = JSON.parse(JSON.stringify(OpenApi.fromApi(DocumentedApi)))
/** The document with its shared parts in the places that refer to them. */
const generated = inlined(published)

/** The reads of spec 4.5. */
const publicReads = new Set<string>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, middleware }) => {
    if ([...middleware].some(({ key }) => key === PublicRead.key))
      publicReads.add(`${endpoint.method.toLowerCase()} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`)
  }
})

const operations = Object.entries<any>(generated.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, operation]) => ({
    path,
    operation,
    isPublicRead: publicReads.has(`${method} ${path}`)
  }))
)

describe("the OpenAPI document", () => {
  it("The checked-in document is current, and `npm run openapi` writes it", () => {
    assert.deepStrictEqual(JSON.parse(readFileSync("schemas/openapi.json", "utf8")), published)
  })

  it("The document is OpenAPI 3.1 and carries version 1.0.0", () => {
    assert.match(generated.openapi, /^3\.1\./)
    assert.strictEqual(generated.info.version, "1.0.0")
  })

  it("The operations have names that every tool can read", () => {
    const ids = Object.values<any>(generated.paths).flatMap((path) =>
      Object.values<any>(path).map((it) => it.operationId)
    )
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/)
  })

  it("Every operation lists the statuses of spec 7, in one family", () => {
    for (const path of Object.values<any>(generated.paths)) {
      for (const { operationId, responses } of Object.values<any>(path)) {
        assert.containsAllKeys(
          responses,
          ["400", "401", "403", "404", "409", "422", "429", "500", "503"],
          operationId
        )
        const errors = Object.entries<any>(responses).filter(([status]) => Number(status) >= 400)
        const families = new Set(errors.flatMap(([, { content }]) => Object.keys(content)))
        // The malformed revision of a Post is in the other family (spec 4.3.9).
        const hasRevision =
          operationId === "postsUpdate" ||
          operationId === "schedulesSave" ||
          operationId === "attachmentsAttach" ||
          operationId === "uploadsImage"
        assert.strictEqual(families.size, hasRevision ? 2 : 1, operationId)
      }
    }
  })

  it("Every parameter has a description, and every shared part is used", () => {
    const nameless = operations.flatMap(({ operation, path }) =>
      operation.parameters
        .filter((it: any) => !/^[A-Z`].{9,}/.test(it.description ?? ""))
        .map(({ name }: any) => `${path} ${name}`)
    )
    assert.deepStrictEqual(nameless, [])
    const text = JSON.stringify(published)
    const { securitySchemes: _, ...components } = published.components
    const unused = Object.entries<object>(components).flatMap(([kind, named]) =>
      Object.keys(named)
        .map((name) => `#/components/${kind}/${name}`)
        .filter((ref) => !text.includes(`"${ref}"`))
    )
    assert.deepStrictEqual(unused, [])
  })

  it("A header that an operation cannot do without is required", () => {
    const required = operations.flatMap(({ operation }) =>
      operation.parameters
        .filter((it: any) => it.in === "header" && it.required)
        .map(({ name }: any) => `${operation.operationId} ${name}`)
    )
    assert.includeMembers(required, [
      "uploadsImage X-Post-Revision",
      "attachmentsAttach X-Post-Revision",
      "uploadsAvatar Idempotency-Key",
      "postsPublish Idempotency-Key",
      "commentsAppend Idempotency-Key",
      "giftsIssue Idempotency-Key",
      "purchaseByReceiptRead X-Purchase-Receipt"
    ])
  })

  it("No text of the document cites the specification", () => {
    const texts: Array<string> = []
    const visit = (value: unknown): void => {
      if (typeof value === "string") texts.push(value)
      else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit)
    }
    visit(published)
    const citing = texts.filter((it) => /\bspec(ification)?\b.*\d|\bsections? \d|§/i.test(it))
    assert.deepStrictEqual(citing, [])
  })

  it("The document is less than half of what it says, and each tag fits into a context of its own", () => {
    const bytes = (value: unknown) =>
      Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value))
    assert.isBelow(bytes(published), 3_500 * operations.length)
    assert.isBelow(bytes(published), bytes(generated) / 2)
    const names = new Set<string>()
    for (const tag of tagsOf(Api)) {
      names.add(slugOfTag(tag))
      const own = documentOfTag(published, tag)
      // A token is four bytes.
      for (const form of [own, referenceText(own)]) assert.isAtMost(bytes(form) / 4, 15_000, tag.name)
    }
    assert.strictEqual(names.size, published.tags.length)
  })

  it("The document of a tag has its operations as the whole has them, and all that they refer to", () => {
    const whole = new Map(operations.map(({ operation }) => [operation.operationId, operation]))
    let count = 0
    for (const tag of tagsOf(Api)) {
      const own = documentOfTag(published, tag)
      const refs = JSON.stringify(own).match(/(?<="\$ref":"#\/)[^"]+/g) ?? []
      for (const ref of refs) {
        const target = ref.split("/").reduce<any>((value, key) => value?.[key], own)
        assert.isDefined(target, `${tag.name} ${ref}`)
      }
      for (const operation of Object.values<any>(inlined(own).paths).flatMap((it) =>
        Object.values<any>(it)
      )) {
        assert.deepStrictEqual(operation, whole.get(operation.operationId))
        count++
        const schemes = operation.security.flatMap(Object.keys)
        assert.includeMembers(Object.keys({ ...own.components["securitySchemes"] }), schemes)
      }
    }
    assert.strictEqual(count, operations.length)
  })

  it("A text has one flat schema, which generators take for a string", () => {
    const nested: Array<string> = []
    const visit = (value: unknown, place: string): void => {
      if (typeof value !== "object" || value === null) return
      if ("allOf" in value && place !== "components.schemas.EmailChangeRequest") nested.push(place)
      for (const [key, it] of Object.entries(value)) visit(it, `${place}.${key}`)
    }
    for (const [key, it] of Object.entries(generated)) visit(it, key)
    assert.deepStrictEqual(nested, [])
  })

  it("A format is claimed only where every accepted value has it", () => {
    const formats = new Set(JSON.stringify(generated).match(/"format":"[^"]*"/g))
    assert.sameMembers(
      [...formats],
      ['"format":"uuid"', '"format":"date-time"', '"format":"binary"', '"format":"uri"']
    )
  })

  it("Only a body without a required member may be left out", () => {
    const bodies = Object.values<any>(generated.paths)
      .flatMap((path) => Object.values<any>(path))
      .filter((it) => it.requestBody !== undefined)
    const optional = bodies.filter((it) => !it.requestBody.required).map((it) => it.operationId)
    assert.deepStrictEqual(optional.toSorted(), [
      "apiKeysIssue",
      "apiKeysRotate",
      "paymentSessionsSaySent",
      "postsCreate",
      "postsPublish",
      "postsUnpublish",
      "registrationsIssueKey",
      "webhooksRotateSecret",
      "webhooksTest"
    ])
  })

  it("An operation names its credential as OpenAPI does, or that it needs none", () => {
    for (const it of Object.values<any>(generated.components.securitySchemes))
      assert.strictEqual(it.scheme, "bearer")
    for (const { isPublicRead, operation, path } of operations) {
      if (!isPublicRead) continue
      assert.deepStrictEqual(operation.security, [{}, { ownerSession: [] }], path)
    }
  })

  it("Headers are spelled as in HTTP", () => {
    for (const { operation } of operations) {
      const sent = operation.parameters.filter((it: any) => it.in === "header").map((it: any) => it.name)
      const answered = Object.values<any>(operation.responses).flatMap(({ headers }) => Object.keys(headers))
      for (const name of [...sent, ...answered])
        assert.match(name, /^(WWW-Authenticate|ETag|RateLimit(-Policy)?|[A-Z][a-z]*(-[A-Z][a-z]+)*)$/)
    }
  })

  it("A public read documents ETag and 304, and an operation with a body 413 and 415", () => {
    assert.isAbove(publicReads.size, 20)
    for (const { isPublicRead, operation } of operations) {
      const { operationId, requestBody, responses } = operation
      // A file has an ETag although it is not public.
      const hasTag = isPublicRead || operationId === "accessDownload"
      assert.strictEqual(responses["304"] !== undefined, hasTag, operationId)
      assert.strictEqual(responses["200"]?.headers["ETag"] !== undefined, hasTag, operationId)
      const asks = operation.parameters.some((it: any) => it.name === "If-None-Match")
      assert.strictEqual(asks, hasTag, operationId)
      for (const status of ["413", "415"])
        assert.strictEqual(responses[status] !== undefined, requestBody !== undefined, operationId)
    }
  })

  it("The document names the introduction for agents, and the operations that ask for payments", () => {
    assert.deepStrictEqual(generated["x-discovery"], { llmsTxtUrl: "/llms.txt" })
    const guidance: string = generated.info["x-guidance"]
    const named = guidance.match(/\/(api|\.well-known)\/[\w{}./-]*\w|\/api\/[\w{}./]*\}?\/access/g) ?? []
    assert.deepStrictEqual(
      [...named],
      ["/api/posts", "/.well-known/x402/posts", "/api/posts/{postId}/access"]
    )
    for (const path of named) assert.property(generated.paths, path)
    const paid = operations.filter(({ operation }) => operation["x-payment-info"] !== undefined)
    assert.isAbove(paid.length, 0)
    for (const { operation } of paid) {
      assert.containsAllKeys(operation.responses["402"].headers, ["Payment-Required", "Payment-Response"])
      assert.property(operation.responses["200"].headers, "Payment-Response", operation.operationId)
      assert.property(operation.responses["503"].headers, "Payment-Response", operation.operationId)
    }
  })

  it("An upload requires its key, and a download names what it answers", () => {
    const uploads = operations.filter(
      ({ operation }) => operation.requestBody?.content["multipart/form-data"]
    )
    assert.lengthOf(uploads, 4)
    for (const { operation } of uploads) {
      const key = operation.parameters.find((it: any) => it.name === "Idempotency-Key")
      assert.isTrue(key?.required, operation.operationId)
    }
    const { responses } = operations.find(
      ({ operation }) => operation.operationId === "accessDownload"
    )!.operation
    const whole = ["Accept-Ranges", "Content-Disposition", "ETag", "Repr-Digest", "X-Purchase-Receipt"]
    assert.containsAllKeys(responses["200"].headers, whole)
    assert.containsAllKeys(responses["206"].headers, [...whole, "Content-Range"])
    assert.property(responses["416"].headers, "Content-Range")
    assert.property(responses["409"].headers, "Retry-After")
  })

  it("The upload of a ZIP describes its limits", () => {
    const { description } = operations.find(
      ({ operation }) => operation.operationId === "attachmentsAttach"
    )!.operation
    for (const limit of [
      "25 MiB",
      "5 ZIPs",
      "100 MiB in total",
      "3 unfinished",
      "75 MiB in total",
      "200 characters",
      "128 files",
      "128 directories",
      "300 entries",
      "255 bytes",
      "32 levels",
      "250 times"
    ])
      assert.include(description, limit)
  })

  it("An endpoint shows what it declares in addition to the standard", () => {
    const one = HttpApi.make("one").add(
      HttpApiGroup.make("group")
        .add(HttpApiEndpoint.get("paid", "/paid", { success: Schema.Void }).annotateMerge(quotedPayment))
        .add(HttpApiEndpoint.get("free", "/free", { success: Schema.Void }))
    )
    const document = JSON.parse(JSON.stringify(OpenApi.fromApi(one)))
    const middleware = { publicRead: PublicRead, optionalOwner: OptionalOwner }
    const { paths }: any = describeForTools(document, one, middleware)
    assert.deepStrictEqual(paths["/paid"].get["x-payment-info"], {
      protocols: ["x402"],
      pricingMode: "quote"
    })
    assert.notProperty(paths["/free"].get, "x-payment-info")
  })

  it("Every problem is described in the words of its page", () => {
    const text = JSON.stringify(generated)
    // Problems of requests that reach no operation are described by their pages alone.
    const pageless = new Set([
      "not-found",
      "method-not-allowed",
      "content-not-editable",
      "malformed-request",
      "request-timeout",
      "headers-too-large",
      "account-deleted"
    ])
    const missing = Object.entries(problems).filter(
      ([slug, { meaning }]) => !pageless.has(slug) && !text.includes(JSON.stringify(meaning).slice(1, -1))
    )
    assert.deepStrictEqual(missing, [])
  })
})
