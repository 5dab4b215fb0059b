import { PostId } from "../../../../schemas/platform/Ids.ts"
import type { AccountIssueNotice } from "../../posts/Notices.ts"
import type { Operation } from "./operation.ts"
import { isAttachment } from "./target.ts"

/** Returns the words for the file of an operation, as codes have them. */
export const wordOf = (operation: Operation) => (isAttachment(operation) ? "attachment" : "image")

/** Names the issue of an owner whose file was, for example, `rejected`, with the Post that has it. */
export const issueOf = (
  operation: Operation,
  event: string
): Pick<AccountIssueNotice, "code" | "ownerId" | "postId"> => {
  const { owner_id: ownerId, target_id, target_kind } = operation
  const isOfPost = target_kind === "inline" || target_kind === "og" || target_kind === "attachment"
  return {
    ownerId,
    code: `${wordOf(operation)}_${event}`,
    ...(isOfPost ? { postId: PostId.make(target_id) } : {})
  }
}
