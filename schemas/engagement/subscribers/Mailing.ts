import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Timestamp } from "../../platform/Timestamp.ts"

const fields = {
  state: Schema.Literals(["none", "waiting", "sending", "sent", "cancelled"]),
  dueAt: Schema.NullOr(Timestamp),
  recipients: Schema.Int,
  sent: Schema.Int,
  failed: Schema.Int,
  bytes: Schema.NullOr(Schema.Int),
  isCut: Schema.Boolean
}

/**
 * The mail about a post. `none`: there is none, as for a draft. `recipients` are those whose mails were made; before, they are
 * those of the next mail, and 0 if the next publication is not mailed. `failed` are the mails that a server refused, and those that waited longer than seven days. `bytes` is
 * the size of the HTML, as of now until the mail is due; null without a mail. `isCut` is true for a text that is too long for a
 * mail, which ends with a link to the rest.
 */
export const Mailing = Schema.Struct(fields).annotate({ identifier: "Mailing" })
export type Mailing = typeof Mailing.Type

/** The same, after a request that changes it. */
export const ChangedMailing = Schema.Struct(fields)
  .annotate({ identifier: "ChangedMailing" })
  .pipe(HttpApiSchema.status(202))

/** The decision of an author about a mail. */
export const MailingAction = Schema.Struct({ action: Schema.Literals(["send_now", "cancel"]) }).annotate({
  identifier: "MailingAction"
})
