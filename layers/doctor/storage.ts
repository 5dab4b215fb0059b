import { join } from "node:path"
import { type Duration, Effect, FileSystem, Option, type Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { ObjectKey, ObjectStorage } from "../../src/platform/ports/ObjectStorage.ts"
import type { Environment } from "../config/environment.ts"
import * as ObjectStorageS3 from "../storage/s3/ObjectStorageS3.ts"
import { S3Failure } from "../storage/s3/s3Failure.ts"
import { existing } from "./disk.ts"
import { about, type Finding, within } from "./Finding.ts"

const { fault, ok, warning } = about("storage")

const CHECK_S3 =
  "Check the endpoint, region, bucket, key and secret in S3_URL, and that the key may put, get and delete objects."

const CHECK_FOLDER =
  "Check that PENNYPRESS_DATA is a folder, and run this as the service's account, which needs to write to it."

/** Time for three requests to a slow store, each as long as the service waits for it. */
const STORE_PATIENCE: Duration.Input = "1 minute"

/** Writes an object, reads it and removes it. */
const roundTrip = Effect.gen(function* () {
  const objects = yield* ObjectStorage
  const random = yield* SecureRandom.SecureRandom
  const key = ObjectKey.make(`doctor/${yield* random.uuidV4()}`)
  const bytes = new TextEncoder().encode("pennypress doctor")
  yield* objects.put(key, bytes, { contentType: "text/plain" })
  const isSame = Effect.map(objects.read(key), (read) => Buffer.from(read).equals(bytes))
  return yield* Effect.ensuring(isSame, Effect.ignore(objects.remove(key)))
})

const inStore = (url: Redacted.Redacted) =>
  roundTrip.pipe(
    Effect.provide([ObjectStorageS3.layer({ url }), SecureRandom.layerWebCrypto]),
    Effect.map((isSame) =>
      isSame
        ? ok("The object store accepts an object and returns it.")
        : fault("The object store did not return the object that was stored.", CHECK_S3)
    ),
    Effect.catch((error) =>
      Effect.succeed(
        fault(
          error._tag === "StorageUnavailable" && error.cause instanceof S3Failure
            ? `${error.cause.message}.`
            : "The object store did not return the object that was stored.",
          CHECK_S3
        )
      )
    ),
    Effect.map((finding) => [finding])
  )

const inFolder = Effect.fnUntraced(function* ({ DATABASE_URL, PENNYPRESS_DATA }: Environment) {
  const fs = yield* FileSystem.FileSystem
  const folder = join(PENNYPRESS_DATA, "objects")
  const found: Array<Finding> = []
  const there = yield* existing(folder)
  const { type } = yield* fs.stat(there)
  const isOpen =
    type === "Directory" && (yield* Effect.isSuccess(fs.access(there, { readable: true, writable: true })))
  if (!isOpen) found.push(fault(`This account cannot write to ${there}.`, CHECK_FOLDER))
  else if (there === folder) found.push(ok(`This account can read and write the folder ${folder}.`))
  else found.push(ok(`The first start creates the folder ${folder}.`))
  if (Option.isSome(DATABASE_URL))
    found.push(
      warning(
        "Images and ZIPs are in a folder on this machine, but other machines may use DATABASE_URL.",
        "With several machines, set S3_URL to a store that all of them share."
      )
    )
  return found
})

/** Checks the store of images and ZIPs. An object store has to take an object, and to give it back. */
export const storageCheck = (environment: Environment) =>
  Option.match(environment.S3_URL, {
    onSome: (url) => within("storage", inStore(url), CHECK_S3, STORE_PATIENCE),
    onNone: () => within("storage", inFolder(environment), CHECK_FOLDER)
  })
