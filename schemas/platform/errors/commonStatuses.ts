/** One response of an operation in the OpenAPI document. */
export interface Response {
  description?: string
  content?: Record<string, { readonly schema: object; example?: unknown }>
  headers?: Record<string, object>
}

/** The statuses that spec 7 lists for every operation, unless the operation describes its own. */
const statuses: Readonly<Record<string, string>> = {
  "400": "The request could not be read",
  "401": "The credential is missing, invalid or expired",
  "403": "The account may not do this",
  "404": "Nothing here for this caller",
  "409": "The request does not fit what is there now",
  "422": "The request is not valid; every offending member is named",
  "429": "A rate limit is used up",
  "500": "Something failed in the service",
  "503": "A dependency is unavailable"
}

const PROBLEM = "application/problem+json"
const JSON_ERROR = "application/json"

const fieldErrors = { type: "array", items: { $ref: "#/components/schemas/FieldError" } }

/** Any error of either family, with any further members. */
export const familySchemas = {
  AnyProblem: {
    type: "object",
    properties: {
      type: { type: "string", format: "uri" },
      title: { type: "string" },
      status: { type: "integer" },
      detail: { type: "string" },
      errors: fieldErrors
    },
    required: ["type", "title", "status", "detail"]
  },
  AnyJsonError: {
    type: "object",
    properties: {
      statusCode: { type: "integer" },
      statusMessage: { type: "string" },
      message: { type: "string" },
      data: {
        type: "object",
        properties: { code: { type: "string" }, errors: fieldErrors },
        required: ["code"]
      }
    },
    required: ["statusCode", "statusMessage", "message", "data"]
  }
}

const anyError = (mediaType: string) => ({
  [mediaType]: {
    schema: { $ref: `#/components/schemas/${mediaType === PROBLEM ? "AnyProblem" : "AnyJsonError"}` }
  }
})

/** The sentences about the other statuses of errors. */
const otherStatuses: Readonly<Record<string, string>> = {
  "402": "A payment is required",
  "410": "This was here and is gone for good",
  "411": "The request does not say how long it is",
  "413": "The body is too large",
  "415": "The operation does not read this type of body",
  "416": "The file has no such range"
}

/** Returns the sentence about an error by its status. */
export const statusSentence = (status: string): string | undefined =>
  statuses[status] ?? otherStatuses[status]

/** The responses of an operation with every status of spec 7, in the family of the operation. */
export const withCommonStatuses = (
  responses: Readonly<Record<string, Response>>
): Record<string, Response> => {
  const isProblem = PROBLEM in (responses["500"]?.content ?? {})
  const content = anyError(isProblem ? PROBLEM : JSON_ERROR)
  const common = Object.entries(statuses).map(([status, description]) => [status, { description, content }])
  return { ...Object.fromEntries(common), ...responses }
}
