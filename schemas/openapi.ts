interface Operation {
  operationId: string
  requestBody?: { content: Record<string, { schema: { properties?: object } }>; required: boolean }
  responses: Record<string, { headers?: Record<string, object> }>
}
type Paths = Record<string, Record<string, Operation>>

/** Headers that the edge of the service adds by status, whatever the operation. */
const headersByStatus: Readonly<Record<string, Record<string, object>>> = {
  "401": { "WWW-Authenticate": { schema: { type: "string", const: "Bearer" } } },
  "503": { "Retry-After": { description: "Seconds to wait", schema: { type: "integer" } } }
}

const requestId = {
  "X-Request-Id": {
    description: "Names the request in the service's logs; a valid one that the caller sends is kept",
    schema: { type: "string" }
  }
}

/** `posts.create` → `postsCreate`: workflow tools take a dot for a path into another document. */
const operationId = (id: string) => id.replaceAll(/\.(.)/g, (_, first: string) => first.toUpperCase())

/** A body that has no members may be left out; the generator writes it as required, with a member without a name. */
const allowNoBody = ({ requestBody }: Operation) => {
  const json = requestBody?.content["application/json"]
  if (requestBody === undefined || json === undefined || !("" in (json.schema.properties ?? {}))) return
  requestBody.required = false
  json.schema = { ...json.schema, properties: {} }
}

/** Adds to the generated document what no endpoint declares and every client may rely on. */
export const describeForTools = (document: Record<string, unknown>): Record<string, unknown> => {
  const paths = structuredClone(document["paths"]) as Paths
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      allowNoBody(operation)
      operation.operationId = operationId(operation.operationId)
      for (const [status, response] of Object.entries(operation.responses)) {
        response.headers = { ...response.headers, ...headersByStatus[status], ...requestId }
      }
    }
  }
  return { ...document, paths }
}
