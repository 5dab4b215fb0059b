import { Context, type Effect, Schema, type Scope, type Stream } from "effect"
import type { ImportedItem, ImportFailure, ImportOptions, ImportReading } from "./ImportedItem.ts"

/** The reader ended in the middle of its work: it crashed, or an item took too long. */
export class ImportReaderLost extends Schema.TaggedError<ImportReaderLost>()("ImportReaderLost", {
  reason: Schema.Literals(["crashed", "deadline"]),
  detail: Schema.String
}) {}

/** The reader cannot start now, or has no room for the file. */
export class ImportReaderUnavailable extends Schema.TaggedError<ImportReaderUnavailable>()(
  "ImportReaderUnavailable",
  { cause: Schema.Defect() }
) {}

export type ReaderFailure = ImportFailure | ImportReaderLost | ImportReaderUnavailable

/** A file that is begun to be read. */
interface OpenReading extends Omit<ImportReading, "items"> {
  /** Its items from an ordinal on, several at a time. A failure comes after the items before the damage. */
  readonly items: (from: number) => Stream.Stream<ReadonlyArray<ImportedItem>, ReaderFailure>
}

/** A file of an author, open outside of the process of the service. */
export interface OpenImport {
  /** SHA-256 of the whole file in hex. */
  readonly sha256: string
  /** Number of its bytes that arrived. */
  readonly byteSize: number
  /** Recognizes the file. Items are the same at each reading. */
  readonly read: (options: ImportOptions, now: number) => Effect.Effect<OpenReading, ReaderFailure>
  /** Returns the bytes of an entry. Fails with `too_large` beyond this many. */
  readonly entry: (name: string, maxBytes: number) => Effect.Effect<Uint8Array, ReaderFailure>
}

/**
 * Reads the files of authors where they can do no harm: a stranger made them, and their parsers are many. The service gets
 * plain values, and single entries as bytes.
 */
export class ImportReader extends Context.Service<
  ImportReader,
  {
    /** Opens a file, whose bytes come in order, for as long as the scope lasts. */
    readonly open: <E>(
      fileName: string,
      bytes: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<OpenImport, E | ReaderFailure, Scope.Scope>
  }
>()("pennypress/publishing/imports/ImportReader") {}
