import { Effect } from "effect"
import type { Receipt } from "../../../../schemas/mcp/local/uploadTools.ts"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { UploadReceipt } from "../../../../schemas/publishing/uploads/Upload.ts"
import { Cleaner } from "../../tools/untrusted.ts"
import { marked } from "../failures/marked.ts"

/** Returns an address of an answer as a whole one; undefined for one of another origin. */
const absolute = (address: string, origin: string) => {
  const url = URL.parse(address, origin)
  return url !== null && url.origin === origin ? url.href : undefined
}

type Shown = Pick<UploadReceipt, "actions" | "currentRevision" | "publicUrl" | "replayed" | "safety"> & {
  readonly attachment?: UploadReceipt["attachment"]
}

/** Returns a file as tools show it. Its name may come from a stranger from whom the owner has the file. */
const fileOf = ({ fileName, ...file }: NonNullable<Shown["attachment"]>) => ({
  ...file,
  untrusted: { fileName: new Cleaner().text(fileName) }
})

/** Returns a receipt as tools show it. Its actions lead to the service itself. */
export const uploadReceiptOf = (
  { actions, attachment, currentRevision, publicUrl, replayed, safety }: Shown,
  origin: string
): Effect.Effect<Receipt, ToolFailure> => {
  const addresses = Object.entries(actions).map(
    ([name, address]) => [name, absolute(address, origin)] as const
  )
  if (addresses.some(([, address]) => address === undefined)) return Effect.fail(marked("origin-mismatch"))
  return Effect.succeed({
    safety: { ...safety },
    publicUrl,
    currentRevision,
    replayed,
    actions: Object.fromEntries(addresses.map(([name, address]) => [name, address ?? ""])),
    attachment: attachment === undefined || attachment === null ? null : fileOf(attachment)
  })
}
