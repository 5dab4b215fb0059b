import { Context, Schema, type Effect } from "effect"

/**
 * The archive lies about its content or is damaged: an entry does not inflate to the size and the checksum that the
 * directory declares. The same bytes will never unpack.
 */
export class ArchiveUnreadable extends Schema.TaggedError<ArchiveUnreadable>()("ArchiveUnreadable", {
  reason: Schema.Literals(["inconsistent", "damaged"])
}) {}

/** The inspection exceeded its deadline or ended its process. The cause is the archive or the machine. */
export class ArchiveInspectionFailed extends Schema.TaggedError<ArchiveInspectionFailed>()(
  "ArchiveInspectionFailed",
  { reason: Schema.Literals(["deadline", "crashed"]) }
) {}

/** The inspector cannot start a process now. */
export class ArchiveInspectorUnavailable extends Schema.TaggedError<ArchiveInspectorUnavailable>()(
  "ArchiveInspectorUnavailable",
  { cause: Schema.Defect() }
) {}

/**
 * Unpacks archives that passed the checks of `archives`, outside the process that answers requests. The output is
 * discarded.
 */
export class ArchiveInspector extends Context.Service<
  ArchiveInspector,
  {
    /** Inflates every entry, within bounded time and memory. Succeeds if each entry is what the directory declares. */
    readonly inspect: (
      bytes: Uint8Array
    ) => Effect.Effect<void, ArchiveUnreadable | ArchiveInspectionFailed | ArchiveInspectorUnavailable>
  }
>()("pennypress/platform/ports/ArchiveInspector") {}
