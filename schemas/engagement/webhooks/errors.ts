import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** The owner has as many webhooks as an account may have. */
export class WebhookLimitReached extends ServiceError<WebhookLimitReached>()("WebhookLimitReached") {}

/** The webhook is turned off, so nothing is sent. */
export class WebhookDisabled extends ServiceError<WebhookDisabled>()("WebhookDisabled") {}
