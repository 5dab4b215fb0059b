import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as ObjectStorageS3 from "../../layers/storage/s3/ObjectStorageS3.ts"
import { objectStorageSuite } from "../layers/storage/objectStorageSuite.ts"
import { s3FaultSuite } from "../layers/storage/s3/s3FaultSuite.ts"

const server = process.env["SERVICES_S3_URL"]
const url = server ?? "s3://none:none@127.0.0.1/none?endpoint=http://127.0.0.1:1"

/** A folder of the bucket for each test. */
let folders = 0
const folder = Effect.sync(() => `${url}&prefix=services-${process.pid}/${folders++}`)

describe("Ceph", () => {
  it("A Ceph is configured for these tests", () =>
    assert.isDefined(server, "SERVICES_S3_URL is missing: .ci/run sets it"))
})

objectStorageSuite(
  "objects in Ceph",
  Layer.unwrap(Effect.map(folder, (url) => ObjectStorageS3.layer({ url: Redacted.make(url) }))).pipe(
    Layer.orDie
  ),
  it.live
)

s3FaultSuite("a Ceph that fails", folder)
