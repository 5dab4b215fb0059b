import { Effect, Result } from "effect"
import { checkArchive } from "../../../src/publishing/archives/readArchive.ts"

/** Returns the code with which an archive is refused, or `accepted`. */
export const codeOf = (archive: Uint8Array) =>
  Effect.map(
    Effect.promise(() => checkArchive(archive)),
    Result.match({ onSuccess: () => "accepted" as const, onFailure: ({ code }) => code })
  )
