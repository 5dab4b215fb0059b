import { Context, Schema, type Effect } from "effect"

/** The definitions of a scanner. */
export interface ScannerDefinitions {
  /** The scanner and its version, as in `ClamAV 1.4.6`; `none` for the choice to scan nothing. */
  readonly engine: string
  /** Null if the scanner does not report it. */
  readonly version: string | null
  /** Time of their publication; null, which counts as stale, if the scanner does not report it. */
  readonly publishedAt: Date | null
}

/**
 * The verdict on bytes that the scanner has read completely; `finding` is the scanner's own name for it, for operators
 * only.
 */
export type ScanVerdict =
  | { readonly verdict: "clean" }
  | { readonly verdict: "malware"; readonly finding: string }
  /** The scanner could not inspect all bytes: they are encrypted, broken, or beyond its limits. */
  | { readonly verdict: "incomplete"; readonly finding: string }

/** The scanner gave no verdict and may give one later. */
export class ScannerUnavailable extends Schema.TaggedError<ScannerUnavailable>()("ScannerUnavailable", {
  /** `size_limit`: it accepts fewer bytes than images may have, which its operator must change. */
  reason: Schema.Literals(["not_configured", "unreachable", "timeout", "protocol", "size_limit"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Scans for malware. */
export class Scanner extends Context.Service<
  Scanner,
  {
    /** `none` is the explicit choice to scan nothing, which the policy version of receipts names. */
    readonly kind: "scanner" | "none"
    /** Returns the definitions that the scanner uses now. */
    readonly definitions: Effect.Effect<ScannerDefinitions, ScannerUnavailable>
    readonly scan: (bytes: Uint8Array) => Effect.Effect<ScanVerdict, ScannerUnavailable>
  }
>()("pennypress/platform/ports/Scanner") {}
