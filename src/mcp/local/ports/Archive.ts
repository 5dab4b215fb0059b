import { Context, type Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"

/** The extracted files of an archive. */
export interface Extracted {
  readonly directory: string
  readonly files: number
  readonly directories: number
  readonly totalBytes: number
  /** Names of the files as strangers chose them, with `/` between their parts. */
  readonly paths: ReadonlyArray<string>
}

/** Extracts archives. None of their files are run or opened. */
export class Archive extends Context.Service<
  Archive,
  {
    /**
     * Puts the files of a ZIP into a new directory, all of them or none. A directory that is there already stays as it
     * is. Fails with `archive-refused`, whose field has the reason, and then leaves nothing behind.
     */
    readonly extract: (path: string, directory: string) => Effect.Effect<Extracted, ToolFailure>
  }
>()("pennypress/mcp/local/ports/Archive") {}
