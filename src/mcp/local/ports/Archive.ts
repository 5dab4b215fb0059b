import { Context, type Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"

/** The files of an archive, where they were put. */
export interface Extracted {
  readonly directory: string
  readonly files: number
  readonly directories: number
  readonly totalBytes: number
  /** Names of the files as strangers chose them, with `/` between their parts. */
  readonly paths: ReadonlyArray<string>
}

/** Takes archives apart. Nothing of them is run or opened. */
export class Archive extends Context.Service<
  Archive,
  {
    /**
     * Puts the files of a ZIP into a new directory, all of them or none. A directory that is there already stays as it is.
     * Fails with `archive-refused`, whose field tells the reason, and leaves nothing then.
     */
    readonly extract: (path: string, directory: string) => Effect.Effect<Extracted, ToolFailure>
  }
>()("pennypress/mcp/local/ports/Archive") {}
