import { Effect } from "effect"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { Mailings } from "../../engagement/subscribers/mailings/Mailings.ts"
import { MINUTE_MILLIS, now } from "../../platform/time/now.ts"
import type { MailView } from "./mailPart.ts"

/** Makes the function that returns the mail about a post; null for an author without readers. */
export const makeMailView = Effect.map(Mailings, (mailings) =>
  Effect.fnUntraced(function* (publisher: PublisherAuthority, { id, mailReaders }: Post) {
    const mailing = yield* mailings.read(publisher, id)
    const { dueAt, recipients, state } = mailing
    if (state !== "none") {
      const millis = dueAt === null ? 0 : Date.parse(dueAt) - (yield* now).getTime()
      const minutesLeft = Math.max(0, Math.ceil(millis / MINUTE_MILLIS))
      return { kind: "made", id, mailing, minutesLeft } satisfies MailView
    }
    if (recipients > 0)
      return { kind: "next", id, mailing, minutes: yield* mailings.minutesFor(recipients) } satisfies MailView
    if ((yield* mailings.countReaders(publisher.ownerId)) === 0) return null
    return { kind: "none", id, isUnmailed: !mailReaders } satisfies MailView
  })
)
