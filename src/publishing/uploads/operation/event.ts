import type { UploadReason } from "../../../../schemas/publishing/uploads/Upload.ts"
import type { FailureClass } from "../../screening/attempts.ts"
import type { Decision, PublicCopy, ReceivedFile, Variants } from "./settlement.ts"

/** Something that happens to an operation. */
export type Event =
  /** The same bytes are sent again, after those of an earlier request broke off. */
  | { readonly type: "sent_again"; readonly at: Date; readonly leaseUntil: Date; readonly bytes: number }
  /** The bytes are durable (spec 3.2.1). */
  | { readonly type: "received"; readonly at: Date; readonly file: ReceivedFile }
  /** The bytes broke off, and no file is left of them. */
  | { readonly type: "broken_off" }
  /** The request ended without its file, and may have left some. */
  | { readonly type: "abandoned"; readonly at: Date }
  /** A fiber of the pipeline claims the next task. */
  | { readonly type: "claimed"; readonly leaseUntil: Date }
  /** Files of bytes that broke off are removed. */
  | { readonly type: "leftovers_removed"; readonly at: Date }
  /** The public copy is made. */
  | { readonly type: "published"; readonly at: Date; readonly copy: PublicCopy }
  | { readonly type: "decided"; readonly at: Date; readonly decision: Decision }
  | { readonly type: "cleaned_up"; readonly at: Date }
  /** The smaller copies are made; none of an image that cannot have any. */
  | { readonly type: "scaled"; readonly variants: Variants }
  /** The task failed and is tried again. */
  | {
      readonly type: "postponed"
      readonly failure: FailureClass
      readonly reason: UploadReason
      readonly dueAt: Date
    }
  /** The service stops; another process does the task. */
  | { readonly type: "handed_back"; readonly at: Date }
  /** The author, or the deletion of the Post, revokes the image (spec 3.2.4). */
  | { readonly type: "cancelled"; readonly at: Date }
  | { readonly type: "held" }
  | { readonly type: "released"; readonly at: Date }
  | { readonly type: "rescreened"; readonly at: Date }
  /** A request or fiber that lost its lease has stored a file. */
  | { readonly type: "file_left"; readonly at: Date }
