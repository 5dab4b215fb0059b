import { Effect } from "effect"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { Mailings } from "../../engagement/subscribers/mailings/Mailings.ts"
import type { MailView } from "./mailPart.ts"

/** Makes the function that returns the mail about a post; null for an author without readers. */
export const makeMailView = Effect.map(Mailings, (mailings) =>
  Effect.fnUntraced(function* (publisher: PublisherAuthority, { id, url }: Post) {
    const mailing = yield* mailings.read(publisher, id)
    if (mailing.state !== "none") return { kind: "made", id, mailing } satisfies MailView
    if (url !== null || mailing.recipients === 0) return null
    return { kind: "next", id, preview: yield* mailings.preview(publisher, id) } satisfies MailView
  })
)
