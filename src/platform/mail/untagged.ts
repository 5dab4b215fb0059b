import type { Mailbox } from "../../../schemas/platform/EmailAddress.ts"

/** Returns the mailbox without its tag, with which one mailbox has any number of addresses. */
export const untagged = (mailbox: Mailbox): string => mailbox.replace(/(?!^)\+[^@]*(?=@)/, "")
