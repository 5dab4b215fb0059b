import type { FileFormat } from "../../../../schemas/publishing/uploads/limits.ts"
import type { UploadTask } from "../../../../schemas/publishing/uploads/rpc.ts"
import type { UploadReason, UploadState } from "../../../../schemas/publishing/uploads/Upload.ts"

/** Public copy of an image, by its URL. */
export interface PublicCopy {
  readonly public_url: string
  readonly public_size: number
}

/** Smaller copies of an image: the bytes of each by its width in pixels. */
export type Variants = Readonly<Record<number, number>>

/** A file whose bytes are durable. Only images have a size in pixels, and a public copy. */
export interface ReceivedFile {
  readonly format: FileFormat
  readonly byte_size: number
  /** In hex. */
  readonly sha256: string
  readonly width: number | null
  readonly height: number | null
  readonly frames: number | null
  /** Null when the public copy could not be made yet. */
  readonly copy: PublicCopy | null
}

/** Verdict of screening, and the record of how it was reached. */
export interface Decision {
  readonly verdict: "cleared" | "rejected" | "failed"
  /** Reason for the author; null when there is none to tell. */
  readonly reason: UploadReason | null
  /** Explanation of the reason for the author. */
  readonly detail: string | null
  readonly record: {
    readonly policy_version?: string
    readonly engine?: string | null
    readonly definitions_version?: string | null
    readonly known_material_version?: string | null
    /** For operators alone. */
    readonly finding?: string | null
  }
}

/** Changes of an operation. A member that is absent stays as it is. */
export interface Settlement {
  readonly state?: UploadState
  /** Null when nothing is left to do. */
  readonly next_task?: UploadTask | null
  readonly due_at?: Date
  readonly attempts?: number
  readonly upload_attempts?: number
  readonly retries?: number
  readonly failures?: number
  readonly desired?: boolean
  readonly held?: boolean
  readonly staged_bytes?: number
  readonly last_error?: UploadReason | null
  readonly detail?: string | null
  readonly received?: { readonly at: Date; readonly file: ReceivedFile }
  readonly copy?: PublicCopy
  readonly variants?: Variants
  readonly decided?: { readonly at: Date; readonly decision: Decision } | null
}
