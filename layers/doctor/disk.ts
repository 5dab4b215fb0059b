import { dirname } from "node:path"
import { Effect, FileSystem } from "effect"
import type { Environment } from "../config/environment.ts"
import { roomAt } from "../files/diskSpace.ts"
import { about, within } from "./Finding.ts"

const { fault, ok, warning } = about("disk")

const GIB = 1024 ** 3
/** Free bytes below which the doctor warns, and below which uploads soon fail. */
const FREE_TOLD = 5 * GIB
const FREE_MIN = GIB

const SPACE = "Free some space, or move the data directory to a larger disk and set PENNYPRESS_DATA to it."

/** Returns the nearest folder above a path that exists, or the path itself. */
export const existing = (path: string): Effect.Effect<string, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const isThere = yield* Effect.orElseSucceed(fs.exists(path), () => false)
    return isThere || dirname(path) === path ? path : yield* existing(dirname(path))
  })

/** Checks that the disk of the data directory has room. */
export const diskCheck = ({ PENNYPRESS_DATA }: Environment) =>
  within(
    "disk",
    Effect.gen(function* () {
      const path = yield* existing(PENNYPRESS_DATA)
      const { freeBytes: free } = yield* roomAt(path)
      const said = `The disk of ${PENNYPRESS_DATA} has ${(free / GIB).toFixed(1)} GiB free.`
      if (free < FREE_MIN) return [fault(said, SPACE)]
      return [free < FREE_TOLD ? warning(said, SPACE) : ok(said)]
    }),
    `Check that this account can read ${PENNYPRESS_DATA}.`
  )
