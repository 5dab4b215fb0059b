import type { Delivery } from "../../../schemas/engagement/webhooks/Delivery.ts"
import { ALL_EVENTS, type FailureCode, type Webhook } from "../../../schemas/engagement/webhooks/Webhook.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { day } from "../pages/parts/values.ts"

/** Returns what a failure was, after "your server" or as a sentence of its own. */
const failureWords = (code: FailureCode, status: number | null): string => {
  const reasons: Readonly<Record<FailureCode, string>> = {
    http_status: `your server answered ${status ?? "with an error"}`,
    redirect: `your server answered ${status ?? "a redirect"}, and we don't follow redirects`,
    gone: "your server answered 410, which means that it is gone",
    timeout: "your server didn't answer within 15 seconds",
    connection: "we couldn't connect to your server",
    tls: "your server's certificate isn't valid",
    protocol: "your server's answer wasn't valid HTTP",
    address_not_public: "the host name leads to no public address"
  }
  return reasons[code]
}

const disabledWords: Readonly<Record<NonNullable<Webhook["disabledReason"]>, string>> = {
  owner: "You turned it off.",
  gone: "We turned it off, because your server answered 410, which means that it is gone.",
  failing: "We turned it off, because your server took nothing for three days.",
  account_restricted: "It's off as long as your account is restricted."
}

/** Returns how a webhook fares, in sentences. */
export const stateWords = (webhook: Webhook): Html => {
  const { disabledReason, failingSince, lastFailure, lastSuccessAt } = webhook
  if (disabledReason !== null) return html`${disabledWords[disabledReason]}`
  if (failingSince !== null)
    return html`Failing since
    ${day(failingSince, "en")}${
      lastFailure !== null && html`: ${failureWords(lastFailure.code, lastFailure.status)}`
    }.
    We keep trying for three days.`
  return lastSuccessAt === null
    ? html`Nothing was sent yet.`
    : html`It works. The last event arrived on ${day(lastSuccessAt, "en")}.`
}

/** Returns the events of a webhook in words. */
export const eventsWords = ({ events }: Webhook): string =>
  events.includes(ALL_EVENTS) ? "All events" : events.join(", ")

const states: Readonly<Record<Delivery["state"], string>> = {
  waiting: "Waiting",
  delivered: "Delivered",
  failed: "Given up",
  cancelled: "Cancelled"
}

/** Returns how a delivery went, in words. */
export const deliveryWords = ({ lastAttempt, state }: Delivery): string => {
  const code = lastAttempt?.code ?? null
  return code === null || lastAttempt === null
    ? states[state]
    : `${states[state]}: ${failureWords(code, lastAttempt.status)}`
}
