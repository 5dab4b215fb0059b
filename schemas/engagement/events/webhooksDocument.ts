import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { EVENT_TYPES, type EventType } from "../../platform/EventType.ts"
import { plainSchema, replacing } from "../../platform/openapiSchemas.ts"
import { happens, webhookEvents } from "./Event.ts"

const header = (name: string, description: string, schema: object) => ({
  name,
  in: "header",
  required: true,
  description,
  schema
})

/** The headers of every request, as Standard Webhooks names them. */
const headers = [
  header("webhook-id", "The id of the event. A repeat of the event has the same one.", {
    type: "string",
    format: "uuid"
  }),
  header("webhook-timestamp", "The time of this attempt, in seconds since 1970.", { type: "string" }),
  header(
    "webhook-signature",
    "One signature for each secret of the webhook, separated by spaces: `v1,` and HMAC-SHA256 in base64, over id, timestamp and body with a period between them.",
    { type: "string" }
  )
]

const responses = {
  "2XX": { description: "The event is received. Any other answer but 410 is tried again for three days." },
  "410": { description: "The receiver wants no more events, so the webhook is disabled." }
}

/** `post.published` → `onPostPublished`. */
const operationIdOf = (type: EventType) =>
  `on${type.replaceAll(/(?:^|[._])(.)/gu, (_, first: string) => first.toUpperCase())}`

interface Generated {
  readonly paths: { readonly "/": { readonly post: { readonly requestBody: object } } }
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

/** Returns the document of an operation whose body is an event of this type. */
const documentOf = (type: EventType) => {
  const endpoint = HttpApiEndpoint.post("receive", "/", { payload: webhookEvents[type] })
  const api = HttpApi.make("webhooks").add(HttpApiGroup.make("webhooks").add(endpoint))
  return replacing(OpenApi.fromApi(api), plainSchema) as Generated
}

/** Returns the requests that webhooks get, and the schemas of their bodies, as the OpenAPI document has them. */
export const webhooksDocument = () => {
  const documents = EVENT_TYPES.map((type) => ({ type, document: documentOf(type) }))
  const webhooks = Object.fromEntries(
    documents.map(({ document, type }) => [
      type,
      {
        post: {
          tags: ["Events"],
          operationId: operationIdOf(type),
          summary: `Receive ${type}`,
          description: happens(type),
          security: [],
          parameters: [...headers],
          requestBody: document.paths["/"].post.requestBody,
          responses
        }
      }
    ])
  )
  const schemas: Readonly<Record<string, object>> = Object.assign(
    {},
    ...documents.map(({ document }) => document.components.schemas)
  )
  return { webhooks, schemas }
}
