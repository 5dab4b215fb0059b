import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, Redacted, Result } from "effect"
import * as fc from "fast-check"
import * as ObjectStorageS3 from "../../../../layers/storage/s3/ObjectStorageS3.ts"
import { parseS3Url } from "../../../../layers/storage/s3/s3Url.ts"

const parse = (url: string) => parseS3Url(Redacted.make(url))
const read = (url: string) =>
  Result.getOrNull(
    Result.map(parse(url), ({ bucket, endpoint, prefix, region }) =>
      [endpoint, region, bucket, prefix].join(" ")
    )
  )

describe("S3_URL", () => {
  it("The URL names the store, the region, the bucket and the folder in it", () => {
    const login = "s3://key:secret@"
    assert.strictEqual(read(`${login}s3.example.org/images`), "https://s3.example.org us-east-1 images ")
    assert.strictEqual(
      read(`${login}s3.example.org:8443/images/`),
      "https://s3.example.org:8443 us-east-1 images "
    )
    assert.strictEqual(
      read(`${login}s3.eu-west-1.amazonaws.com/a.b-c?region=eu-west-1&prefix=press`),
      "https://s3.eu-west-1.amazonaws.com eu-west-1 a.b-c press/"
    )
    assert.strictEqual(
      read(`${login}minio/images?endpoint=http://10.0.0.7:9000/&prefix=a/B_1/`),
      "http://10.0.0.7:9000 us-east-1 images a/B_1/"
    )
    assert.strictEqual(
      read(`${login}x/images?endpoint=https%3A%2F%2Fexample.org%2Fstorage%2Fv1%2Fs3`),
      "https://example.org/storage/v1/s3 us-east-1 images "
    )
    assert.strictEqual(read(`${login}[::1]/images`), "https://[::1] us-east-1 images ")
  })

  it("The URL holds a key and a secret, percent-encoded", () => {
    const bucket = Result.getOrThrow(parse("s3://AK%49D:a%2Fb+c%2Bd%3A@host/images"))
    assert.strictEqual(Redacted.value(bucket.accessKeyId), "AKID")
    assert.strictEqual(Redacted.value(bucket.secretAccessKey), "a/b+c+d:")
    assert.notInclude(JSON.stringify(bucket), "a/b")
    assert.notInclude(JSON.stringify(bucket), "AKID")
  })

  it("A wrong S3_URL is refused without repeating it", () => {
    const bad = [
      "",
      "secret",
      "https://secret:secret@host/bucket",
      "s3://secret@host/bucket",
      "s3://:secret@host/bucket",
      "s3://host/secret",
      "s3://key:se/cret@host/bucket",
      "s3://key:secret%zz@host/bucket",
      "s3://key:secret%00@host/bucket",
      "s3://ke%2Fsecret:x@host/bucket",
      "s3:///secret",
      "s3://key:secret@host",
      "s3://key:secret@host/Secret",
      "s3://key:secret@host/../..",
      "s3://key:secret@host/bucket/secret",
      "s3://key:secret@host/bucket#secret"
    ]
    const options = [
      "secret=1",
      "region=secret!",
      "region=a&region=secret",
      "endpoint=secret",
      "endpoint=ftp://secret",
      "endpoint=http://secret:secret@host",
      "endpoint=http://host/%3Fsecret",
      "endpoint=http://host?secret",
      "prefix=/secret",
      "prefix=secret//a",
      "prefix=secret/../a",
      `prefix=${"secret".repeat(50)}`
    ].map((option) => `s3://key:secret@host/bucket?${option}`)
    for (const url of [...bad, ...options]) {
      const problem = Option.getOrElse(Result.getFailure(parse(url)), () => assert.fail(`taken: ${url}`))
      assert.notMatch(
        problem.replace("key and secret", "").replace("key or secret", ""),
        /secret(?! a)/i,
        url
      )
    }
  })

  it("Any text is at most refused as S3_URL", () => {
    const near = fc
      .string({ unit: fc.constantFrom(..."s3:/@%?=&[]. 0aendpoitrg") })
      .map((rest) => `s3://k:s@h/bucket?${rest}`)
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: "binary" })), (url) =>
        assert.isTrue(Result.isResult(parse(url)))
      )
    )
  })

  it.effect("An invalid URL prevents the store", () =>
    Effect.gen(function* () {
      const url = Redacted.make("s3://key:hunter2@host")
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(ObjectStorageS3.layer({ url }))))
      assert.isTrue(Exit.isFailure(exit))
      const told = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      assert.include(told, "S3_URL cannot be used: its path is not the name of a bucket")
      assert.notInclude(told, "hunter2")
    })
  )
})
