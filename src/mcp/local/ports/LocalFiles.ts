import { Context, type Effect, type Stream } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { FileFormat } from "../../../../schemas/publishing/uploads/limits.ts"

/** A file that may be uploaded. */
export interface LocalFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly format: FileFormat
  /** The last part of its path. */
  readonly fileName: string
  /** In hexadecimal digits. */
  readonly sha256: string
}

/** Bounds of a file that may be uploaded. */
export interface Allowed {
  readonly formats: ReadonlyArray<FileFormat>
  readonly bytesMax: number
}

/** A file that was downloaded. */
export interface SavedFile {
  readonly path: string
  readonly byteSize: number
  readonly sha256: string
}

/** The files that tools may touch: uploads from inside of the allowed directories, and downloads into the state directory. */
export class LocalFiles extends Context.Service<
  LocalFiles,
  {
    /** Directories from which files are uploaded. Paths are relative to the first of them. */
    readonly roots: ReadonlyArray<string>
    /**
     * Reads a file of one of these formats, of at most this many bytes. Fails with `file-not-allowed`, whose field has the
     * reason. It tells nothing about files outside of the directories.
     */
    readonly read: (path: string, allowed: Allowed) => Effect.Effect<LocalFile, ToolFailure>
    /**
     * Saves a download under this name, whole on the disk or not at all. Fails with `response-invalid` for more bytes than
     * allowed or another SHA-256 than the expected one.
     */
    readonly save: <E>(
      name: string,
      bytes: Stream.Stream<Uint8Array, E>,
      expected: { readonly bytesMax: number; readonly sha256: string }
    ) => Effect.Effect<SavedFile, E | ToolFailure>
    /** Returns a saved download; undefined for one that is not there or has been changed since. */
    readonly saved: (name: string, sha256: string) => Effect.Effect<SavedFile | undefined>
  }
>()("pennypress/mcp/local/ports/LocalFiles") {}
