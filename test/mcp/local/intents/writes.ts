import { associate, attachZip, cancel, uploadImage } from "./fileWrites.ts"
import { buyPost, markRead, reply } from "./otherWrites.ts"
import { createDraft, publish, updateDraft } from "./postWrites.ts"
import type { Write } from "./writer.ts"

/** Every tool with an effect at the service, by its name. */
export const writes: Readonly<Record<string, Write>> = {
  svc_create_draft: createDraft,
  svc_update_draft: updateDraft,
  svc_publish: publish,
  svc_reply_to_comment: reply,
  svc_notifications_mark_read: markRead,
  svc_buy_post: buyPost,
  svc_upload_image: uploadImage,
  svc_image_associate: associate,
  svc_image_cancel: cancel,
  svc_attach_zip: attachZip
}
