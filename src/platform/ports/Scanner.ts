import { Context, Schema, type Effect } from "effect"

/** What a scanner looks for, and since when. */
export interface ScannerDefinitions {
  /** The scanner and its version, as in `ClamAV 1.4.6`; `none` for the one that looks for nothing on purpose. */
  readonly engine: string
  /** Null when the scanner has none or does not say. */
  readonly version: string | null
  /** When they were made; null when the scanner does not say, which counts as stale. */
  readonly publishedAt: Date | null
}

/** What a scanner says of bytes that it has seen whole; `finding` is its own name for it, for operators alone. */
export type ScanVerdict =
  | { readonly verdict: "clean" }
  | { readonly verdict: "malware"; readonly finding: string }
  /** It could not look into all of it: it is encrypted, broken, or beyond the scanner's limits. */
  | { readonly verdict: "incomplete"; readonly finding: string }

/** The scanner gave no verdict and may give one later. */
export class ScannerUnavailable extends Schema.TaggedError<ScannerUnavailable>()("ScannerUnavailable", {
  /** `size_limit`: it takes fewer bytes than images may have, which its operator has to change. */
  reason: Schema.Literals(["not_configured", "unreachable", "timeout", "protocol", "size_limit"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Looks for malware. */
export class Scanner extends Context.Service<
  Scanner,
  {
    /** `none` is the explicit choice to look for nothing, which receipts name in their policy version. */
    readonly kind: "scanner" | "none"
    /** What the scanner has now. */
    readonly definitions: Effect.Effect<ScannerDefinitions, ScannerUnavailable>
    readonly scan: (bytes: Uint8Array) => Effect.Effect<ScanVerdict, ScannerUnavailable>
  }
>()("pennypress/platform/ports/Scanner") {}
