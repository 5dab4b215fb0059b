import { join } from "node:path"
import { Effect, FileSystem, Option, type Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { ObjectKey, ObjectStorage } from "../../src/platform/ports/ObjectStorage.ts"
import type { Environment } from "../config/environment.ts"
import * as ObjectStorageS3 from "../storage/s3/ObjectStorageS3.ts"
import { existing } from "./disk.ts"
import { about, type Finding, within } from "./Finding.ts"

const { fault, ok, warning } = about("storage")

const CHECK_S3 =
  "Check endpoint, region, bucket, key and secret of S3_URL, and that the key may put, get and delete objects."

const CHECK_FOLDER =
  "Check that PENNYPRESS_DATA names a folder, and run this as the account of the service, which may write there."

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
    Effect.orElseSucceed(() => false),
    Effect.map((isSame) => [
      isSame
        ? ok("The object store takes an object and gives it back.")
        : fault("The object store does not take an object and give it back.", CHECK_S3)
    ])
  )

const inFolder = Effect.fnUntraced(function* ({ DATABASE_URL, PENNYPRESS_DATA }: Environment) {
  const fs = yield* FileSystem.FileSystem
  const folder = join(PENNYPRESS_DATA, "objects")
  const found: Array<Finding> = []
  const there = yield* existing(folder)
  const { type } = yield* fs.stat(there)
  const isOpen =
    type === "Directory" && (yield* Effect.isSuccess(fs.access(there, { readable: true, writable: true })))
  if (!isOpen) found.push(fault(`This account may not write to ${there}.`, CHECK_FOLDER))
  else if (there === folder) found.push(ok(`The folder ${folder} can be read and written.`))
  else found.push(ok(`The first start makes the folder ${folder}.`))
  if (Option.isSome(DATABASE_URL))
    found.push(
      warning(
        "Images and ZIPs are in a folder of this machine, and DATABASE_URL may serve other machines.",
        "With several machines, name a store that all of them share in S3_URL."
      )
    )
  return found
})

/** Checks the store of images and ZIPs. An object store has to take an object, and to give it back. */
export const storageCheck = (environment: Environment) =>
  Option.match(environment.S3_URL, {
    onSome: (url) => within("storage", inStore(url), CHECK_S3),
    onNone: () => within("storage", inFolder(environment), CHECK_FOLDER)
  })
