import { Effect } from "effect"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { OutsideHttp, type PostRefusal } from "../../platform/ports/OutsideHttp.ts"

const messages: Readonly<Record<PostRefusal, string>> = {
  address_not_public:
    "Use a host name that leads to public addresses alone. Addresses and names of a local network are refused.",
  https_required: "Use an https URL: events are sent over TLS alone",
  invalid: "Send an absolute https URL without a user, a password or a fragment",
  port_not_allowed: "Use port 443, or one from 1024 on that no other protocol has"
}

/** Makes the function that reads the URL of a receiver as browsers do, and refuses one to which nothing may be sent. */
export const makeReceiverUrl = Effect.map(OutsideHttp, ({ checkPost }) =>
  Effect.fnUntraced(function* (text: string) {
    const refusal = yield* checkPost(text)
    if (refusal === undefined) return new URL(text).href
    return yield* new Validation({ errors: [{ field: "url", code: refusal, message: messages[refusal] }] })
  })
)
